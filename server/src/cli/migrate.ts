import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { HoldfastError, silentLogger } from '@holdfast/foundation'
import {
  applyMigrations,
  createPool,
  openEmbeddedCluster,
  openExternalCluster,
  sql,
  withOwnSettings,
  type Cluster,
  type Pool,
  parseChosenSettings,
} from '@holdfast/postgres'
import { openBackend, storageOptions } from '@holdfast/storage'
import { STORED_FILES } from '../backup/stored-files.ts'
import { migrateDeclarations, type MigrateConfig } from '../config/options.ts'
import { copyFiles, type CopiedFiles } from '../migrate/copy-files.ts'
import { countSource, gapsOf } from '../migrate/gaps.ts'
import { PLATFORM_SCHEMAS } from '../migrate/hosted-schemas.ts'
import { loadDatabase, type Loaded } from '../migrate/load.ts'
import { renderMigrateReport, type LeftOut, type MigrateReport } from '../migrate/report.ts'
import { openSource, type Inventory } from '../migrate/source.ts'
import { MIGRATIONS } from '../migrations.ts'
import { openRoles } from '../open-roles.ts'
import { optionsOf } from '../parts/service-options.ts'
import { readSettings, type CommandInput } from './command.ts'

/** In the data folder: the source project, so that the same command can continue with the files. */
const RECORD = 'migrated-from.json'

/**
 * `holdfast migrate --from postgres://…`: creates a data folder from a project hosted elsewhere. Only reads the source.
 *
 * @returns the exit code: 1 if something was not migrated
 * @throws {HoldfastError} `option_invalid`, `migrate_target_taken`, `migrate_source_unreachable` and errors of opening the database
 */
export async function migrate(input: CommandInput): Promise<number> {
  const config = readSettings(migrateDeclarations, input)
  // Command lines are visible to all users in the process list.
  process.title = 'holdfast migrate'
  const { from } = config
  if (from === undefined) {
    throw new HoldfastError('option_invalid', 500, 'Which project? --from is missing.', {
      hint: 'holdfast migrate --from=postgres://postgres:password@host:5432/postgres, or HOLDFAST_FROM in the environment.',
    })
  }
  if (config.storageUrl !== undefined && config.serviceKey === undefined) {
    throw new HoldfastError('option_invalid', 500, 'Files are read with the service_role key of the project.', {
      hint: 'Set HOLDFAST_SERVICE_KEY, or leave --storage-url out.',
    })
  }
  const report = config.dryRun ? await look(from) : await bring(config, from, (line) => input.err(`  ${line} …\n`))
  input.out(config.json ? `${JSON.stringify(report)}\n` : renderMigrateReport(report))
  return report.leftOut.length > 0 && !report.dryRun ? 1 : 0
}

async function look(from: string): Promise<MigrateReport> {
  await using source = await openSource(from)
  const { inventory } = source
  return {
    ...summaryOf(from, inventory),
    dryRun: true,
    ...(await countSource(source)),
    jobs: inventory.jobs.length,
    vaultSecrets: inventory.secrets.length,
    files: { copied: 0, present: 0, failed: 0 },
    leftOut: knownGaps(inventory),
  }
}

const summaryOf = (from: string, { version }: Inventory): Pick<MigrateReport, 'from' | 'version'> => ({
  from: `${new URL(from).host}${new URL(from).pathname}`,
  version,
})

/** Lists what is not migrated. */
function knownGaps(inventory: Inventory): readonly LeftOut[] {
  const { isHoldfast } = inventory
  const ours = {
    what: 'Streams and guards of sync, settings of the app',
    why: 'they are of Holdfast, not of the project: use holdfast backup',
  }
  return [...gapsOf(inventory), ...(isHoldfast ? [ours] : [])]
}

