import { withoutGuards } from '../spreadsheet-text.ts'
import { decodeText, detectEncoding } from './decode-text.ts'
import { type Delimiter, DELIMITERS, type FileRow, type OpenedFile, type ReadAs } from './opened-file.ts'
import { takeHead } from './take-head.ts'

/** Sample for detecting the delimiter: characters and rows. */
const SAMPLE = 64 * 1024
const SAMPLE_ROWS = 50

/** Opens a CSV or other delimited text. */
export async function openText(bytes: Uint8Array, readAs: ReadAs): Promise<OpenedFile> {
  const { streamCsvRows } = await import('hucre/csv')
  const encoding = readAs.encoding ?? detectEncoding(bytes)
  const text = decodeText(bytes, encoding)
  // Excel's first line declaring the separator.
  const [stated = '', statedDelimiter] = /^sep=([,;\t|])(?:\r\n|\r|\n)/i.exec(text.slice(0, 8)) ?? []
  const content = text.slice(stated.length)
  const told = DELIMITERS.find((one) => one === statedDelimiter)
  const delimiter = readAs.delimiter ?? told ?? detectDelimiter(content, streamCsvRows)
  let hasOpenQuote = false
  let brokenRow: number | undefined
  async function* rows(): AsyncGenerator<FileRow> {
    let row = stated === '' ? 0 : 1
    let last: readonly string[] = []
    for (const values of streamCsvRows(content, { delimiter })) {
      row += 1
      last = values.map((value) => withoutGuards(String(value ?? '')))
      if (brokenRow === undefined && last.some((cell) => cell.includes('\uFFFD'))) brokenRow = row
      yield { row, cells: last }
    }
    hasOpenQuote = /[\r\n]/.test(last.at(-1) ?? '') && countQuotes(content) % 2 === 1
  }
  const { counts, ...taken } = await takeHead(rows(), { head: readAs.head, merges: [] })
  return {
    ...taken,
    text: { encoding, delimiter },
    sheets: undefined,
    get notes() {
      return { ...counts, hasOpenQuote, brokenRow, unsaved: 0, mergedCells: 0, hiddenRows: 0, hiddenColumns: 0 }
    },
  }
}

interface Split {
  readonly delimiter: Delimiter
  /** The usual number of cells in a row, and the share of rows with it. */
  readonly width: number
  readonly share: number
}

/**
 * Chooses the delimiter that splits most rows into equally many cells. Title rows may have fewer. A comma gives way to others that split alike, because decimal
 * commas split each cell in two at most.
 */
function detectDelimiter(content: string, streamCsvRows: typeof import('hucre/csv').streamCsvRows): Delimiter {
  const splits = DELIMITERS.flatMap((delimiter): readonly Split[] => {
    const options = { delimiter, skipEmptyRows: true, maxRows: SAMPLE_ROWS }
    const widths = Array.from(streamCsvRows(content.slice(0, SAMPLE), options), ({ length }) => length)
    const counts = Map.groupBy(widths, (width) => width)
    const [usual] = [...counts].filter(([width]) => width > 1).toSorted(([, a], [, b]) => b.length - a.length)
    return usual ? [{ delimiter, width: usual[0], share: usual[1].length / widths.length }] : []
  })
  const isBetter = (one: Split, other: Split): boolean => {
    if (other.delimiter === ',' && one.share >= other.share * 0.9) return other.width <= one.width * 2
    if (one.delimiter === ',' && other.share >= one.share * 0.9) return one.width > other.width * 2
    return one.share > other.share || (one.share === other.share && one.width > other.width)
  }
  const [first, ...others] = splits
  if (!first) return ','
  return others.reduce((best, one) => (isBetter(one, best) ? one : best), first).delimiter
}

function countQuotes(text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count += 1
  return count
}
