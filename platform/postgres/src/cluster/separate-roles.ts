import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import type { Logger } from '@holdfast/foundation'
import { scramVerifier } from './role-password.ts'
import { quoteLiteral } from '../sql/identifier.ts'
import { DATABASE_NAME, PROJECT_ROLE, SUPERUSER } from './cluster.ts'
import type { Postmaster } from './postmaster.ts'
import type { SeparateSecrets } from './secrets.ts'

/** Messages to the operator about changes. */
const REMARKS: Readonly<Record<string, string>> = {
  'event trigger':
    'is disabled: it belongs to the superuser, and the project could replace what it runs. Do in your migrations what it did.',
  superuser: 'is a superuser that the project has made, and stays one. Take that from it, or drop it.',
  publication:
    'covers all tables or a schema, so it stays with the superuser. Create it again with a list of tables to change it.',
  subscription: 'stays with the superuser. Create it again where the project has to change it.',
  setting: 'of role postgres could not be kept.',
}

const ITERATIONS = 4_096

/** Prevents the project's event triggers and role or database settings from affecting the superuser. */
const SETTINGS = [
  'event_triggers=off',
  'allow_system_table_mods=on',
  'search_path=pg_catalog,pg_temp',
  'statement_timeout=0',
  'transaction_timeout=0',
  'lock_timeout=0',
  'default_transaction_read_only=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')

export interface SeparationOptions {
  readonly port: number
  readonly secrets: SeparateSecrets
  readonly logger: Logger
}

/**
 * Separates the superuser from the project's role in release 0.1.0 database files, with no other users. Each database is changed in one transaction and every
 * step is repeatable, so an interruption is harmless.
 *
 * @param start - starts Postgres on the port and waits for connections to the URL
 */
export async function separateRoles(
  { port, secrets, logger }: SeparationOptions,
  start: (url: string) => Promise<Postmaster>,
): Promise<void> {
  const urlOf = (role: string, password: string) => (database: string) =>
    `postgres://${role}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`
  const before = urlOf(PROJECT_ROLE, secrets.projectPassword)
  const after = urlOf(SUPERUSER, secrets.superuserPassword)
  const postmaster = await start(before(DATABASE_NAME))
  try {
    // The new role has the old one's password; an earlier attempt may have reached this point.
    const url = (await isSuperuser(before(DATABASE_NAME))) ? before : after
    const notices = await run(url(DATABASE_NAME), [...readStatements('separate-roles.sql'), ...passwordsOf(secrets)])
    const handOver = readStatements('hand-over-objects.sql')
    const databases = notices.filter(({ kind }) => kind === 'database')
    for (const { name } of databases) notices.push(...(await run(after(name), handOver)))
    await run(after(DATABASE_NAME), ['drop role if exists holdfast_former_admin'])
    for (const { kind, name } of notices) {
      const remark = REMARKS[kind]
      if (remark !== undefined) logger.log('warn', `${kind} ${name} ${remark}`)
    }
  } finally {
    await postmaster.stop()
  }
  logger.log('info', 'role postgres is no superuser any more', { superuser: SUPERUSER })
}

interface Notice {
  readonly kind: string
  readonly name: string
}

async function isSuperuser(url: string): Promise<boolean> {
  const client = await connect(url, '')
  try {
    const { rows } = await client.query<{ is_superuser: string }>('show is_superuser')
    return rows[0]?.is_superuser === 'on'
  } finally {
    await client.end()
  }
}

/** Runs all statements in one transaction. @returns their `raise notice 'holdfast: …'` messages */
async function run(url: string, statements: readonly string[]): Promise<Notice[]> {
  const client = await connect(url, SETTINGS)
  const notices: Notice[] = []
  const kinds = [...Object.keys(REMARKS), 'database']
  client.on('notice', ({ message = '' }) => {
    const kind = kinds.find((one) => message.startsWith(`holdfast: ${one} `))
    if (kind !== undefined) notices.push({ kind, name: message.slice(`holdfast: ${kind} `.length) })
  })
  try {
    await client.query('begin')
    for (const statement of statements) await client.query(statement)
    await client.query('commit')
    return notices
  } finally {
    await client.end()
  }
}

async function connect(url: string, options: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000, options })
  client.on('error', () => undefined) // a broken connection also rejects the statement
  await client.connect()
  return client
}

function passwordsOf({ superuserPassword, projectPassword }: SeparateSecrets): readonly string[] {
  return [[SUPERUSER, superuserPassword] as const, [PROJECT_ROLE, projectPassword] as const].map(
    ([role, password]) =>
      `alter role ${role} password ${quoteLiteral(scramVerifier(password, randomBytes(16), ITERATIONS))}`,
  )
}

/** Splits a file into blocks that end with a line `$$;`. */
function readStatements(file: string): readonly string[] {
  const text = readFileSync(new URL(`../../roles/${file}`, import.meta.url), 'utf8')
  return text
    .split(/^\$\$;$/m)
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => `${one}\n$$`)
}
