import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Readable by Postgres's user, whatever the umask. */
const FILE_MODE = 0o644

interface StandIn {
  readonly version: string
  readonly comment: string
  /** A file in `extensions/`. Without it the extension is empty, because Holdfast's migrations created its objects. */
  readonly script?: string
  readonly requires?: string
  /** Fixed schema of the extension. */
  readonly schema?: string
  /** Versions on hosted projects that tools write into migrations (`create extension … version '1.4.4'`), treated as equal to ours. */
  readonly otherVersions?: readonly string[]
}

/** Extensions implemented by Holdfast, or created but unused in dumps of hosted projects, by name. A real extension of the same name has precedence. */
const STAND_INS: Readonly<Record<string, StandIn>> = {
  pg_cron: {
    version: '1.6',
    comment: 'Jobs at certain times, run by Holdfast',
    otherVersions: ['1.4', '1.4-1', '1.5', '1.6.2', '1.6.4'],
  },
  pg_net: {
    version: '0.20.0',
    comment: 'HTTP requests after the commit, sent by Holdfast',
    otherVersions: [
      '0.6.0',
      '0.6.1',
      '0.7',
      '0.7.1',
      '0.7.3',
      '0.8.0',
      '0.9.2',
      '0.10.0',
      '0.11.0',
      '0.13.0',
      '0.14.0',
      '0.19.5',
    ],
  },
  supabase_vault: {
    version: '0.3.1',
    comment: 'Secrets, encrypted with a key of the data folder',
    schema: 'vault',
    otherVersions: ['0.2.6', '0.2.7', '0.2.8', '0.2.9'],
  },
  pgmq: {
    version: '1.5.1',
    comment: 'Queues of messages, by Holdfast',
    script: 'pgmq.sql',
    schema: 'pgmq',
    otherVersions: ['1.4.4', '1.5.0'],
  },
  pgjwt: {
    version: '0.2.0',
    comment: 'Tokens signed with a shared secret',
    script: 'pgjwt.sql',
    requires: 'pgcrypto',
    otherVersions: ['0.1.1'],
  },
  pg_jsonschema: {
    version: '0.3.3',
    comment: 'JSON Schema, by Holdfast',
    script: 'pg_jsonschema.sql',
    otherVersions: ['0.1.1', '0.1.2', '0.1.3', '0.1.4', '0.2.0', '0.3.0', '0.3.1', '0.3.2', '0.3.4'],
  },
  http: {
    version: '1.6',
    comment: 'Nothing: requests within a transaction are not sent',
    script: 'http.sql',
    otherVersions: ['1.4', '1.5'],
  },
  pg_graphql: {
    version: '1.5.11',
    comment: 'Nothing: GraphQL is not served',
    script: 'pg_graphql.sql',
    schema: 'graphql',
    otherVersions: [
      '1.2.0',
      '1.2.2',
      '1.3.0',
      '1.4.0',
      '1.4.1',
      '1.4.2',
      '1.4.4',
      '1.5.0',
      '1.5.1',
      '1.5.4',
      '1.5.6',
      '1.5.7',
      '1.5.9',
    ],
  },
  hypopg: {
    version: '1.4.1',
    comment: 'Nothing: indexes are made, or are not there',
    script: 'hypopg.sql',
    otherVersions: ['1.3.1', '1.4.0'],
  },
  index_advisor: {
    version: '0.2.0',
    comment: 'Nothing: no index is advised',
    script: 'index_advisor.sql',
    requires: 'hypopg',
    otherVersions: ['0.1.1', '0.1.2'],
  },
  pg_tle: {
    version: '1.4.0',
    comment: 'Nothing: extensions are files of Postgres',
    script: 'pg_tle.sql',
    schema: 'pgtle',
    otherVersions: ['1.0.1', '1.0.4', '1.2.0', '1.3.0', '1.3.2', '1.3.4'],
  },
  plpgsql_check: {
    version: '2.7',
    comment: 'Nothing: functions are not checked',
    script: 'plpgsql_check.sql',
    otherVersions: ['2.2', '2.6', '2.8'],
  },
  pgsodium: {
    version: '3.1.9',
    comment: 'Nothing: use the vault',
    script: 'pgsodium.sql',
    schema: 'pgsodium',
    otherVersions: ['3.0.4', '3.1.5', '3.1.6', '3.1.7', '3.1.8'],
  },
}