async function bring(config: MigrateConfig, from: string, progress: (line: string) => void): Promise<MigrateReport> {
  const dataDir = resolve(config.dataDir)
  const name = createHash('sha256')
    .update(`${new URL(from).host}${new URL(from).pathname}`)
    .digest('hex')
  const record = join(dataDir, RECORD)
  const before = existsSync(record)
    ? (JSON.parse(readFileSync(record, 'utf8')) as { source: string; report: MigrateReport })
    : undefined
  if (before && before.source !== name) throw targetTaken(dataDir)
  // Opened before creating anything, and closed before copying files, because its snapshot blocks vacuum in the old project.
  await using opened = new AsyncDisposableStack()
  const source = before ? undefined : opened.use(await openSource(from))
  progress(config.databaseUrl === undefined ? 'starting Postgres' : 'connecting to Postgres')
  await using cluster = await openTarget({ ...config, dataDir })
  await using pool = createPool({
    url: withOwnSettings(cluster.internalUrl, cluster.serverVersion),
    applicationName: 'holdfast migrate',
    connectionsMax: 2,
  })
  let report = before?.report
  if (source) {
    await applyMigrations({ pool, sources: MIGRATIONS, logger: silentLogger })
    await openRoles(pool, cluster, silentLogger)
    await requireEmpty(pool, dataDir)
    const loaded = await loadDatabase({
      source,
      sourceUrl: from,
      targetUrl: cluster.adminUrl,
      applicationName: 'holdfast migrate',
      progress,
    })
    await opened.disposeAsync()
    report = reportOf(from, source.inventory, loaded, await countUsers(pool))
    writeFileSync(record, `${JSON.stringify({ source: name, report })}\n`, { mode: 0o600, flush: true })
  }
  if (!report) throw targetTaken(dataDir)
  const files = await bringFiles(config, pool, dataDir, progress)
  const { leftOut, ...counts } = files
  return { ...report, files: counts, leftOut: [...report.leftOut, ...leftOut] }
}

function reportOf(from: string, inventory: Inventory, loaded: Loaded, users: number): MigrateReport {
  return {
    ...summaryOf(from, inventory),
    ...loaded,
    dryRun: false,
    users,
    files: { copied: 0, present: 0, failed: 0 },
    leftOut: [...loaded.leftOut, ...knownGaps(inventory)],
  }
}

async function bringFiles(
  config: MigrateConfig,
  pool: Pool,
  dataDir: string,
  progress: (line: string) => void,
): Promise<CopiedFiles> {
  const none: CopiedFiles = { copied: 0, present: 0, failed: 0, leftOut: [] }
  const { storageUrl, serviceKey } = config
  if (storageUrl === undefined || serviceKey === undefined) {
    const [row] = await pool.query<{ files: number }>(sql`select count(*)::int as files from storage.objects`)
    if ((row?.files ?? 0) === 0) return none
    const why = 'run the same command again with --storage-url and HOLDFAST_SERVICE_KEY'
    return { ...none, leftOut: [{ what: `Bytes of ${row?.files} files`, why }] }
  }
  progress('copying files')
  await using backend = await openBackend(optionsOf(config, storageOptions), join(dataDir, STORED_FILES), silentLogger)
  return await copyFiles({ db: pool, backend, storageUrl, serviceKey, progress })
}

function openTarget({ dataDir, databaseUrl, postgresBin, postgresSettings }: MigrateConfig): Promise<Cluster> {
  return databaseUrl === undefined
    ? openEmbeddedCluster({
        dataDir,
        port: 0,
        binDir: postgresBin,
        settings: parseChosenSettings(postgresSettings),
        logger: silentLogger,
      })
    : openExternalCluster({ url: databaseUrl, dataDir, logger: silentLogger })
}

async function requireEmpty(pool: Pool, dataDir: string): Promise<void> {
  const [row] = await pool.query<{ taken: boolean }>(sql`
    select exists (select from auth.users) or exists (select from storage.buckets)
        or exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                    where c.relkind in ('r', 'p', 'v', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
                      and n.nspname <> all(${PLATFORM_SCHEMAS})) as taken`)
  if (row?.taken) throw targetTaken(dataDir)
}

async function countUsers(pool: Pool): Promise<number> {
  const [row] = await pool.query<{ users: number }>(sql`select count(*)::int as users from auth.users`)
  return row?.users ?? 0
}

function targetTaken(dataDir: string): HoldfastError {
  return new HoldfastError('migrate_target_taken', 500, `The database of ${dataDir} is in use already.`, {
    hint: 'Name a data folder that is new with --data-dir. Nothing is ever overwritten.',
  })
}
