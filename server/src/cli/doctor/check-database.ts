import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  createPool,
  planMigrations,
  POSTGRES_MAJOR,
  readMigrations,
  sql,
  withOwnSettings,
  type AppliedMigration,
  type Pool,
} from '@holdfast/postgres'
import { findRefusals } from '@holdfast/sync'
import { findOpenTables } from '../../advisors/access-lints.ts'
import type { InspectConfig } from '../../config/options.ts'
import { MIGRATIONS } from '../../migrations.ts'
import { compareHistory } from '../../project/compare-history.ts'
import { readHistory } from '../../project/history.ts'
import { listMigrationFiles, type MigrationFile } from '../../project/migration-files.ts'
import { withProjectDatabase } from '../with-database.ts'
import { extensionsIn } from './extensions-in.ts'
import { failure, ok, problem, warning, type Finding } from './finding.ts'

/** Clock difference in ms above which tokens are refused as not yet valid. */
const CLOCK_DIFFERENCE_MS = 10_000

/** Bytes of WAL retained by a slot that warrant a warning. */
const KEPT_MANY = 1024 * 1024 * 1024

/** Program folders of installed Postgres servers and their extension control files. */
const INSTALLED = [
  [`/usr/lib/postgresql/${POSTGRES_MAJOR}/bin`, `/usr/share/postgresql/${POSTGRES_MAJOR}/extension`],
  [`/usr/pgsql-${POSTGRES_MAJOR}/bin`, `/usr/pgsql-${POSTGRES_MAJOR}/share/extension`],
  ...['/opt/homebrew', '/usr/local'].map(
    (prefix) =>
      [
        `${prefix}/opt/postgresql@${POSTGRES_MAJOR}/bin`,
        `${prefix}/opt/postgresql@${POSTGRES_MAJOR}/share/postgresql/extension`,
      ] as const,
  ),
] as const

/**
 * Checks Postgres, migrations and their extensions, and publicly readable tables. Read-only.
 *
 * @param isServed - whether a running server is queried as well
 */
export async function checkDatabase(config: InspectConfig, isServed: boolean): Promise<Finding[]> {
  const { files } = listMigrationFiles(config.migrationsDir)
  if (config.databaseUrl === undefined && !existsSync(join(resolve(config.dataDir), 'postgres')))
    return [ok('database', 'there is none yet: the first start makes it')]
  try {
    return await inspectDatabase(config, files, isServed)
  } catch (error) {
    const { text, hint } = failure('database', error)
    const ofExternal = 'Check DATABASE_URL, and whether that Postgres runs and lets this machine in.'
    return [problem('database', text, hint ?? (config.databaseUrl === undefined ? undefined : ofExternal))]
  }
}

async function inspectDatabase(
  config: InspectConfig,
  files: readonly MigrationFile[],
  isServed: boolean,
): Promise<Finding[]> {
  return await withProjectDatabase(config, async (url) => {
    await using pool = createPool({
      url: withOwnSettings(url, 0),
      applicationName: 'holdfast doctor',
      connectionsMax: 1,
      onError: () => undefined, // the statement reports it
    })
    return [
      ...(await checkServer(pool)),
      ...(await checkRelease(pool)),
      ...(await checkMigrations(pool, files)),
      ...(await checkExtensions(pool, files)),
      ...(await checkTables(pool, config.restSchemas)),
      ...(await checkSlots(pool)),
      // A running server reports this itself.
      ...(config.databaseUrl === undefined || isServed ? [] : await checkRights(pool)),
    ]
  })
}

async function checkServer(pool: Pool): Promise<Finding[]> {
  const before = Date.now()
  const [server] = await pool.query<{ version: string; walLevel: string; now: Date }>(sql`
    select current_setting('server_version') as version, current_setting('wal_level') as "walLevel", clock_timestamp() as now
  `)
  if (!server) return []
  const middle = (before + Date.now()) / 2
  const difference = Math.round(server.now.getTime() - middle)
  return [
    ok('database', `Postgres ${server.version} answers`),
    server.walLevel === 'logical'
      ? ok('wal_level', 'changes can be followed')
      : problem(
          'wal_level',
          `wal_level is ${server.walLevel}`,
          'Set it to "logical" and restart that Postgres: sync needs it.',
        ),
    Math.abs(difference) < CLOCK_DIFFERENCE_MS
      ? ok('clock', 'this machine and the database have the same time')
      : problem(
          'clock',
          `the clock of the database is ${difference} ms ahead`,
          'Tokens would be refused: set both clocks by NTP.',
        ),
  ]
}

