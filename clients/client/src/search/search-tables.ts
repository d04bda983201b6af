import { quoteName } from '@holdfast/protocol'
import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import type { Reads } from '../reads/batched-reads.ts'

/** A searched table and its searched columns. */
export interface SearchedTable {
  /** Name in the local database. */
  readonly table: string
  readonly columns: readonly string[]
}

/** Index state of a table. */
export interface IndexedTable {
  readonly tbl: string
  /** Indexed columns as JSON. */
  readonly columns: string
  /** Id up to which rows are indexed; empty at the start. */
  readonly after: string
  readonly done: number
}

/**
 * Index of trigrams without the texts, because searches check the rows themselves. `hf_search_rows` maps rows to index numbers, `hf_search_due` lists rows
 * changed since indexing. Plain SQLite tables, which the SDK ignores.
 */
const TABLES = [
  `create table if not exists hf_search_state (tbl text primary key, columns text not null, after text not null, done integer not null) without rowid`,
  `create table if not exists hf_search_rows (number integer primary key, tbl text not null, id text not null, unique (tbl, id))`,
  `create table if not exists hf_search_due (tbl text not null, id text not null, primary key (tbl, id)) without rowid`,
  `create virtual table if not exists hf_search using fts5(body, content='', contentless_delete=1, detail='none', tokenize='trigram')`,
]

const LISTS = ['hf_search_due', 'hf_search_rows', 'hf_search_state']
const EVENTS = ['insert', 'update', 'delete'] as const

/** Creates the index tables if missing. */
export async function createSearchTables(tx: Transaction): Promise<void> {
  for (const sql of TABLES) await tx.execute(sql)
}

/** Returns tables whose index may miss rows: not started, built on other columns, or the SDK recreated the table without the triggers. */
export async function unprepared(
  database: Pick<Transaction, 'getAll'> | Reads,
  wanted: readonly SearchedTable[],
): Promise<readonly SearchedTable[]> {
  const states = await database.getAll<IndexedTable>(
    `select * from hf_search_state where 3 = (select count(*) from sqlite_master where type = 'trigger'
        and tbl_name = 'ps_data__' || tbl and name glob 'hf_search__*')`,
  )
  const columnsOf = new Map(states.map(({ tbl, columns }) => [tbl, columns]))
  return wanted.filter(({ table, columns }) => columnsOf.get(table) !== JSON.stringify(columns))
}

/** Restarts indexing of a table and creates the triggers for changed rows. */
export async function beginTable(tx: Transaction, { table, columns }: SearchedTable): Promise<void> {
  await tx.execute(`insert into hf_search_state (tbl, columns, after, done) values (?, ?, '', 0)`, [
    table,
    JSON.stringify(columns),
  ])
  for (const event of EVENTS) {
    const row = event === 'delete' ? 'old' : 'new'
    const name = `'${table.replaceAll("'", "''")}'`
    // Not `or ignore`: within a trigger SQLite uses the conflict handling of the outer statement.
    await tx.execute(`create trigger if not exists ${triggerName(table, event)} after ${event} on ${dataTable(table)}
      begin insert into hf_search_due (tbl, id) select ${name}, ${row}.id
        where not exists (select 1 from hf_search_due where tbl = ${name} and id = ${row}.id); end`)
  }
}

/** Deletes a table's index. */
export async function forgetTable(tx: Transaction, table: string): Promise<void> {
  for (const event of EVENTS) await tx.execute(`drop trigger if exists ${triggerName(table, event)}`)
  await tx.execute(`delete from hf_search where rowid in (select number from hf_search_rows where tbl = ?)`, [table])
  for (const name of LISTS) await tx.execute(`delete from ${name} where tbl = ?`, [table])
}

/**
 * Empties the index before a database's rows are removed: it contains traces of them, and each removed row would be queued. Keeps the tables, which other tabs
 * may be querying; the next searching client rebuilds the index.
 */
export async function emptySearchIndex(database: Pick<CommonPowerSyncDatabase, 'writeTransaction'>): Promise<void> {
  await database.writeTransaction(async (tx) => {
    const made = await tx.getOptional(`select 1 from sqlite_master where name = 'hf_search_state'`)
    if (!made) return
    const triggers = await tx.getAll<{ name: string }>(
      `select name from sqlite_master where type = 'trigger' and name glob 'hf_search__*'`,
    )
    for (const { name } of triggers) await tx.execute(`drop trigger ${quoteName(name)}`)
    await tx.execute(`insert into hf_search (hf_search) values ('delete-all')`)
    for (const name of LISTS) await tx.execute(`delete from ${name}`)
  })
}

/** Table in which the SDK stores a table's rows. */
export function dataTable(table: string): string {
  return quoteName(`ps_data__${table}`)
}

function triggerName(table: string, event: string): string {
  return quoteName(`hf_search__${table}__${event}`)
}
