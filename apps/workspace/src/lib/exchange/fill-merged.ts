import type { Merge } from './find-head.ts'
import type { FileRow } from './opened-file.ts'

/**
 * Gives each row of vertically merged cells their value, as the spreadsheet shows it. Rows that are empty otherwise stay empty, and so do the other columns of a range.
 *
 * @param merges - below the head, in the order of their rows
 * @param onFilled - called for each filled cell
 */
export async function* fillMerged(
  rows: AsyncIterable<FileRow>,
  merges: readonly Merge[],
  onFilled: () => void,
): AsyncGenerator<FileRow> {
  let next = 0
  let open: {
    readonly merge: Merge
    readonly value: string
    readonly isFraction: boolean
    readonly isText: boolean
  }[] = []
  for await (const row of rows) {
    for (; merges[next] && (merges[next]?.fromRow ?? 0) < row.row; next += 1); // its first row has no cells
    open = open.filter(({ merge }) => merge.toRow >= row.row)
    const filled = open.length > 0 && row.cells.some((cell) => cell.trim() !== '') ? fill(row, open, onFilled) : row
    for (let merge = merges[next]; merge?.fromRow === row.row; merge = merges[next]) {
      next += 1
      const { fromColumn } = merge
      const value = row.cells[fromColumn] ?? ''
      if (value.trim() === '') continue
      open.push({
        merge,
        value,
        isFraction: row.fractions?.includes(fromColumn) === true,
        isText: row.texts?.includes(fromColumn) === true,
      })
    }
    yield filled
  }
}

function fill(
  row: FileRow,
  open: readonly { merge: Merge; value: string; isFraction: boolean; isText: boolean }[],
  onFilled: () => void,
): FileRow {
  const cells = [...row.cells]
  const fractions = [...(row.fractions ?? [])]
  const texts = [...(row.texts ?? [])]
  for (const { merge, value, isFraction, isText } of open) {
    const at = merge.fromColumn
    if ((cells[at] ?? '').trim() !== '') continue
    while (cells.length < at) cells.push('')
    cells[at] = value
    if (isFraction) fractions.push(at)
    if (isText) texts.push(at)
    onFilled()
  }
  return { row: row.row, cells, ...(fractions.length > 0 && { fractions }), ...(texts.length > 0 && { texts }) }
}
