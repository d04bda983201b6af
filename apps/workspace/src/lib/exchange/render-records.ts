import type { CellValue } from 'hucre'
import { renderCsv, renderCsvRows } from '../csv.ts'
import type { FieldValue } from '../fields/field.ts'
import { exactNumber, exportedText, spreadsheetDay } from './exported-text.ts'
import type { FileColumn } from './file-columns.ts'

export type FileFormat = 'csv' | 'xlsx' | 'json'

export const MEDIA_TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv;charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  json: 'application/json',
}

/** A record, with what its links are called. */
export interface ExportedRecord {
  readonly values: Readonly<Record<string, FieldValue>>
  readonly titles: Readonly<Record<string, FieldValue>>
}

export type Slices = AsyncIterable<readonly ExportedRecord[]>

/** A text that no cell of XLSX holds. */
export class CellTooLong extends Error {
  readonly header: string
  constructor(header: string) {
    super(`A value of ${header} is longer than ${CELL_CHARS_MAX} characters.`)
    this.header = header
  }
}

const CELL_CHARS_MAX = 32_767
const SHEET_NAME_MAX = 31

/**
 * Renders records as they are read.
 *
 * @param title - names the sheet
 * @throws {CellTooLong} for XLSX
 */
export async function renderRecords(
  format: FileFormat,
  columns: readonly FileColumn[],
  slices: Slices,
  title: string,
): Promise<Blob> {
  const type = MEDIA_TYPES[format]
  if (format === 'xlsx') {
    const { writeXlsxStream } = await import('hucre/xlsx')
    const name =
      title
        .replace(/[[\]:*?/\\']/g, ' ')
        .trim()
        .slice(0, SHEET_NAME_MAX) || 'Records'
    const { rows, reason } = keepingReason(xlsxRows(columns, slices))
    const stream = writeXlsxStream(rows, { name, freezePane: { rows: 1 } })
    try {
      return new Blob([await new Response(stream).blob()], { type })
    } catch (error) {
      // A browser says no more than that the body could not be fetched.
      throw reason() ?? error
    }
  }
  const parts: Blob[] = []
  // As blobs, so that the browser may keep them on the disk.
  for await (const text of format === 'csv' ? csvTexts(columns, slices) : jsonTexts(columns, slices)) {
    parts.push(new Blob([text]))
  }
  return new Blob(parts, { type })
}

/** The same rows, and why there are no more of them. */
function keepingReason<T>(rows: AsyncIterable<T>): {
  readonly rows: AsyncGenerator<T>
  readonly reason: () => unknown
} {
  let reason: unknown
  async function* kept(): AsyncGenerator<T> {
    try {
      yield* rows
    } catch (error) {
      reason = error
      throw error
    }
  }
  return { rows: kept(), reason: () => reason }
}

/** The cell of a record in words that say all of it. */
export function cellText({ field, part }: FileColumn, { values, titles }: ExportedRecord): string {
  return part === 'title' ? String(titles[field.name] ?? '') : exportedText(field, values[field.name] ?? null)
}

async function* csvTexts(columns: readonly FileColumn[], slices: Slices): AsyncGenerator<string> {
  yield renderCsv([columns.map(({ header }) => header)])
  for await (const slice of slices) {
    yield renderCsvRows(slice.map((record) => columns.map((column) => cellText(column, record))))
  }
}

async function* xlsxRows(columns: readonly FileColumn[], slices: Slices): AsyncGenerator<CellValue[]> {
  yield columns.map(({ header }) => escapeXlsx(header))
  for await (const slice of slices) {
    for (const record of slice) yield columns.map((column) => xlsxCell(column, cellText(column, record)))
  }
}

/** Texts are cells of the type text: no spreadsheet runs them, whatever they begin with. */
function xlsxCell({ field, part, header }: FileColumn, text: string): CellValue {
  if (text === '') return null
  if (part === 'value') {
    if (field.kind === 'integer' || field.kind === 'number') return exactNumber(text) ?? text
    if (field.kind === 'boolean') return text === 'true'
    if (field.kind === 'date') return spreadsheetDay(text) ?? text
  }
  if (text.length > CELL_CHARS_MAX) throw new CellTooLong(header)
  return escapeXlsx(text)
}

/** `_x000D_` in a text of XLSX means a sign; one that a person wrote is escaped (ECMA-376, 22.9.2.19), and so are line ends that XML changes. */
function escapeXlsx(text: string): string {
  return text.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_').replaceAll('\r', '_x000D_')
}

/** Objects by the names of columns, with values as the REST API gives them; a link is its id and what it is called. */
async function* jsonTexts(columns: readonly FileColumn[], slices: Slices): AsyncGenerator<string> {
  const values = columns.filter(({ part }) => part === 'value')
  const hasTitle = new Set(columns.filter(({ part }) => part === 'title').map(({ field }) => field.name))
  let before = '[\n'
  for await (const slice of slices) {
    for (const record of slice) {
      const entries = values.map(({ field }) => {
        const value = record.values[field.name] ?? null
        const isNamed = hasTitle.has(field.name) && value !== null
        const text = isNamed
          ? `{"id":${JSON.stringify(value)},"title":${JSON.stringify(record.titles[field.name] ?? null)}}`
          : jsonValue(field.kind, value)
        return `${JSON.stringify(field.name)}:${text}`
      })
      yield `${before}{${entries.join(',')}}`
      before = ',\n'
    }
  }
  yield before === '[\n' ? '[]\n' : '\n]\n'
}

function jsonValue(kind: FileColumn['field']['kind'], value: FieldValue): string {
  if (value === null) return 'null'
  const text = String(value)
  // The digits as they are: a reader with numbers of any length loses none.
  if ((kind === 'integer' || kind === 'number') && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return text
  if (kind === 'boolean') return value === 0 || text === '0' || text === 'false' ? 'false' : 'true'
  if (kind === 'json' && isJson(text)) return text
  return JSON.stringify(value)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
