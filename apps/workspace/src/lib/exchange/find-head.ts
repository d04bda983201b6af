import type { FileRow, Head } from './opened-file.ts'

/** A range of merged cells; rows as in spreadsheets, columns from 0, both ends included. */
export interface Merge {
  readonly fromRow: number
  readonly toRow: number
  readonly fromColumn: number
  readonly toColumn: number
}

/** The head lies in this many non-empty rows. */
const HEAD_ROWS = 20
/** Share of the usual number of cells that a head has. */
const HEAD_SHARE = 0.6

/**
 * Proposes the rows that name the columns: the first row with about as many cells as the rows below it. Titles and notes above have fewer. A second row belongs
 * to the head if it names the parts of merged or wide cells.
 */
export function findHead(top: readonly FileRow[], merges: readonly Merge[]): Head {
  const width = usualCount(top)
  const rows = top.slice(0, HEAD_ROWS)
  const isWide = (row: FileRow): boolean => countFilled(row) >= Math.max(1, Math.ceil(width * HEAD_SHARE))
  const at = Math.max(
    0,
    rows.findIndex((row) => isWide(row) && (countNames(row) > 0 || row === rows[0])),
  )
  const [before, first, second, ...below] = [rows[at - 1], rows[at], rows[at + 1], ...rows.slice(at + 2)]
  if (!first) return { row: 0, lines: 0 }
  if (second && below.length > 0 && isSecondLine(first, second, below, merges)) return { row: first.row, lines: 2 }
  if (before && countFilled(before) > 1 && isSecondLine(before, first, top.slice(at + 1), merges))
    return { row: before.row, lines: 2 }
  return { row: first.row, lines: 1 }
}

/** Joins the lines of a head. A wide cell names all of its columns: `Contact` above `Name` and `Phone` gives `Contact Name`. */
export function headerOf(lines: readonly FileRow[], merges: readonly Merge[], width: number): readonly string[] {
  const [first, second] = lines
  return Array.from({ length: width }, (_, column) => {
    const lower = textAt(second, column)
    const upper = !first ? '' : second && lower !== '' ? groupAt(first, second, column, merges) : textAt(first, column)
    return upper === lower ? upper : [upper, lower].filter((text) => text !== '').join(' ')
  })
}

/** Whether a row continues the head: text in every cell, under cells that are merged or where the first line has gaps. */
function isSecondLine(first: FileRow, second: FileRow, below: readonly FileRow[], merges: readonly Merge[]): boolean {
  if (second.row !== first.row + 1 || !isText(first) || !isText(second) || countFilled(second) === 0) return false
  const isMerged = merges.some(
    ({ fromRow, toRow, fromColumn, toColumn }) =>
      fromRow === first.row && (toRow === second.row || (toRow === first.row && toColumn > fromColumn)),
  )
  const gaps = second.cells.flatMap((_, column) =>
    textAt(second, column) !== '' && textAt(first, column) === '' ? [column] : [],
  )
  const isComplete = usualCount([...below]) <= countColumns(first, second)
  if (isMerged && (gaps.length > 0 || countFilled(second) >= 2)) return isComplete
  // Without merged cells, only a cell that is followed by a gap spans several columns, and each of these has a name.
  return (
    merges.length === 0 &&
    isComplete &&
    gaps.length > 0 &&
    gaps.every((column) => groupAt(first, second, column, []) !== '') &&
    countFilled(first) < countColumns(first, second)
  )
}

/** Returns the first line's text that stands above a column of the second. */
function groupAt(first: FileRow, second: FileRow, column: number, merges: readonly Merge[]): string {
  const merge = merges.find(
    (one) => one.fromRow === first.row && one.fromColumn <= column && one.toColumn >= column && one.toColumn > 0,
  )
  if (merge) return textAt(first, merge.fromColumn)
  if (merges.length > 0) return textAt(first, column)
  let from = column
  while (from > 0 && textAt(first, from) === '' && textAt(second, from) !== '') from -= 1
  return textAt(second, from) === '' ? '' : textAt(first, from)
}

function countColumns(first: FileRow, second: FileRow): number {
  const width = Math.max(first.cells.length, second.cells.length)
  return Array.from({ length: width }, (_, at) => textAt(first, at) + textAt(second, at)).filter((text) => text !== '')
    .length
}

function usualCount(rows: readonly FileRow[]): number {
  const counts = Map.groupBy(rows.map(countFilled), (count) => count)
  const [most] = [...counts].toSorted(([a, same], [b, others]) => others.length - same.length || b - a)
  // Rows may have gaps: among few rows the widest says more than the commonest.
  return rows.length < 4 ? Math.max(0, ...counts.keys()) : (most?.[0] ?? 0)
}

function countFilled({ cells }: FileRow): number {
  return cells.filter((cell) => cell.trim() !== '').length
}

/** Counts the cells with letters, which are more likely names than values. */
function countNames({ cells }: FileRow): number {
  return cells.filter((cell) => /\p{L}/u.test(cell)).length
}

function isText({ cells }: FileRow): boolean {
  return cells.every((cell) => cell.trim() === '' || (/\p{L}/u.test(cell) && !/^\d{4}-\d\d-\d\dT/.test(cell)))
}

function textAt(row: FileRow | undefined, column: number): string {
  return (row?.cells[column] ?? '').replace(/\s+/g, ' ').trim()
}
