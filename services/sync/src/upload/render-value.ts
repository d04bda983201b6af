import type { WritableColumn } from './writable-tables.ts'

/** A value as the local database holds it. */
export type SqliteValue = string | number | null

/**
 * The text that Postgres reads as a value of the column. The parameter itself has no type, so Postgres takes the column's: lengths and
 * domains are checked as for any INSERT, and never cut silently as an explicit cast would.
 */
export function renderValue(value: SqliteValue, column: WritableColumn): string | null {
  if (value === null) return null
  if (column.category === 'A' && typeof value === 'string') return renderArray(value, column.elementIsJson)
  return String(value)
}

/** Arrays reach the device as JSON. Whatever is not a JSON array goes on as it is, for Postgres to judge. */
function renderArray(text: string, elementIsJson: boolean): string {
  if (!text.trimStart().startsWith('[')) return text
  let elements: unknown
  try {
    elements = JSON.parse(text)
  } catch {
    return text // not JSON: `[0:1]={a,b}` is Postgres's own form with bounds
  }
  return Array.isArray(elements) ? renderElements(elements, elementIsJson) : text
}

function renderElements(elements: readonly unknown[], elementIsJson: boolean): string {
  const rendered = elements.map((element) => {
    if (element === null) return 'NULL'
    if (Array.isArray(element) && !elementIsJson) return renderElements(element, elementIsJson)
    const text = typeof element === 'string' ? element : JSON.stringify(element)
    return `"${text.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`
  })
  return `{${rendered.join(',')}}`
}
