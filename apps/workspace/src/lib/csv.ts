import { guardFormulas } from './spreadsheet-text.ts'

/** Renders a table as CSV with byte order mark, so that spreadsheets read UTF-8. Neutralizes formulas ({@link guardFormulas}). */
export function renderCsv(rows: readonly (readonly string[])[]): string {
  return `\uFEFF${renderCsvRows(rows)}`
}

/** Renders further rows of a CSV. */
export function renderCsvRows(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(renderCell).join(',')}\r\n`).join('')
}

function renderCell(text: string): string {
  const safe = guardFormulas(text)
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
