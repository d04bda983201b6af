import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { Field } from '../../lib/fields/field.ts'
import { isTextual } from '../../lib/fields/field-kind.ts'
import { quoteName } from '../../lib/sql.ts'

/** Minimum number of rows: sorting smaller tables is as fast without an index. */
export const SORT_INDEX_ROWS_MIN = 5_000

/** Limit of sort indexes per table; the oldest is dropped first. */
export const SORT_INDEXES_MAX = 6

/** Distinct from `ps_data__`, the prefix of the schema's own indexes: the SDK leaves other names alone when it updates the schema. */
const PREFIX = 'hf_sort__'

/** Tables and fields handled since the page was loaded. */
const ensured = new Set<string>()

/**
 * Creates the index for a new sort order of a large table, once; it persists. The index is on the expression that the SDK's view uses for the column, so SQLite
 * applies it to the view's queries. Failures are only logged, because the order works without the index, just slower.
 *
 * @param isForGroups - records are looked up by the field's value instead of sorted by it
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

/** Returns `undefined` for orders that no single-column index supports: links by title, choices by their order, text numbers, computed fields. */
export function sortIndexSql(table: string, field: Field): string | undefined {
  const { kind, column, link, computed } = field
  const isPlain = computed === undefined && kind !== 'choice' && kind !== 'binary' && link === undefined
  const isTextNumber = kind === 'number' && column.local === 'text'
  if (!isPlain || isTextNumber || column.name === 'id') return undefined
  const collation = isTextual(kind) ? ' collate nocase' : ''
  return indexSql(indexName(table, field), table, `${valueSql(field)}${collation}`)
}

/** Returns an index for counting and reading groups by this field. Supports links and choices, too. */
export function groupIndexSql(table: string, field: Field): string | undefined {
  if (field.computed) return undefined
  return indexSql(`${indexName(table, field)}__group`, table, valueSql(field))
}

function indexSql(name: string, table: string, value: string): string {
  return `create index if not exists ${quoteName(name)} on ${quoteName(`ps_data__${table}`)} (${value}, id)`
}

/** Returns a column's expression in the SDK's view. */
function valueSql({ column }: Field): string {
  const path = `$.${column.name}`.replaceAll("'", "''")
  return `CAST(json_extract(data, '${path}') as ${column.local.toUpperCase()})`
}

function indexName(table: string, field: Field): string {
  return `${PREFIX}${table}__${field.name}`
}
