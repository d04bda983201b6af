import type { CellValue } from 'hucre'
import { withoutGuards } from '../spreadsheet-text.ts'
import { decodeText, detectEncoding, type Encoding } from './decode-text.ts'
import { CELLS_MAX, COLUMNS_MAX, FILE_BYTES_MAX, ROWS_MAX, UNPACKED_BYTES_MAX } from './file-limits.ts'
import { readUnpackedSize } from './read-zip-sizes.ts'

export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

export type FileProblemCode =
  | 'too_large'
  | 'too_many_rows'
  | 'too_many_columns'
  | 'too_many_cells'
  | 'unpacks_too_large'
  | 'old_excel'
  | 'broken_xlsx'
  | 'empty'

/** Why a file cannot be read. */
export class FileProblem extends Error {
  readonly code: FileProblemCode
  constructor(code: FileProblemCode, options?: ErrorOptions) {
    super(`The file cannot be read: ${code}`, options)
    this.code = code
  }
}

export interface FileRow {
  /** As in spreadsheets: the first line is 1. */
  readonly row: number
  readonly cells: readonly string[]
  /** Cells that an XLSX stores as fractional numbers: they have a decimal point, whatever the file's text format. */
  readonly fractions?: readonly number[]
}

/** How to decode a text file. Omitted properties are detected. */
export interface ReadAs {
  readonly encoding?: Encoding | undefined
  readonly delimiter?: Delimiter | undefined
}

export interface OpenedFile {
  /** `undefined` for XLSX. */
  readonly text: { readonly encoding: Encoding; readonly delimiter: Delimiter } | undefined
  /** Unique column names. */
  readonly header: readonly string[]
  /** Non-empty rows below the header. */
  readonly rows: AsyncIterable<FileRow>
  /** Known after reading the rows: an unclosed quote swallowed the rest of the file. */
  readonly hasOpenQuote: boolean
}

/** Sample for detecting the delimiter: characters and rows. */
const SAMPLE = 64 * 1024
const SAMPLE_ROWS = 50

/**
 * Opens a CSV (or other delimited text) or the first sheet of an XLSX. Formulas yield their cached results.
 *
 * @throws {FileProblem}, also while reading rows
 */
export async function openFile(bytes: Uint8Array, readAs: ReadAs = {}): Promise<OpenedFile> {
  if (bytes.length > FILE_BYTES_MAX) throw new FileProblem('too_large')
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) throw new FileProblem('old_excel')
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])) return openXlsx(bytes)
  return openText(bytes, readAs)
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte)
}

async function openXlsx(bytes: Uint8Array): Promise<OpenedFile> {
  const unpacked = readUnpackedSize(bytes)
  if (unpacked === undefined) throw new FileProblem('broken_xlsx')
  if (unpacked > UNPACKED_BYTES_MAX) throw new FileProblem('unpacks_too_large')
  const { streamXlsxRows } = await import('hucre/xlsx')
  async function* rows(): AsyncGenerator<FileRow> {
    try {
      for await (const { index, values } of streamXlsxRows(bytes)) {
        const fractions = values.flatMap((value, at) => (typeof value === 'number' && value % 1 !== 0 ? [at] : []))
        yield { row: index + 1, cells: values.map(toText), ...(fractions.length > 0 && { fractions }) }
      }
    } catch (error) {
      throw new FileProblem('broken_xlsx', { cause: error })
    }
  }
  return { text: undefined, hasOpenQuote: false, ...(await takeHeader(rows())) }
}

async function openText(bytes: Uint8Array, readAs: ReadAs): Promise<OpenedFile> {
  const { streamCsvRows } = await import('hucre/csv')
  const encoding = readAs.encoding ?? detectEncoding(bytes)
  const text = decodeText(bytes, encoding)
  // Excel's first line declaring the separator.
  const [stated = '', statedDelimiter] = /^sep=([,;\t|])(?:\r\n|\r|\n)/i.exec(text.slice(0, 8)) ?? []
  const content = text.slice(stated.length)
  const told = DELIMITERS.find((one) => one === statedDelimiter)
  const delimiter = readAs.delimiter ?? told ?? detectDelimiter(content, streamCsvRows)
  let hasOpenQuote = false
  async function* rows(): AsyncGenerator<FileRow> {
    let row = stated === '' ? 0 : 1
    let last: readonly string[] = []
    for (const values of streamCsvRows(content, { delimiter })) {
      row += 1
      last = values.map((value) => withoutGuards(String(value ?? '')))
      yield { row, cells: last }
    }
    hasOpenQuote = /[\r\n]/.test(last.at(-1) ?? '') && countQuotes(content) % 2 === 1
  }
  const opened = await takeHeader(rows())
  return {
    text: { encoding, delimiter },
    ...opened,
    get hasOpenQuote() {
      return hasOpenQuote
    },
  }
}

