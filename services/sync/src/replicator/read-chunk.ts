import type { TablePlan } from '@holdfast/policy'
import { quoteLiteral, quoteName, sql, type Pool } from '@holdfast/postgres'
import { copyRows, type Tuple } from '@holdfast/replication'

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
  { pool, url }: { readonly pool: Pool; readonly url: string },
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
      await client.query('set row_security = off')
      await client.query('set enable_seqscan = off') // a page of the key's index is wanted, whatever the statistics say
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
