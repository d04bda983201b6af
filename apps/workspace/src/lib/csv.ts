/** What spreadsheets take for the beginning of a formula; their fullwidth forms too. */
const FORMULA = /^'*[=+\-@＝＋－＠\t\r\n]/
const NUMBER = /^[+-]?\d+([.,]\d+)?$/

/**
 * A table as CSV with a byte order mark, so that spreadsheets read it as UTF-8.
 *
 * A text that a spreadsheet would run as a formula gets an apostrophe before it.
 */
export function renderCsv(rows: readonly (readonly string[])[]): string {
  return `\uFEFF${renderCsvRows(rows)}`
}

/** Some rows of a CSV that has begun. */
export function renderCsvRows(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(renderCell).join(',')}\r\n`).join('')
}

/** The text of a cell before {@link renderCsv} made it safe. */
export function withoutApostrophe(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}

function renderCell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
