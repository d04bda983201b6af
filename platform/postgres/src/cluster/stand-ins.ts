import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Whatever the umask is, the user that Postgres runs as reads the files. */
const FILE_MODE = 0o644

interface StandIn {
  readonly version: string
  readonly comment: string
  /** A file of `extensions/`. Without one it makes nothing: what the extension would make, the migrations of Holdfast have made. */
  readonly script?: string
  readonly requires?: string
  /** The schema that it always has. */
  readonly schema?: string
}

/**
 * Extensions whose work Holdfast does itself, or that dumps of hosted projects make without using them, by their names. An extension that Postgres itself has comes
 * first.
 */
const STAND_INS: Readonly<Record<string, StandIn>> = {
  pg_cron: { version: '1.6', comment: 'Jobs at certain times, run by Holdfast' },
  pg_net: { version: '0.20.0', comment: 'HTTP requests after the commit, sent by Holdfast' },
  supabase_vault: { version: '0.3.1', comment: 'Secrets, encrypted with a key of the data folder', schema: 'vault' },
  pgjwt: {
    version: '0.2.0',
    comment: 'Tokens signed with a shared secret',
    script: 'pgjwt.sql',
    requires: 'pgcrypto',
  },
  pg_graphql: {
    version: '1.5.11',
    comment: 'Nothing: GraphQL is not served',
    script: 'pg_graphql.sql',
    schema: 'graphql',
  },
  pgsodium: { version: '3.1.9', comment: 'Nothing: use the vault', script: 'pgsodium.sql', schema: 'pgsodium' },
}

/**
 * Extensions of Postgres that a project, which is no superuser, may create as on Supabase, though Postgres does not call them trusted. None of them reaches files,
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

const SCRIPTS = new URL('../../extensions/', import.meta.url)

/**
 * Writes the files of extensions that this server stands in for, and of those that it trusts.
 *
 * @param shareDir - where Postgres has its own, in the folder `extension`
 * @returns the value of `extension_control_path`
 */
export function writeStandIns(dataDir: string, shareDir: string): string {
  const folder = join(dataDir, 'extensions')
  const trusted = join(folder, 'trusted')
  // A folder whose name has the character that separates folders cannot be named.
  if (folder.includes(delimiter)) return '$system'
  for (const path of [folder, join(folder, 'extension'), trusted, join(trusted, 'extension')]) {
    mkdirSync(path, { recursive: true })
    chmodSync(path, 0o755) // Postgres may run as another user
  }
  for (const [name, standIn] of Object.entries(STAND_INS)) writeStandIn(join(folder, 'extension'), name, standIn)
  for (const name of TRUSTED_HERE) copyTrusted(join(shareDir, 'extension'), join(trusted, 'extension'), name)
  return [trusted, '$system', folder].join(delimiter)
}

function writeStandIn(folder: string, name: string, { version, comment, script, requires, schema }: StandIn): void {
  const lines = [
    `comment = '${comment}'`,
    `default_version = '${version}'`,
    // Scripts name the schema that they are created in.
    `relocatable = ${script === undefined && schema === undefined}`,
    // A project is no superuser.
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
}

/** As Postgres has it, but trusted. Scripts are looked for beside the control file. */
function copyTrusted(from: string, to: string, name: string): void {
  const control = join(from, `${name}.control`)
  if (!existsSync(control)) return
  write(join(to, `${name}.control`), `${readFileSync(control, 'utf8').trimEnd()}\ntrusted = true\n`)
  for (const file of readdirSync(from))
    if (file.startsWith(`${name}--`) && file.endsWith('.sql'))
      write(join(to, file), readFileSync(join(from, file), 'utf8'))
}

/** Leaves a file alone that is whole and readable already, as at nearly every start: Postgres waits for this, and reading takes a fraction of the time of writing. */
function write(path: string, text: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  // A start that was cut off between the two calls below leaves a file that only its owner reads.
  if (found && (found.mode & 0o777) === FILE_MODE && readFileSync(path, 'utf8') === text) return
  writeFileSync(path, text)
  chmodSync(path, FILE_MODE)
}