/** Checks whether the DATABASE_URL user has the rights that sync needs. */
async function checkRights(pool: Pool): Promise<Finding[]> {
  const refusals = await findRefusals(pool)
  if (refusals.length === 0) return [ok('rights', 'the user of DATABASE_URL may do what sync needs')]
  return refusals.map((reason) => problem('rights', `sync is off: ${reason}`, 'Everything else works.'))
}

/** Checks whether this release would start on the database. */
async function checkRelease(pool: Pool): Promise<Finding[]> {
  const [record] = await pool.query<{ isReadable: boolean | null }>(
    sql`select has_table_privilege(to_regclass('holdfast.migrations'), 'select') as "isReadable"`,
  )
  if (!record?.isReadable) return []
  const applied = await pool.query<AppliedMigration>(sql`select source, name, checksum from holdfast.migrations`)
  try {
    planMigrations(MIGRATIONS.flatMap(readMigrations), applied)
    return []
  } catch (error) {
    return [failure('release', error)]
  }
}

async function checkMigrations(pool: Pool, files: readonly MigrationFile[]): Promise<Finding[]> {
  if (files.length === 0) return []
  const { pending, missing } = compareHistory(files, await readHistory(pool))
  const findings: Finding[] = []
  if (missing.length > 0)
    findings.push(
      warning(
        'migrations',
        `applied, and without a file here: ${missing.join(', ')}`,
        'Get the files, from another branch perhaps.',
      ),
    )
  if (pending.length > 0)
    findings.push(
      warning(
        'migrations',
        `not applied: ${pending.map(({ version }) => version).join(', ')}`,
        '"holdfast migration up" applies them.',
      ),
    )
  return findings.length > 0 ? findings : [ok('migrations', `all ${files.length} are applied`)]
}

async function checkExtensions(pool: Pool, files: readonly MigrationFile[]): Promise<Finding[]> {
  const wanted = new Set(files.flatMap(({ path }) => extensionsIn(readFileSync(path, 'utf8'))))
  if (wanted.size === 0) return []
  const rows = await pool.query<{ name: string }>(sql`select name from pg_available_extensions`)
  const available = new Set(rows.map(({ name }) => name))
  const lacking = [...wanted].filter((name) => !available.has(name))
  if (lacking.length === 0) return [ok('extensions', `those of the migrations are there: ${[...wanted].join(', ')}`)]
  return lacking.map((name) => {
    const [found] = INSTALLED.find(([, controls]) => existsSync(join(controls, `${name}.control`))) ?? []
    return problem(
      'extensions',
      `this Postgres has no extension "${name}"`,
      found === undefined
        ? `Install Postgres ${POSTGRES_MAJOR} with it and start with --postgres-bin, or use a server with DATABASE_URL.`
        : `The installed one has it: start with --postgres-bin=${found}`,
    )
  })
}

/** Finds tables that API roles can use without any policy. */
async function checkTables(pool: Pool, schemas: readonly string[]): Promise<Finding[]> {
  const tables = await findOpenTables(pool, schemas)
  if (tables.length === 0) return [ok('row-level security', 'every table that the API shows has it')]
  return tables.map(({ name, isWritable }) =>
    problem(
      'row-level security',
      `everybody who has a key of the API ${isWritable ? 'reads and changes' : 'reads'} ${name}`,
      `alter table ${name} enable row level security;`,
    ),
  )
}

async function checkSlots(pool: Pool): Promise<Finding[]> {
  const rows = await pool.query<{ name: string; active: boolean; status: string; kept: number | null }>(sql`
    select slot_name as name, active, coalesce(wal_status, '') as status,
      pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 as kept
    from pg_replication_slots where database = current_database()
  `)
  return rows
    .filter(({ active, kept, status }) => status === 'lost' || (!active && (kept ?? 0) > KEPT_MANY))
    .map(({ name, kept, status }) =>
      status === 'lost'
        ? warning(
            'replication slot',
            `Postgres has given up ${name}`,
            'The next start makes it anew, and reads all tables again.',
          )
        : warning(
            'replication slot',
            `${name} is not read, and keeps ${Math.round((kept ?? 0) / 1024 / 1024)} MiB of the write-ahead log`,
            'Start the server that reads it, or drop it: select pg_drop_replication_slot(…)',
          ),
    )
}
