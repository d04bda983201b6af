/** Renders a table for spreadsheets: tab-separated cells, line breaks between rows, quotes where needed. */
export function renderTsv(rows: readonly (readonly string[])[]): string {
  // An empty last row would be read as a trailing line break.
  return rows.map((cells) => (cells.length === 1 && cells[0] === '' ? '""' : cells.map(quote).join('\t'))).join('\n')
}

function quote(cell: string): string {
  return /["\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** Parses spreadsheet clipboard text. A trailing line break belongs to the last row. */
export function parseTsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  const end = text.replace(/\r?\n$/, '').length
  for (;;) {
    const { cell, next } = readCell(text, at, end)
    row.push(cell)
    if (next >= end) break
    if (text[next] === '\t') {
      at = next + 1
    } else {
      rows.push(row)
      row = []
      at = next + (text[next] === '\r' && text[next + 1] === '\n' ? 2 : 1)
    }
    if (at > end) break
  }
  rows.push(row)
  return rows
}

/** Reads a cell. A leading quote continues to the closing one; other quotes are literal. */
function readCell(text: string, from: number, end: number): { readonly cell: string; readonly next: number } {
  if (text[from] === '"') {
    let cell = ''
    let at = from + 1
    while (at < end) {
      if (text[at] !== '"') cell += text[at++] ?? ''
      else if (text[at + 1] === '"' && at + 1 < end) {
        cell += '"'
        at += 2
      } else break
    }
    const after = text[at + 1]
    const isClosed = text[at] === '"' && at < end
    if (isClosed && (at + 1 >= end || after === '\t' || after === '\n' || after === '\r')) return { cell, next: at + 1 }
  }
  let next = from
  while (next < end && text[next] !== '\t' && text[next] !== '\n' && text[next] !== '\r') next++
  return { cell: text.slice(from, next), next }
}