/**
 * Extensions that a project may create without being superuser, as on Supabase, though Postgres does not mark them trusted. None gives access to files,
 * programs or other servers.
 */
const TRUSTED_HERE = [
  'autoinc',
  'bloom',
  'earthdistance',
  'insert_username',
  'intagg',
  'moddatetime',
  'pg_stat_statements',
  'pgrowlocks',
  'pgstattuple',
  'refint',
]

const NO_CHANGE = '-- The version of hosted projects is a name only.\n'

const SCRIPTS = new URL('../../extensions/', import.meta.url)

/**
 * Writes the control files of stand-in and trusted extensions.
 *
 * @param shareDir - location of Postgres's own, in the subfolder `extension`
 * @returns the value of `extension_control_path`
 */
export function writeExtensionStubs(dataDir: string, shareDir: string): string {
  const folder = join(dataDir, 'extensions')
  const trusted = join(folder, 'trusted')
  // A folder containing the path separator cannot be listed.
  if (folder.includes(delimiter)) return '$system'
  for (const path of [folder, join(folder, 'extension'), trusted, join(trusted, 'extension')]) {
    mkdirSync(path, { recursive: true })
    chmodSync(path, 0o755) // Postgres may run as another user
  }
  for (const [name, standIn] of Object.entries(STAND_INS)) writeExtensionStub(join(folder, 'extension'), name, standIn)
  for (const name of TRUSTED_HERE) copyTrusted(join(shareDir, 'extension'), join(trusted, 'extension'), name)
  return [trusted, '$system', folder].join(delimiter)
}

function writeExtensionStub(folder: string, name: string, standIn: StandIn): void {
  const { version, comment, script, requires, schema, otherVersions = [] } = standIn
  const lines = [
    `comment = '${comment}'`,
    `default_version = '${version}'`,
    // Scripts name the schema they are created in.
    `relocatable = ${script === undefined && schema === undefined}`,
    // A project is not a superuser.
    'trusted = true',
    ...(requires === undefined ? [] : [`requires = '${requires}'`]),
    ...(schema === undefined ? [] : [`schema = '${schema}'`]),
  ]
  write(join(folder, `${name}.control`), `${lines.join('\n')}\n`)
  write(
    join(folder, `${name}--${version}.sql`),
    script === undefined
      ? '-- What this extension would make, the migrations of Holdfast have made.\n'
      : readFileSync(new URL(script, SCRIPTS), 'utf8'),
  )
  // Postgres installs another version via this script plus an update, and may update back.
  for (const other of otherVersions) {
    write(join(folder, `${name}--${version}--${other}.sql`), NO_CHANGE)
    write(join(folder, `${name}--${other}--${version}.sql`), NO_CHANGE)
  }
}

/** Copies a control file, marked as trusted. Postgres looks for scripts beside it. */
function copyTrusted(from: string, to: string, name: string): void {
  const control = join(from, `${name}.control`)
  if (!existsSync(control)) return
  write(join(to, `${name}.control`), `${readFileSync(control, 'utf8').trimEnd()}\ntrusted = true\n`)
  for (const file of readdirSync(from))
    if (file.startsWith(`${name}--`) && file.endsWith('.sql'))
      write(join(to, file), readFileSync(join(from, file), 'utf8'))
}

/** Skips intact, readable files, as at nearly every start: Postgres waits for this, and reading is much faster than writing. */
function write(path: string, text: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  // An interrupted start leaves a file with the wrong mode.
  if (found && (found.mode & 0o777) === FILE_MODE && readFileSync(path, 'utf8') === text) return
  writeFileSync(path, text)
  chmodSync(path, FILE_MODE)
}
