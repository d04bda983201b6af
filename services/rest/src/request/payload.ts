import { isRecord, parseJson } from '@holdfast/foundation'
import { isUtf8 } from 'node:buffer'
import { Utf8 } from '@holdfast/postgres'
import { invalidBody } from '../errors.ts'
import { CSV_NAMES_CHARACTERS_MAX, PAYLOAD_COLUMNS_MAX } from '../limits.ts'
import type { Payload, RowsPayload } from './api-request.ts'
import { parseCsv } from './csv.ts'
import { parseMediaType, renderMediaType } from './media-type.ts'

const WHOLE = { 'text/plain': 'text', 'text/xml': 'xml', 'application/octet-stream': 'bytea' } as const

const INVALID_JSON = 'Empty or invalid json'
const JSON_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
const BRACE = 0x7b
const BRACKET = 0x5b

const NO_ROWS: RowsPayload = { kind: 'rows', format: 'json', json: '[]', isObject: false, columns: [] }

/**
 * Parses a body and determines its columns or arguments.
 *
 * @param columns - `columns=` of the query string. A JSON body is then not inspected, and other keys are ignored
 * @param isCall - whether the body contains a function's arguments; it may then be empty or a single value
 * @throws PGRST102 if the body does not match its content type, or rows have different keys
 * @see PostgREST reference, "Request Body"
 */
export function parsePayload(input: {
  readonly body: Buffer
  readonly contentType: string | undefined
  readonly columns: readonly string[] | undefined
  readonly isCall: boolean
}): Payload {
  const { body, columns, isCall } = input
  const type = parseMediaType(input.contentType ?? 'application/json')
  const name = type.kind === 'named' ? type.name : renderMediaType(type)
  // `application/*+json` is JSON by RFC 6839
  if (name === 'application/json' || /^application\/[^;]+\+json$/.test(name))
    return parseJsonRows(body, columns, isCall)
  if (name === 'text/csv') return parseCsvRows(decodeUtf8(body), columns)
  if (name === 'application/x-www-form-urlencoded') return parseForm(decodeUtf8(body), columns, isCall)
  if (isCall && isWhole(name)) return { kind: 'whole', type: WHOLE[name], bytes: body, columns: [] }
  throw invalidBody(`Content-Type not acceptable: ${renderMediaType(type)}`)
}

function isWhole(name: string): name is keyof typeof WHOLE {
  return Object.hasOwn(WHOLE, name)
}

function parseJsonRows(body: Buffer, columns: readonly string[] | undefined, isCall: boolean): RowsPayload {
  const start = body[body.findIndex((byte) => !JSON_SPACE.has(byte))]
  if (start === undefined && isCall) return { ...NO_ROWS, json: '{}', isObject: true }
  // Passes the bytes on unchanged, so that numbers keep their precision and nothing is encoded twice.
  const rows = { kind: 'rows', format: 'json', json: new Utf8(body) } as const
  if (columns !== undefined) {
    if (start !== BRACE && start !== BRACKET) throw invalidBody(INVALID_JSON)
    return { ...rows, isObject: start === BRACE, columns: checkCount(columns) }
  }
  if (!isUtf8(body)) throw invalidBody(INVALID_JSON)
  const value = parseJson(body.toString())
  if (value === undefined) throw invalidBody(INVALID_JSON)
  if (isRecord(value)) return { ...rows, isObject: true, columns: checkCount(Object.keys(value)) }
  if (!Array.isArray(value) || value.length === 0) return NO_ROWS
  return { ...rows, isObject: false, columns: commonKeys(value) }
}

/** Returns the keys, which must be the same in every row. */
function commonKeys(rows: readonly unknown[]): readonly string[] {
  const message = 'All object keys must match'
  const first = rows[0]
  if (!isRecord(first)) throw invalidBody(message)
  const keys = Object.keys(first)
  const uniform = rows.every((row) => {
    if (!isRecord(row)) return false
    const own = Object.keys(row)
    return own.length === keys.length && own.every((key) => Object.hasOwn(first, key))
  })
  if (!uniform) throw invalidBody(message)
  return checkCount(keys)
}

/** Parses CSV. The first line names the columns; `NULL` is null, and an empty field the empty string. */
function parseCsvRows(text: string, columns: readonly string[] | undefined): RowsPayload {
  const records = parseCsv(text)
  if (records === undefined) throw invalidBody('The body is not valid CSV')
  const [names, ...lines] = records
  if (names === undefined) throw invalidBody('The body is not valid CSV: it has no header')
  if (lines.length === 0) return { ...NO_ROWS, format: 'csv' }
  if (lines.some((line) => line.length !== names.length)) {
    throw invalidBody('All lines must have same number of fields')
  }
  const given = columns ?? Object.keys(Object.fromEntries(names.map((name) => [name, name])))
  return { kind: 'rows', format: 'csv', json: renderRows(names, lines), isObject: false, columns: checkCount(given) }
}

/** Renders CSV lines as JSON. Each repeats the names, so a long header multiplies the size. @throws PGRST102 if it is too large */
function renderRows(names: readonly string[], lines: readonly (readonly string[])[]): string {
  const keys = names.map((name) => `${JSON.stringify(name)}:`)
  if (keys.join('').length * lines.length > CSV_NAMES_CHARACTERS_MAX) {
    throw invalidBody('The names of the columns are too long for so many lines', 413)
  }
  const rows = lines.map((line) => {
    const members = line.map(
      (field, index) => (keys[index] ?? '') + (field === 'NULL' ? 'null' : JSON.stringify(field)),
    )
    return `{${members.join(',')}}`
  })
  return `[${rows.join(',')}]`
}

function parseForm(text: string, columns: readonly string[] | undefined, isCall: boolean): Payload {
  const pairs = [...new URLSearchParams(text)]
  const values = Object.fromEntries(pairs)
  const names = checkCount(Object.keys(values))
  if (isCall) return { kind: 'form', pairs, columns: names }
  const json = JSON.stringify(values)
  return {
    kind: 'rows',
    format: 'form',
    json,
    isObject: true,
    columns: columns === undefined ? names : checkCount(columns),
  }
}

function checkCount(columns: readonly string[]): readonly string[] {
  if (columns.length > PAYLOAD_COLUMNS_MAX) throw invalidBody(`A payload may have ${PAYLOAD_COLUMNS_MAX} columns`)
  return columns
}

function decodeUtf8(body: Buffer): string {
  if (!isUtf8(body)) throw invalidBody('The body is not UTF-8')
  return body.toString()
}
