import type { TableCell, TableIdentity, TablePage, TableRow } from '@holdfast/protocol'
import { sql, type Pool, type Transaction } from '@holdfast/postgres'
import { invalidRequest } from '../errors.ts'
import { PAGE_CELLS_MAX, POSITION_CHARS_MAX, VALUE_BYTES_MAX } from '../limits.ts'
import {
  addressCondition,
  addressKindOf,
  columnOf,
  pageQueries,
  rowQuery,
  type PagePosition,
  type PageRequest,
  type PageRow,
} from './page-query.ts'
import { readTable, type KnownTable } from './read-table.ts'
import { suggestIndex } from './suggest-index.ts'
import { runAsIdentity, type OpenTableSession } from './table-session.ts'

/** What reads and changes of rows need. */
export interface RowsNeeds {
  /** Of the superuser, for the catalog. */
  readonly pool: Pool
  readonly openSession: OpenTableSession
}

export interface RowsQuery extends Omit<PageRequest, 'after'> {
  readonly schema: string
  readonly table: string
  readonly as: TableIdentity
  /** As returned with the previous page. */
  readonly after: string | undefined
}

/**
 * Reads a page of rows with the rights of an identity.
 *
 * @throws {HoldfastError} `no_such_table`, `query_refused`, `rows_timeout`, whose hint is the SQL of an index that may help
 */
export async function readPage({ pool, openSession }: RowsNeeds, query: RowsQuery): Promise<TablePage> {
  const table = await readTable(pool, query.schema, query.table)
  const limit = Math.max(1, Math.min(query.limit, Math.floor(PAGE_CELLS_MAX / Math.max(1, table.columns.length))))
  const after = query.after === undefined ? undefined : decodePosition(query.after)
  const queries = pageQueries(table, { ...query, after, limit })
  const started = performance.now()
  const rows = await runAsIdentity(
    openSession,
    query.as,
    { isReadOnly: true, suggestion: suggestIndex(table, query) },
    async (tx) => {
      if (addressKindOf(table) === 'place')
        await tx.execute(sql`select set_config('max_parallel_workers_per_gather', '0', true)`)
      const found: PageRow[] = []
      for (const one of queries) {
        if (found.length < limit) found.push(...(await tx.query<PageRow>(one)))
      }
      return found.slice(0, limit)
    },
  )
  const isFull = rows.length === limit
  const next = isFull ? encodePosition(query, rows.at(-1)) : undefined
  return {
    columns: table.columns.map(({ name }) => name),
    rows: rows.map(rowOf),
    ...(next !== undefined && { next }),
    isLimited: isFull && next === undefined,
    ms: Math.round(performance.now() - started),
  }
}

/**
 * Reads a value whole.
 *
 * @returns `undefined` if the row is gone or not visible
 * @throws {HoldfastError} `invalid_request` for a value above the limit
 */
export async function readValue(
  { pool, openSession }: RowsNeeds,
  given: {
    readonly schema: string
    readonly table: string
    readonly as: TableIdentity
    readonly address: readonly string[]
    readonly column: string
  },
): Promise<{ readonly value: string | null } | undefined> {
  const table = await readTable(pool, given.schema, given.table)
  const { name, type } = columnOf(table, given.column)
  const column = sql.identifier(name)
  const size = type === 'bytea' ? sql`octet_length(t.${column}) * 2` : sql`octet_length(t.${column}::text)`
  const [found] = await runAsIdentity(openSession, given.as, { isReadOnly: true }, (tx) =>
    tx.query<{ value: string | null; bytes: number | null }>(sql`
      select ${size} as bytes, case when ${size} <= ${VALUE_BYTES_MAX} then t.${column}::text end as value
        from ${sql.identifier(table.schema, table.name)} t where ${addressCondition(table, given.address)} limit 1`),
  )
  if (found && (found.bytes ?? 0) > VALUE_BYTES_MAX)
    throw invalidRequest(
      `The value has ${found.bytes} bytes as text; up to ${VALUE_BYTES_MAX} are shown. Read parts of it with SQL.`,
    )
  return found && { value: found.value }
}

/** Reads the row with an address, as far as the identity of the transaction sees it. */
export async function findRow(
  tx: Transaction,
  table: KnownTable,
  address: readonly string[],
): Promise<TableRow | undefined> {
  const [row] = await tx.query<PageRow>(rowQuery(table, address))
  return row && rowOf(row)
}

function rowOf({ address, version, cells, sizes }: PageRow): TableRow {
  return {
    address,
    version,
    cells: cells.map((text, at): TableCell => {
      const bytes = sizes[at]
      return text === null || bytes === null || bytes === undefined ? text : { start: text, bytes }
    }),
  }
}

function encodePosition({ sort }: Pick<RowsQuery, 'sort'>, row: PageRow | undefined): string | undefined {
  if (!row?.address) return undefined
  const position: PagePosition = { address: row.address, ...(sort && { sorted: row.sorted }) }
  const text = JSON.stringify(position)
  return text.length > POSITION_CHARS_MAX ? undefined : text
}

/** @throws {HoldfastError} `invalid_request` */
function decodePosition(text: string): PagePosition {
  const isText = (value: unknown): value is string => typeof value === 'string'
  try {
    const { address, sorted } = JSON.parse(text) as Partial<Record<'address' | 'sorted', unknown>>
    if (Array.isArray(address) && address.every(isText) && (sorted === undefined || sorted === null || isText(sorted)))
      return { address, ...(sorted !== undefined && { sorted }) }
  } catch {
    // Reported below, as other texts that are no position.
  }
  throw invalidRequest('"after" is not a position of this list.')
}
