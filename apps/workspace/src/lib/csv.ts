/**
 * A table as CSV with a byte order mark, so that spreadsheets read it as UTF-8.
 *
 * A text that a spreadsheet would run as a formula gets an apostrophe before it.
 */
export function renderCsv(rows: readonly (readonly string[])[]): string {
  return `\uFEFF${rows.map((row) => row.map(renderCell).join(',')).join('\r\n')}\r\n`
}

function renderCell(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+([.,]\d+)?$/.test(text)
  const safe = isFormula ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
