import { parseJson } from '@holdfast/protocol'
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

/** A record with the titles of its links. */
export interface ExportedRecord {
  readonly values: Readonly<Record<string, FieldValue>>
  readonly titles: Readonly<Record<string, FieldValue>>
}

export type Slices = AsyncIterable<readonly ExportedRecord[]>

/** A text too long for an XLSX cell. */
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
 * Renders records while they are being read.
 *
 * @param title - sheet name
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
      // A browser only reports that the body could not be fetched.
      throw reason() ?? error
    }
  }
  const parts: Blob[] = []
  // As blobs, which the browser may keep on disk.
  for await (const text of format === 'csv' ? csvTexts(columns, slices) : jsonTexts(columns, slices)) {
    parts.push(new Blob([text]))
  }
  return new Blob(parts, { type })
}

/** The same rows, remembering an error. */
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

/** Returns a record's cell as lossless text. */
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

/** Texts become text cells, which spreadsheets never evaluate. */
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

/** `_x000D_` in XLSX texts denotes a character; escapes literal ones (ECMA-376, 22.9.2.19) and line ends that XML changes. */
function escapeXlsx(text: string): string {
  return text.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_').replaceAll('\r', '_x000D_')
}

/** Objects keyed by column name with values as in the REST API; a link has id and title, or only its title where the file has no ids. */
async function* jsonTexts(columns: readonly FileColumn[], slices: Slices): AsyncGenerator<string> {
  const hasValue = new Set(columns.filter(({ part }) => part === 'value').map(({ field }) => field.name))
  const own = columns.filter(({ field, part }) => part === 'value' || !hasValue.has(field.name))
  const hasTitle = new Set(columns.filter(({ part }) => part === 'title').map(({ field }) => field.name))
  let before = '[\n'
  for await (const slice of slices) {
    for (const record of slice) {
      const entries = own.map(({ field, part }) => {
        const value = record.values[field.name] ?? null
        if (part === 'title')
          return `${JSON.stringify(field.name)}:${JSON.stringify(record.titles[field.name] ?? null)}`
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
  // Preserves the digits for parsers with arbitrary precision.
  if ((kind === 'integer' || kind === 'number') && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return text
  if (kind === 'boolean') return value === 0 || text === '0' || text === 'false' ? 'false' : 'true'
  if (kind === 'json' && parseJson(text) !== undefined) return text
  return JSON.stringify(value)
}
