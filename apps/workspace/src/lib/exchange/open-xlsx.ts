import type { CellValue } from 'hucre'
import { UNPACKED_BYTES_MAX } from './file-limits.ts'
import { FileProblem, type FileRow, type OpenedFile, type ReadAs } from './opened-file.ts'
import { type PaddedCells, padNumber, readPaddedStyles } from './padded-numbers.ts'
import { readSheetFacts, readSheets, readStyles, type SheetEntry } from './read-sheets.ts'
import { readZipEntries, type ZipEntry } from './read-zip.ts'
import { type TakenHead, takeHead } from './take-head.ts'

/** Opens a sheet of an XLSX: the chosen one, else the first that is visible and has cells. Formulas yield their saved results. */
export async function openXlsx(bytes: Uint8Array, { sheet, head }: ReadAs): Promise<OpenedFile> {
  const entries = readZipEntries(bytes)
  if (!entries) throw new FileProblem('broken_xlsx')
  const unpacked = [...entries.values()].reduce((sum, one) => sum + one.unpacked, 0)
  if (unpacked > UNPACKED_BYTES_MAX) throw new FileProblem('unpacks_too_large')
  const all = await intact(readSheets(bytes, entries))
  const wanted = all.filter(({ name }) => name === sheet)
  const visible = all.filter(({ isHidden }) => !isHidden)
  const candidates = wanted.length > 0 ? wanted : [...visible, ...all.filter(({ isHidden }) => isHidden)]
  for (const [at, one] of candidates.entries()) {
    try {
      const { hiddenColumns, facts, taken } = await openSheet(bytes, entries, one, head)
      const chosen = { all: all.map(({ name, isHidden }) => ({ name, isHidden })), chosen: one.name }
      return {
        ...taken,
        text: undefined,
        sheets: chosen,
        get notes() {
          return { ...taken.counts, ...facts, hasOpenQuote: false, brokenRow: undefined, hiddenColumns }
        },
      }
    } catch (error) {
      if (!(error instanceof FileProblem) || error.code !== 'empty' || at === candidates.length - 1) throw error
    }
  }
  throw new FileProblem(all.length === 0 ? 'broken_xlsx' : 'empty')
}

async function openSheet(
  bytes: Uint8Array,
  entries: ReadonlyMap<string, ZipEntry>,
  { name, path }: SheetEntry,
  head: ReadAs['head'],
): Promise<{
  readonly taken: TakenHead
  readonly hiddenColumns: number
  readonly facts: { readonly unsaved: number; readonly hiddenRows: number }
}> {
  const entry = entries.get(path)
  if (!entry) throw new FileProblem('broken_xlsx')
  const styles = readPaddedStyles(await intact(readStyles(bytes, entries)))
  const { merges, tall, padded, unsaved, hiddenRows, hiddenColumns } = await intact(
    readSheetFacts(bytes, entry, styles),
  )
  const taken = await takeHead(readRows(bytes, name, padded), { head, merges, tall })
  const hidden = taken.header.filter((_, at) => hiddenColumns.some(([from, to]) => from <= at && at <= to))
  return { taken, hiddenColumns: hidden.length, facts: { unsaved, hiddenRows } }
}

async function* readRows(bytes: Uint8Array, sheet: string, padded: PaddedCells): AsyncGenerator<FileRow> {
  const { streamXlsxRows } = await import('hucre/xlsx')
  const rows = streamXlsxRows(bytes, { sheet })
  try {
    for (;;) {
      const next = await intact(rows.next())
      if (next.done === true) return
      const { index, values } = next.value
      const fractions = values.flatMap((value, at) => (typeof value === 'number' && value % 1 !== 0 ? [at] : []))
      const cells = values.map(toText)
      const texts = values.flatMap((value, at) => {
        const format = typeof value === 'number' ? padded.find(index + 1, at) : undefined
        const text = format && typeof value === 'number' ? padNumber(value, format) : undefined
        if (text === undefined) return []
        cells[at] = text
        return [at]
      })
      yield {
        row: index + 1,
        cells,
        ...(fractions.length > 0 && { fractions }),
        ...(texts.length > 0 && { texts }),
      }
    }
  } finally {
    await rows.return()
  }
}

async function intact<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new FileProblem('broken_xlsx', { cause: error })
  }
}

function toText(value: CellValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return numberText(value)
  if (value instanceof Date) return dateText(value)
  return String(value)
}

/** Renders a double with the 15 digits that spreadsheets show, 0.1 + 0.2 as 0.3, and without an exponent: 1e+21 with its zeros. */
export function numberText(value: number): string {
  const text = String(Number(value.toPrecision(15)))
  const [, sign = '', whole = '', fraction = '', power] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? []
  if (power === undefined) return text
  const point = whole.length + Number(power)
  const digits = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits.padEnd(point, '0')}`
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
