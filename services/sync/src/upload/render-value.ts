import { renderLiteral } from './render-literal.ts'
import type { WritableColumn } from './writable-tables.ts'

/** A value as the local database holds it. */
export type SqliteValue = string | number | null

/**
 * The text that Postgres reads as a value of the column. The parameter itself has no type, so Postgres takes the column's: lengths and
 * domains are checked as for any INSERT, and never cut silently as an explicit cast would.
 */
export function renderValue(value: SqliteValue, column: WritableColumn): string | null {
  if (value === null) return null
  if (column.shape.kind !== 'scalar' && typeof value === 'string') return renderLiteral(value, column.shape)
  return String(value)
}
