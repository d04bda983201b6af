import { runAs, sql, type Pool, type SqlFragment } from '@holdfast/postgres'
import type { ColumnDescriptor, TableDescriptor } from '@holdfast/protocol'

/** A row in a form in which Postgres's and the device's can be compared: no difference that is only one of writing. */
export type ComparableRow = Readonly<Record<string, string | number | null>>

/**
 * What Postgres lets a person select of a table, in the device's terms. Written without the sync service's encoder, so that the two can disagree.
 *
 * @param pool - as the superuser or `authenticator`
 * @returns rows by id
 */
export async function visibleRows(
  pool: Pool,
  claims: Readonly<Record<string, unknown>>,
  table: TableDescriptor,
): Promise<ReadonlyMap<string, ComparableRow>> {
  const columns = table.columns.map((column) => sql`${renderColumn(column)} as ${sql.identifier(column.name)}`)
  const role = typeof claims['role'] === 'string' ? claims['role'] : 'anon'
  const rows = await runAs(pool, { role, claims }, (tx) =>
    tx.query<{ row: Record<string, unknown> }>(sql`
      select to_jsonb(visible) as row
        from (select ${sql.join(columns)} from ${sql.identifier(table.schema, table.table)}) visible
    `),
  )
  return byId(rows.map(({ row }) => comparable(row, table)))
}

/** The same form for a row of the local database. */
export function comparable(row: Readonly<Record<string, unknown>>, table: TableDescriptor): ComparableRow {
  return Object.fromEntries(table.columns.map((column) => [column.name, comparableValue(row[column.name], column)]))
}

export function byId(rows: readonly ComparableRow[]): ReadonlyMap<string, ComparableRow> {
  return new Map(rows.map((row) => [String(row['id']), row]))
}

function comparableValue(value: unknown, column: ColumnDescriptor): string | number | null {
  if (value === null || value === undefined) return null
  if (column.type.endsWith('[]')) return JSON.stringify(asTexts(typeof value === 'string' ? JSON.parse(value) : value))
  return column.local === 'text' ? String(value) : Number(value)
}

/** Arrays differ in how their elements are written: numbers or texts, true or 1. */
function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTexts)
  if (value === null) return null
  if (typeof value === 'boolean') return value ? '1' : '0'
  return String(value)
}

function renderColumn(column: ColumnDescriptor): SqlFragment {
  const name = sql.identifier(column.name)
  if (column.type.endsWith('[]')) return sql`to_jsonb(${name})`
  if (column.type === 'boolean') return sql`${name}::integer`
  if (column.local !== 'text') return name
  if (/^timestamp(\(\d\))? with time zone$/.test(column.type)) {
    return sql`to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  }
  if (/^timestamp(\(\d\))? without time zone$/.test(column.type))
    return sql`to_char(${name}, 'YYYY-MM-DD"T"HH24:MI:SS.US')`
  if (/^time(\(\d\))? without time zone$/.test(column.type)) return sql`to_char(${name}, 'HH24:MI:SS.US')`
  return sql`${name}::text`
}