/** Chooses the delimiter that splits the header into several columns matching most rows. */
function detectDelimiter(content: string, streamCsvRows: typeof import('hucre/csv').streamCsvRows): Delimiter {
  let best: { readonly delimiter: Delimiter; readonly share: number; readonly width: number } | undefined
  for (const delimiter of DELIMITERS) {
    const options = { delimiter, skipEmptyRows: true, maxRows: SAMPLE_ROWS }
    const widths = Array.from(streamCsvRows(content.slice(0, SAMPLE), options), ({ length }) => length)
    const [width = 0] = widths
    if (width < 2) continue
    const share = widths.filter((one) => one === width).length / widths.length
    if (!best || share > best.share || (share === best.share && width > best.width)) best = { delimiter, share, width }
  }
  return best?.delimiter ?? ','
}

function countQuotes(text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count += 1
  return count
}

/** Takes the first non-empty row as header. */
async function takeHeader(rows: AsyncGenerator<FileRow>): Promise<Pick<OpenedFile, 'header' | 'rows'>> {
  for (;;) {
    const { value, done } = await rows.next()
    if (done === true) throw new FileProblem('empty')
    if (isEmpty(value)) continue
    const last = value.cells.findLastIndex((cell) => cell.trim() !== '')
    if (last >= COLUMNS_MAX) throw new FileProblem('too_many_columns')
    return { header: nameColumns(value.cells.slice(0, last + 1)), rows: checkRows(rows) }
  }
}

async function* checkRows(rows: AsyncIterable<FileRow>): AsyncGenerator<FileRow> {
  let count = 0
  let cells = 0
  for await (const row of rows) {
    if (isEmpty(row)) continue
    count += 1
    cells += row.cells.length
    if (count > ROWS_MAX) throw new FileProblem('too_many_rows')
    if (cells > CELLS_MAX) throw new FileProblem('too_many_cells')
    yield row
  }
}

function isEmpty({ cells }: FileRow): boolean {
  return cells.every((cell) => cell.trim() === '')
}

function nameColumns(cells: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return cells.map((cell, index) => {
    const wanted = cell.trim() === '' ? `Column ${index + 1}` : cell.trim()
    let name = wanted
    for (let copy = 2; taken.has(name.toLowerCase()); copy += 1) name = `${wanted} (${copy})`
    taken.add(name.toLowerCase())
    return name
  })
}

function toText(value: CellValue): string {
  if (value === null || value === undefined) return ''
  // Spreadsheets show doubles with 15 digits: 0.1 + 0.2 is 0.3.
  if (typeof value === 'number') return String(Number(value.toPrecision(15)))
  if (value instanceof Date) return dateText(value)
  return String(value)
}

/** Converts a spreadsheet date, which has no zone; the library returns UTC. Times and durations are fractions and numbers of days since the end of 1899. */
function dateText(at: Date): string {
  if (Number.isNaN(at.getTime())) return ''
  const rounded = new Date(Math.round(at.getTime() / 1000) * 1000)
  const text = rounded.toISOString()
  const isDay = text.endsWith('T00:00:00.000Z')
  const seconds = (rounded.getTime() - DURATIONS_FROM) / 1000
  if (rounded.getTime() >= DURATIONS_TO || seconds < 0 || (isDay && seconds > 0)) return text.slice(0, isDay ? 10 : 19)
  const parts = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  )
  return parts.slice(0, seconds % 60 === 0 ? 2 : 3).join(':')
}

const DURATIONS_FROM = Date.UTC(1899, 11, 31)
/** Earlier values are durations, of at most two months. */
const DURATIONS_TO = Date.UTC(1900, 2, 1)
