import { fillMerged } from './fill-merged.ts'
import { findHead, headerOf, type Merge } from './find-head.ts'
import { CELLS_MAX, COLUMNS_MAX, ROWS_MAX } from './file-limits.ts'
import { FileProblem, type FileRow, type Head, type OpenedFile } from './opened-file.ts'

/** Rows among which the head is looked for. */
const TOP_ROWS = 60
/** Rows that are offered as head. */
const OFFERED_ROWS = 12
/** Share of the first rows with a cell in a column without a name that makes it a column. */
const COLUMN_SHARE = 0.5
/** Errors of formulas as spreadsheets write them, in English and German. */
const ERROR = /^#(?:N\/A|DIV\/0!|REF!|VALUE!|NAME\?|NUM!|NULL!|SPILL!|CALC!|NV|BEZUG!|WERT!|ZAHL!)$/

export interface TakenHead extends Pick<OpenedFile, 'head' | 'top' | 'header' | 'rows'> {
  /** Complete after reading the rows. */
  readonly counts: { readonly errors: number; readonly mergedCells: number }
}

/** Splits rows into the chosen or proposed head and the non-empty rows below it. */
export async function takeHead(
  all: AsyncIterable<FileRow>,
  {
    head: chosen,
    merges,
    tall = [],
  }: {
    readonly head: Head | undefined
    readonly merges: readonly Merge[]
    /** Cells merged over several rows, in the order of their rows. */
    readonly tall?: readonly Merge[]
  },
): Promise<TakenHead> {
  const counts = { errors: 0, mergedCells: 0 }
  const rows = filledRows(all, counts)
  const top: FileRow[] = []
  while (top.length < TOP_ROWS) {
    const { value, done } = await rows.next()
    if (done === true) break
    top.push(value)
  }
  if (top.length === 0) throw new FileProblem('empty')
  const head = chosen ?? findHead(top, merges)
  const lines = top.filter(({ row }) => row >= head.row && row < head.row + head.lines)
  const from = head.lines === 0 ? 0 : head.row + head.lines
  const width = widthOf(
    lines,
    top.filter(({ row }) => row >= from),
  )
  if (width > COLUMNS_MAX) throw new FileProblem('too_many_columns')
  const below = tall.filter(({ fromRow }) => fromRow >= from)
  const checked = checkRows(top, rows, from)
  return {
    head,
    top: top.slice(0, OFFERED_ROWS),
    header: headerOf(lines, merges, width),
    rows: below.length === 0 ? checked : fillMerged(checked, below, () => void (counts.mergedCells += 1)),
    counts,
  }
}

/** Returns the number of named columns, and of those beside them that most rows fill. */
function widthOf(lines: readonly FileRow[], rows: readonly FileRow[]): number {
  const named = Math.max(0, ...lines.map(({ cells }) => cells.length))
  let width = named
  const filled = (column: number): number => rows.filter(({ cells }) => (cells[column] ?? '').trim() !== '').length
  const last = Math.min(COLUMNS_MAX, Math.max(0, ...rows.map(({ cells }) => cells.length)))
  for (let column = named; column < last; column += 1) {
    if (named === 0 || filled(column) > rows.length * COLUMN_SHARE) width = column + 1
  }
  return width
}

/** Skips empty rows, drops empty cells at the end of rows and clears errors of formulas. */
async function* filledRows(
  all: AsyncIterable<FileRow>,
  counts: { errors: number },
): AsyncGenerator<FileRow, undefined> {
  for await (const row of all) {
    const cells = row.cells.some((cell) => ERROR.test(cell)) ? row.cells.map((cell) => clear(cell, counts)) : row.cells
    const last = cells.findLastIndex((cell) => cell.trim() !== '')
    if (last !== -1) yield { ...row, cells: last + 1 === cells.length ? cells : cells.slice(0, last + 1) }
  }
  return undefined
}

function clear(cell: string, counts: { errors: number }): string {
  if (!ERROR.test(cell)) return cell
  counts.errors += 1
  return ''
}

async function* checkRows(
  top: readonly FileRow[],
  others: AsyncIterable<FileRow>,
  from: number,
): AsyncGenerator<FileRow> {
  let count = 0
  let sum = 0
  const check = (row: FileRow): FileRow => {
    count += 1
    sum += row.cells.length
    if (count > ROWS_MAX) throw new FileProblem('too_many_rows')
    if (sum > CELLS_MAX) throw new FileProblem('too_many_cells')
    return row
  }
  for (const row of top) if (row.row >= from) yield check(row)
  for await (const row of others) yield check(row)
}
