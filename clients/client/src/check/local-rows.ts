import type { CommonPowerSyncDatabase } from '@powersync/common'
import { type RangeSum, RangeSums, digestRow, quoteName, rangeOfKey } from '@holdfast/protocol'

/** Page limits: rows and approximate characters. */
const PAGE_ROWS = 1_000
const PAGE_CHARACTERS = 1_000_000

type Reads = Pick<CommonPowerSyncDatabase, 'getAll'>

interface StoredRow {
  readonly id: string
  readonly data: string
}

/** Reads a synced table's rows as received, in pages that yield to other work. */
async function* pages(
  database: Reads,
  table: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly StoredRow[]> {
  let after = ''
  for (let count = 100; ;) {
    signal?.throwIfAborted()
    const rows = await database.getAll<StoredRow>(
      `select id, data from ${quoteName(`ps_data__${table}`)} where id ${after === '' ? '>=' : '>'} ? order by id limit ${count}`,
      [after],
    )
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)?.id ?? ''
    const characters = rows.reduce((sum, { data }) => sum + data.length, 0)
    count = Math.max(1, Math.min(PAGE_ROWS, Math.floor((PAGE_CHARACTERS * rows.length) / Math.max(1, characters))))
  }
}

export async function countRows(database: CommonPowerSyncDatabase, table: string): Promise<number> {
  const { rows } = await database.get<{ rows: number }>(
    `select count(*) as rows from ${quoteName(`ps_data__${table}`)}`,
  )
  return rows
}

/** Computes the checksums of a local table. */
export async function localSums(
  database: Reads,
  table: string,
  ranges: number,
  signal: AbortSignal | undefined,
): Promise<readonly RangeSum[]> {
  const sums = new RangeSums(ranges)
  for await (const rows of pages(database, table, signal)) for (const { id, data } of rows) sums.add(id, data)
  return sums.list()
}

/** Computes the digests of the rows in some ranges, by id. */
export async function localDigests(
  database: Reads,
  table: string,
  { ranges, only }: { readonly ranges: number; readonly only: readonly number[] },
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const wanted = new Set(only)
  const found = new Map<string, string>()
  for await (const rows of pages(database, table, signal)) {
    for (const { id, data } of rows) if (wanted.has(rangeOfKey(id, ranges))) found.set(id, digestRow(id, data))
  }
  return found
}

/** Returns the ids of rows with unsent changes, by table. */
export async function pendingIds(database: Reads): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await database.getAll<{ tbl: string; id: string }>(
    `select distinct data ->> 'type' as tbl, data ->> 'id' as id from ps_crud`,
  )
  const byTable = new Map<string, Set<string>>()
  for (const { tbl, id } of rows) byTable.set(tbl, (byTable.get(tbl) ?? new Set()).add(id))
  return byTable
}
