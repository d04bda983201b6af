import { quoteName } from '@holdfast/protocol'
import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import { batchedReads } from '../reads/batched-reads.ts'
import {
  beginTable,
  createSearchTables,
  dataTable,
  forgetTable,
  type IndexedTable,
  type SearchedTable,
  unprepared,
} from './search-tables.ts'

/** Rows per step. One step holds SQLite's single writer for about 20 ms on a phone. */
const STEP_ROWS = 250

/** Progress of the first pass. */
export interface Progress {
  readonly taken: number
  readonly rows: number
}

/** Adapts the index to the searched tables: drops others and restarts incomplete ones. */
export async function prepareIndex(database: CommonPowerSyncDatabase, wanted: readonly SearchedTable[]): Promise<void> {
  await database.writeTransaction(async (tx) => {
    await createSearchTables(tx)
    const names = new Set(wanted.map(({ table }) => table))
    const known = await tx.getAll<IndexedTable>(`select * from hf_search_state`)
    for (const { tbl } of known) if (!names.has(tbl)) await forgetTable(tx, tbl)
    for (const searched of await unprepared(tx, wanted)) {
      await forgetTable(tx, searched.table)
      await beginTable(tx, searched)
    }
  })
}

/** Returns whether the index matches the searched tables and is complete. Read-only, so startup need not wait for a writer. */
export async function readIndexState(
  database: CommonPowerSyncDatabase,
  wanted: readonly SearchedTable[],
): Promise<{ readonly isPrepared: boolean; readonly isWhole: boolean }> {
  const reads = batchedReads(database)
  const [made] = await reads.getAll(`select 1 from sqlite_master where name = 'hf_search_state'`)
  if (!made) return { isPrepared: false, isWhole: false }
  const [known, due, missing] = await Promise.all([
    reads.getAll<IndexedTable>(`select * from hf_search_state`),
    reads.getAll(`select 1 from hf_search_due limit 1`),
    unprepared(reads, wanted),
  ])
  const names = new Set(wanted.map(({ table }) => table))
  return {
    isPrepared: known.every(({ tbl }) => names.has(tbl)) && missing.length === 0,
    isWhole: due.length === 0 && known.every(({ done }) => done === 1),
  }
}

/** Indexes the next new or changed rows. @returns whether there may be more */
export async function indexRows(database: CommonPowerSyncDatabase, wanted: readonly SearchedTable[]): Promise<boolean> {
  return database.writeTransaction(async (tx) => {
    for (const searched of wanted) {
      if (await takeInDue(tx, searched)) return true
    }
    for (const searched of wanted) {
      if (await takeInFirst(tx, searched)) return true
    }
    return false
  })
}

/** @returns the progress of the first pass over all tables */
export async function readProgress(
  database: CommonPowerSyncDatabase,
  wanted: readonly SearchedTable[],
): Promise<Progress> {
  const parts = wanted.map(
    ({ table }) =>
      `select (select count(*) from ${dataTable(table)}) as "rows", (select count(*) from hf_search_rows where tbl = '${table.replaceAll("'", "''")}') as taken`,
  )
  const [sum] =
    parts.length === 0
      ? []
      : await database.getAll<Progress>(
          `select sum("rows") as "rows", sum(taken) as taken from (${parts.join(' union all ')})`,
        )
  return { rows: sum?.rows ?? 0, taken: sum?.taken ?? 0 }
}

async function takeInDue(tx: Transaction, searched: SearchedTable): Promise<boolean> {
  const due = await tx.getAll<{ id: string }>(`select id from hf_search_due where tbl = ? limit ${STEP_ROWS}`, [
    searched.table,
  ])
  if (due.length === 0) return false
  const ids = due.map(({ id }) => id)
  await takeIn(tx, searched, ids)
  await tx.execute(`delete from hf_search_due where tbl = ? and id in (select value from json_each(?))`, [
    searched.table,
    JSON.stringify(ids),
  ])
  return true
}

async function takeInFirst(tx: Transaction, searched: SearchedTable): Promise<boolean> {
  const state = await tx.getOptional<IndexedTable>(`select * from hf_search_state where tbl = ?`, [searched.table])
  if (!state || state.done !== 0) return false
  const next = await tx.getAll<{ id: string }>(
    `select id from ${dataTable(searched.table)} where id > ? order by id limit ${STEP_ROWS}`,
    [state.after],
  )
  const ids = next.map(({ id }) => id)
  if (ids.length > 0) await takeIn(tx, searched, ids)
  await tx.execute(`update hf_search_state set after = ?, done = ? where tbl = ?`, [
    ids.at(-1) ?? state.after,
    ids.length < STEP_ROWS ? 1 : 0,
    searched.table,
  ])
  return true
}

/** Updates the index entries of rows; removes deleted ones. */
async function takeIn(tx: Transaction, { table, columns }: SearchedTable, ids: readonly string[]): Promise<void> {
  const list = JSON.stringify(ids)
  const body = columns.map((column) => `coalesce(t.${quoteName(column)}, '')`).join(` || char(10) || `)
  await tx.execute(
    `delete from hf_search where rowid in (select number from hf_search_rows where tbl = ? and id in (select value from json_each(?)))`,
    [table, list],
  )
  await tx.execute(
    `delete from hf_search_rows where tbl = ? and id in (select value from json_each(?) where value not in (select id from ${dataTable(table)}))`,
    [table, list],
  )
  await tx.execute(
    `insert or ignore into hf_search_rows (tbl, id) select ?, id from ${dataTable(table)} where id in (select value from json_each(?))`,
    [table, list],
  )
  await tx.execute(
    `insert into hf_search (rowid, body) select r.number, ${body === '' ? "''" : body} from hf_search_rows r cross join ${quoteName(table)} t on t.id = r.id
      where r.tbl = ? and r.id in (select value from json_each(?))`,
    [table, list],
  )
}
