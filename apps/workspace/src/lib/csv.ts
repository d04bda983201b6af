import { guardFormulas } from './spreadsheet-text.ts'

/** A table as CSV with a byte order mark, so that spreadsheets read it as UTF-8. No cell is run as a formula ({@link guardFormulas}). */
export function renderCsv(rows: readonly (readonly string[])[]): string {
  return `\uFEFF${renderCsvRows(rows)}`
}

/** Some rows of a CSV that has begun. */
export function renderCsvRows(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(renderCell).join(',')}\r\n`).join('')
}

function renderCell(text: string): string {
  const safe = guardFormulas(text)
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
