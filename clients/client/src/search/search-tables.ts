import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import type { Reads } from '../reads/batched-reads.ts'
import { quoteName } from '../quote-name.ts'

/** A table whose rows are found by words, and the columns that the words are looked for in. */
export interface SearchedTable {
  /** Its name in the local database. */
  readonly table: string
  readonly columns: readonly string[]
}

/** How far the index of a table is. */
export interface IndexedTable {
  readonly tbl: string
  /** The columns that are indexed, as JSON. */
  readonly columns: string
  /** The id up to which rows have been taken in; empty before the first. */
  readonly after: string
  readonly done: number
}

/**
 * The trigrams of all searched texts, without the texts: who searches compares the rows themselves with the word. `hf_search_rows` gives a row its number in the
 * index, `hf_search_due` has the rows that changed since they were taken in. Tables of plain SQLite, which the SDK leaves alone.
 */
const TABLES = [
  `create table if not exists hf_search_state (tbl text primary key, columns text not null, after text not null, done integer not null) without rowid`,
  `create table if not exists hf_search_rows (number integer primary key, tbl text not null, id text not null, unique (tbl, id))`,
  `create table if not exists hf_search_due (tbl text not null, id text not null, primary key (tbl, id)) without rowid`,
  `create virtual table if not exists hf_search using fts5(body, content='', contentless_delete=1, detail='none', tokenize='trigram')`,
]

const LISTS = ['hf_search_due', 'hf_search_rows', 'hf_search_state']
const EVENTS = ['insert', 'update', 'delete'] as const

/** Makes the tables of the index where there are none. */
export async function createSearchTables(tx: Transaction): Promise<void> {
  for (const sql of TABLES) await tx.execute(sql)
}

/** Those of the tables whose index may miss rows: it was never begun, is on other columns, or the SDK made the table again without our triggers. */
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

/** All rows of the table are to be taken in, and from now on changed ones are due. */
export async function beginTable(tx: Transaction, { table, columns }: SearchedTable): Promise<void> {
  await tx.execute(`insert into hf_search_state (tbl, columns, after, done) values (?, ?, '', 0)`, [
    table,
    JSON.stringify(columns),
  ])
  for (const event of EVENTS) {
    const row = event === 'delete' ? 'old' : 'new'
    const name = `'${table.replaceAll("'", "''")}'`
    // Not `or ignore`: within a trigger SQLite takes the conflict handling of the statement that fired it.
    await tx.execute(`create trigger if not exists ${triggerName(table, event)} after ${event} on ${dataTable(table)}
      begin insert into hf_search_due (tbl, id) select ${name}, ${row}.id
        where not exists (select 1 from hf_search_due where tbl = ${name} and id = ${row}.id); end`)
  }
}

/** Forgets everything that the index has of a table. */
export async function forgetTable(tx: Transaction, table: string): Promise<void> {
  for (const event of EVENTS) await tx.execute(`drop trigger if exists ${triggerName(table, event)}`)
  await tx.execute(`delete from hf_search where rowid in (select number from hf_search_rows where tbl = ?)`, [table])
  for (const name of LISTS) await tx.execute(`delete from ${name} where tbl = ?`, [table])
}

/**
 * Empties the whole index, before the rows of a database are removed: it has traces of them, and each removed row would become due. The tables stay, for other tabs
 * may be asking them; what is searched is taken in again by whoever opens the database with search.
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

/** Where the SDK keeps the rows of a table. */
export function dataTable(table: string): string {
  return quoteName(`ps_data__${table}`)
}

function triggerName(table: string, event: string): string {
  return quoteName(`hf_search__${table}__${event}`)
}
