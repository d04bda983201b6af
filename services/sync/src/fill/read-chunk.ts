import type { TablePlan } from '@holdfast/policy'
import { quoteLiteral, quoteName, sql, type Pool, type Queryable, type SqlFragment } from '@holdfast/postgres'
import { copyRows, type Tuple } from '@holdfast/replication'
import { READ_LOCK_TIMEOUT_MS } from '../limits.ts'

/** Default for {@link ReadOptions.chunkRows}. */
const CHUNK_ROWS = 16_000
/** Characters of rows after which no more are read at once. */
const CHUNK_CHARACTERS = 16 * 1024 * 1024

export interface Chunk {
  readonly rows: readonly Tuple[]
  /** There are no more rows behind it. */
  readonly isLast: boolean
}

export interface ReadOptions {
  readonly pool: Pool
  /** Connects as `holdfast_reader`. */
  readonly url: string
  /** Ends the reading at once, also while it waits for a lock. */
  readonly signal: AbortSignal
  /** Rows read at once, as long as they are small; they wait in memory for their place in the stream. */
  readonly chunkRows?: number | undefined
}

/**
 * Reads the rows of a table that have some keys; not all of them, when they are large.
 *
 * @throws an error with SQLSTATE 55P03 while a transaction of a user has the table locked
 */
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

/** Values of a key as Postgres printed them, back as literals of its types: COPY takes no parameters. */
function literalsOfKey(table: TablePlan, values: readonly string[]): SqlFragment {
  const types = new Map(table.columns.map((column) => [column.name, column.typeName]))
  return sql.join(
    values.map((value, index) =>
      sql.trusted(`${quoteLiteral(value)}::text::${types.get(table.key.columns[index] ?? '') ?? 'text'}`),
    ),
  )
}

/** Reads rows of a table as the change stream would print them. */
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
      await db.execute(sql`set enable_seqscan = off`) // a page of the key's index is wanted, whatever the statistics say
      await useOperatorsOfKey(db, table)
      return sql`select ${sql.join(table.columns.map((column) => sql.identifier(column.name)))}
        from ${kind?.partitioned ? sql`` : sql`only `}${sql.trusted(quoteName(table.schema, table.name))} ${where}`
    },
  })
}

/**
 * Reads the next rows of a table in the order of its key.
 *
 * @param after - the key of the last row that was read
 * @throws an error with SQLSTATE 55P03 while a transaction of a user has the table, or a partition or index of it, locked
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

/** Finds the operators of the system, and those that came with the types of the key: the order has to be the one of its index. */
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
