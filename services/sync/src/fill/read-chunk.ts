import type { TablePlan } from '@holdfast/policy'
import { quoteLiteral, quoteName, sql, type Pool, type Queryable, type SqlFragment } from '@holdfast/postgres'
import { copyRows, type Tuple } from '@holdfast/replication'
import { READ_LOCK_TIMEOUT_MS } from '../limits.ts'

/** Default for {@link ReadOptions.chunkRows}. */
const CHUNK_ROWS = 16_000
/** Maximum characters of rows per chunk. */
const CHUNK_CHARACTERS = 16 * 1024 * 1024

export interface Chunk {
  readonly rows: readonly Tuple[]
  /** Whether no rows follow. */
  readonly isLast: boolean
}

export interface ReadOptions {
  readonly pool: Pool
  /** Connects as `holdfast_reader`. */
  readonly url: string
  /** Aborts reading immediately, even while waiting for a lock. */
  readonly signal: AbortSignal
  /** Maximum rows per chunk. They wait in memory for their position in the stream. */
  readonly chunkRows?: number | undefined
}

/** Reads rows with these keys, possibly only some if they are large. @throws SQLSTATE 55P03 while a user's transaction has locked the table */
export async function readByKeys(
  options: ReadOptions,
  table: TablePlan,
  keys: readonly (readonly string[])[],
): Promise<{ readonly rows: readonly Tuple[]; readonly isWhole: boolean }> {
  const values = sql.join(keys.map((key) => sql`(${literalsOfKey(table, key)})`))
  const batches = await copyWhere(options, table, sql`where (${namesOfKey(table)}) in (${values})`)
  const rows: Tuple[] = []
  let characters = 0
  for await (const batch of batches) {
    for (const row of batch) {
      rows.push(row)
      for (const value of row) characters += value?.length ?? 0
      if (characters >= CHUNK_CHARACTERS) return { rows, isWhole: false }
    }
  }
  return { rows, isWhole: true }
}

function namesOfKey(table: TablePlan): SqlFragment {
  return sql.join(table.key.columns.map((name) => sql.identifier(name)))
}

/** Renders key values printed by Postgres as typed literals, because COPY takes no parameters. */
function literalsOfKey(table: TablePlan, values: readonly string[]): SqlFragment {
  const types = new Map(table.columns.map((column) => [column.name, column.typeName]))
  return sql.join(
    values.map((value, index) =>
      sql.trusted(`${quoteLiteral(value)}::text::${types.get(table.key.columns[index] ?? '') ?? 'text'}`),
    ),
  )
}

/** Reads rows of a table in the text form of the change stream. */
async function copyWhere(
  { pool, url, signal }: ReadOptions,
  table: TablePlan,
  where: SqlFragment,
): Promise<ReturnType<typeof copyRows>> {
  const [kind] = await pool.query<{ partitioned: boolean }>(
    sql`select relkind = 'p' as partitioned from pg_catalog.pg_class where oid = ${table.oid}::int8::oid`,
  )
  return copyRows({
    url,
    signal,
    query: async (db) => {
      await db.execute(sql`begin transaction read only`)
      await db.execute(sql`set lock_timeout = ${sql.trusted(String(READ_LOCK_TIMEOUT_MS))}`)
      await db.execute(sql`set row_security = off`)
      await db.execute(sql`set enable_seqscan = off`) // reads one page of the key's index, whatever the statistics say
      await useOperatorsOfKey(db, table)
      return sql`select ${sql.join(table.columns.map((column) => sql.identifier(column.name)))}
        from ${kind?.partitioned ? sql`` : sql`only `}${sql.trusted(quoteName(table.schema, table.name))} ${where}`
    },
  })
}

/**
 * Reads the next rows of a table in key order.
 *
 * @param after - the key of the last row read
 * @throws SQLSTATE 55P03 while a user's transaction has locked the table, a partition or an index
 */
export async function readChunk(
  options: ReadOptions,
  table: TablePlan,
  after: readonly string[] | null,
): Promise<Chunk> {
  const { chunkRows = CHUNK_ROWS } = options
  const names = namesOfKey(table)
  const rows: Tuple[] = []
  let characters = 0
  const where = after ? sql`where (${names}) > (${literalsOfKey(table, after)})` : sql``
  const batches = await copyWhere(
    options,
    table,
    sql`${where} order by ${names} limit ${sql.trusted(String(chunkRows))}`,
  )
  for await (const batch of batches) {
    for (const row of batch) {
      rows.push(row)
      for (const value of row) characters += value?.length ?? 0
      if (characters >= CHUNK_CHARACTERS) return { rows, isLast: false }
    }
  }
  return { rows, isLast: rows.length < chunkRows }
}

/** Makes the operators of the system and of the key's types available, so that the order is the index's. */
async function useOperatorsOfKey(db: Queryable, table: TablePlan): Promise<void> {
  await db.query(sql`
    select pg_catalog.set_config('search_path', pg_catalog.concat_ws(', ', 'pg_catalog', (
      select pg_catalog.string_agg(distinct pg_catalog.quote_ident(n.nspname), ', ')
        from pg_catalog.pg_attribute a
        join pg_catalog.pg_type t on t.oid = a.atttypid
        join pg_catalog.pg_type b on b.oid in (t.oid, t.typbasetype, t.typelem)
        join pg_catalog.pg_namespace n on n.oid = b.typnamespace
       where a.attrelid = ${table.oid}::int8::oid and a.attname = any(${[...table.key.columns]}::text[]) and n.nspname <> 'pg_catalog')), true)`)
}
