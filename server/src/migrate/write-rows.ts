import { copyOut, quoteIdentifier, quoteLiteral, quoteName } from '@holdfast/postgres'
import { SILENCE_MS, type Source, type SourceTable } from './source.ts'
import { TAIL } from './write-schema.ts'

export interface RowsScript {
  readonly source: Source
  readonly tables: readonly SourceTable[]
  /** Schemas whose sequences are set and materialized views refreshed. */
  readonly schemas: readonly string[]
  /** Writes `COPY … FROM stdin`, which only `psql` reads, instead of `INSERT`. */
  readonly usesCopy: boolean
}

export interface WrittenRows {
  readonly tables: number
  readonly rows: number
}

type Write = (text: string) => Promise<void>

/** Disables triggers and key checks, so that rows can be loaded unchanged and in any order. */
const HEAD = `SET session_replication_role = replica;
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET xmloption = content;
SET row_security = off;

`

/** Rows per `INSERT`, because Postgres parses a statement in memory. */
const ROWS_MAX = 1_000
const CHARACTERS_MAX = 512 * 1024

interface Shared {
  /** Omitted columns, which contain credentials. */
  readonly leftOut: readonly string[]
  /** Columns written as empty text, which other servers expect instead of NULL. */
  readonly emptied: readonly string[]
}

/** Platform tables with user data. */
const SHARED: Readonly<Record<string, Shared>> = {
  'auth.users': {
    leftOut: ['encrypted_password'],
    emptied: [
      'confirmation_token',
      'recovery_token',
      'email_change_token_new',
      'email_change_token_current',
      'phone_change_token',
      'reauthentication_token',
    ],
  },
  'auth.identities': { leftOut: [], emptied: [] },
  'storage.buckets': { leftOut: [], emptied: [] },
}

/** Platform schemas whose rows are written. */
export const SHARED_SCHEMAS: readonly string[] = [
  ...new Set(Object.keys(SHARED).map((name) => name.split('.')[0] ?? '')),
]

export const fullName = ({ schema, name }: { readonly schema: string; readonly name: string }): string =>
  `${schema}.${name}`

/** Returns whether and how rows of a platform table are written. */
const sharedOf = (table: SourceTable): Shared | undefined => SHARED[fullName(table)]

/** Returns the tables whose rows are written; of the platform only accounts, without credentials, and buckets. */
export function tablesOf({ inventory }: Source, schemas: readonly string[]): readonly SourceTable[] {
  return inventory.tables.filter(
    (table) =>
      schemas.includes(table.schema) && (inventory.schemas.includes(table.schema) || sharedOf(table) !== undefined),
  )
}

/**
 * Streams rows of tables as SQL for `psql` or a project seed.
 *
 * @throws Postgres's errors, a lost connection, errors of `write`
 */
export async function writeRows({ source, tables, schemas, usesCopy }: RowsScript, write: Write): Promise<WrittenRows> {
  const overridden = await findIdentities(source)
  await write(HEAD)
  let [filled, rows] = [0, 0]
  for (const table of tables) {
    const target = targetOf(table, overridden.has(fullName(table)))
    const copied = await (usesCopy ? copyTable : insertTable)(source, target, write)
    if (copied > 0) filled++
    rows += copied
  }
  for (const { schema, name, value } of source.inventory.sequences)
    if (schemas.includes(schema) && source.inventory.schemas.includes(schema))
      await write(`SELECT pg_catalog.setval(${quoteLiteral(quoteName(schema, name))}, ${value}, true);\n`)
  await write('\nSET session_replication_role = origin;\n')
  for (const { schema, name } of source.inventory.views)
    if (schemas.includes(schema)) await write(`REFRESH MATERIALIZED VIEW ${quoteName(schema, name)};\n`)
  await write(TAIL)
  return { tables: filled, rows }
}

/** Finds tables with a GENERATED ALWAYS identity column, which statements must override explicitly. */
async function findIdentities(source: Source): Promise<ReadonlySet<string>> {
  const client = await source.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select distinct n.nspname || '.' || c.relname as name from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
         join pg_catalog.pg_namespace n on n.oid = c.relnamespace where a.attidentity = 'a'`,
    )
    return new Set(rows.map(({ name }) => name))
  } finally {
    await client.end().catch(() => undefined) // possibly broken already
  }
}

interface Target {
  readonly table: string
  /** Quoted and comma-separated. */
  readonly columns: string
  /** Selected expressions. */
  readonly selected: string
  readonly hasColumns: boolean
  /** Clause between columns and values. */
  readonly overriding: string
  /** Clause after the values. */
  readonly onConflict: string
}

function targetOf(table: SourceTable, isOverridden: boolean): Target {
  const shared = sharedOf(table)
  const columns = table.columns.filter((column) => shared?.leftOut.includes(column) !== true)
  return {
    table: quoteName(table.schema, table.name),
    columns: columns.map(quoteIdentifier).join(', '),
    selected: columns
      .map((column) => (shared?.emptied.includes(column) === true ? `''::text` : quoteIdentifier(column)))
      .join(', '),
    hasColumns: columns.length > 0,
    overriding: isOverridden ? ' OVERRIDING SYSTEM VALUE' : '',
    // Migrations may also create buckets.
    onConflict: shared === undefined ? '' : '\nON CONFLICT DO NOTHING',
  }
}

async function read(source: Source, target: Target, onRows: (text: string) => Promise<void>): Promise<number> {
  let copied = 0
  await copyOut({
    client: await source.connect(),
    text: `copy (select ${target.selected} from only ${target.table}) to stdout`,
    silenceMs: SILENCE_MS,
    onRows: async (bytes, rows) => {
      await onRows(bytes.toString('utf8'))
      copied += rows
    },
  })
  return copied
}

async function copyTable(source: Source, target: Target, write: Write): Promise<number> {
  let isBegun = false
  const copied = await read(source, target, async (text) => {
    if (!isBegun) await write(`COPY ${target.table} (${target.columns}) FROM stdin;\n`)
    isBegun = true
    await write(text)
  })
  if (isBegun) await write('\\.\n\n')
  return copied
}

async function insertTable(source: Source, target: Target, write: Write): Promise<number> {
  const head = `INSERT INTO ${target.table} (${target.columns})${target.overriding} VALUES\n`
  const tail = `${target.onConflict};\n\n`
  return await read(source, target, async (text) => {
    const lines = text.slice(0, -1).split('\n')
    if (!target.hasColumns) return await write(`INSERT INTO ${target.table} DEFAULT VALUES;\n`.repeat(lines.length))
    let values: string[] = []
    let characters = 0
    for (const line of lines) {
      const row = renderRow(line)
      values.push(row)
      characters += row.length
      if (values.length < ROWS_MAX && characters < CHARACTERS_MAX) continue
      await write(`${head}${values.join(',\n')}${tail}`)
      values = []
      characters = 0
    }
    if (values.length > 0) await write(`${head}${values.join(',\n')}${tail}`)
  })
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** Renders each value as an untyped literal, which Postgres parses as its column's type. @see PostgreSQL manual, "COPY", Text Format */
function renderRow(line: string): string {
  const values = line
    .split('\t')
    .map((field) =>
      field === '\\N'
        ? 'NULL'
        : `'${field.replaceAll(/\\(.)/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped).replaceAll("'", "''")}'`,
    )
  return `\t(${values.join(', ')})`
}
