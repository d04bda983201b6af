import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { Field } from '../../lib/fields/field.ts'
import { isTextual } from '../../lib/fields/field-kind.ts'
import { quoteName } from '../../lib/sql.ts'

/** Below that many rows an order without an index is as fast. */
export const SORT_INDEX_ROWS_MIN = 5_000

/** Indexes for orders that people chose, per table. The oldest goes when there are more. */
export const SORT_INDEXES_MAX = 6

/** The schema's own indexes begin with `ps_data__`; the SDK leaves other names alone when it updates the schema. */
const PREFIX = 'hf_sort__'

/** Tables and fields that have been looked at since the page was loaded. */
const ensured = new Set<string>()

/**
 * Makes the index that a new order of a large table needs, once; it stays for later visits. The index is on the
 * expression that the SDK's view has for the column, so SQLite takes it for the view's queries. Without it the order is
 * only slower: a failure is told to the console and changes nothing.
 *
 * @param isForGroups - records are looked up by the value of the field, not ordered by it
 */
export async function ensureSortIndex(
  database: CommonPowerSyncDatabase,
  table: string,
  field: Field,
  isForGroups = false,
): Promise<void> {
  const sql = isForGroups ? groupIndexSql(table, field) : sortIndexSql(table, field)
  const key = `${database.database.name}/${sql}`
  if (sql === undefined || ensured.has(key)) return
  ensured.add(key)
  try {
    await database.writeTransaction(async (tx) => {
      const existing = await tx.getAll<{ readonly name: string }>(
        `select name from sqlite_master where type = 'index' and tbl_name = ? and name glob ? order by rowid`,
        [`ps_data__${table}`, `${PREFIX}*`],
      )
      if (existing.some(({ name }) => sql.includes(quoteName(name)))) return
      for (const { name } of existing.slice(0, Math.max(0, existing.length - SORT_INDEXES_MAX + 1))) {
        await tx.execute(`drop index ${quoteName(name)}`)
      }
      await tx.execute(sql)
    })
  } catch (error) {
    console.warn(`The order by ${field.name} has no index.`, error)
  }
}

/** `undefined` for orders that no index on one column serves: links by title, choices by their order, text numbers. */
export function sortIndexSql(table: string, field: Field): string | undefined {
  const { kind, column, link } = field
  const isPlain = kind !== 'choice' && kind !== 'binary' && link === undefined
  const isTextNumber = kind === 'number' && column.local === 'text'
  if (!isPlain || isTextNumber || column.name === 'id') return undefined
  const collation = isTextual(kind) ? ' collate nocase' : ''
  return indexSql(indexName(table, field), table, `${valueSql(field)}${collation}`)
}

/** An index that groups by this field are counted and read by; links and choices have one, too. */
export function groupIndexSql(table: string, field: Field): string {
  return indexSql(`${indexName(table, field)}__group`, table, valueSql(field))
}

function indexSql(name: string, table: string, value: string): string {
  return `create index if not exists ${quoteName(name)} on ${quoteName(`ps_data__${table}`)} (${value}, id)`
}

/** A column as the SDK's view has it. */
function valueSql({ column }: Field): string {
  const path = `$.${column.name}`.replaceAll("'", "''")
  return `CAST(json_extract(data, '${path}') as ${column.local.toUpperCase()})`
}

function indexName(table: string, field: Field): string {
  return `${PREFIX}${table}__${field.name}`
}
