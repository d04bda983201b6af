import type { TablePlan } from '@holdfast/policy'
import { queryable, quoteLiteral, quoteName, sql, type Pool } from '@holdfast/postgres'
import { copyRows, type Tuple } from '@holdfast/replication'
import type { ClientBase } from 'pg'

/** Rows read at once, as long as they are small; they wait in memory for their place in the stream. */
const CHUNK_ROWS = 16_000
/** Characters of rows after which no more are read at once. */
const CHUNK_CHARACTERS = 16 * 1024 * 1024

export interface Chunk {
  readonly rows: readonly Tuple[]
  /** There are no more rows behind it. */
  readonly isLast: boolean
}

/**
 * Reads the next rows of a table in the order of its key.
 *
 * @param after - the key of the last row that was read
 */
export async function readChunk(
  { pool, url }: { readonly pool: Pool; /** Connects as `holdfast_reader`. */ readonly url: string },
  table: TablePlan,
  after: readonly string[] | null,
): Promise<Chunk> {
  const key = table.key.columns
  const names = sql.join(key.map((name) => sql.identifier(name)))
  const [kind] = await pool.query<{ partitioned: boolean }>(
    sql`select relkind = 'p' as partitioned from pg_catalog.pg_class where oid = ${table.oid}::int8::oid`,
  )
  const types = new Map(table.columns.map((column) => [column.name, column.typeName]))
  // Values of a key as Postgres printed them, back as literals of its types: COPY takes no parameters.
  const values = after?.map((value, index) =>
    sql.trusted(`${quoteLiteral(value)}::text::${types.get(key[index] ?? '') ?? 'text'}`),
  )
  const rows: Tuple[] = []
  let characters = 0
  const batches = copyRows({
    url,
    query: async (client) => {
      await client.query('begin transaction read only')
      await client.query('set row_security = off')
      await client.query('set enable_seqscan = off') // a page of the key's index is wanted, whatever the statistics say
      await useOperatorsOfKey(client, table)
      return sql`select ${sql.join(table.columns.map((column) => sql.identifier(column.name)))}
        from ${kind?.partitioned ? sql`` : sql`only `}${sql.trusted(quoteName(table.schema, table.name))}
       ${values ? sql`where (${names}) > (${sql.join(values)})` : sql``}
       order by ${names} limit ${sql.trusted(String(CHUNK_ROWS))}`
    },
  })
  for await (const batch of batches) {
    for (const row of batch) {
      rows.push(row)
      for (const value of row) characters += value?.length ?? 0
      if (characters >= CHUNK_CHARACTERS) return { rows, isLast: false }
    }
  }
  return { rows, isLast: rows.length < CHUNK_ROWS }
}

/** Finds the operators of the system, and those that came with the types of the key: the order has to be the one of its index. */
async function useOperatorsOfKey(client: ClientBase, table: TablePlan): Promise<void> {
  await queryable(client).query(sql`
    select pg_catalog.set_config('search_path', pg_catalog.concat_ws(', ', 'pg_catalog', (
      select pg_catalog.string_agg(distinct pg_catalog.quote_ident(n.nspname), ', ')
        from pg_catalog.pg_attribute a
        join pg_catalog.pg_type t on t.oid = a.atttypid
        join pg_catalog.pg_type b on b.oid in (t.oid, t.typbasetype, t.typelem)
        join pg_catalog.pg_namespace n on n.oid = b.typnamespace
       where a.attrelid = ${table.oid}::int8::oid and a.attname = any(${[...table.key.columns]}::text[]) and n.nspname <> 'pg_catalog')), true)`)
}
