import { invalidBody } from '../errors.ts'
import { PAYLOAD_COLUMNS_MAX } from '../limits.ts'
import type { Payload } from './api-request.ts'
import { mediaTypeName } from './media-type.ts'

/**
 * Reads a JSON body and the columns that it gives.
 *
 * @param columns - `columns=` of the query string; then the body is not looked into, and keys that it does not name are ignored
 * @param isCall - whether the body holds a function's arguments; it may then be empty
 * @throws PGRST102 when the body is no JSON, or an array of objects with different keys
 */
export function parsePayload(input: {
  readonly body: Buffer
  readonly contentType: string | undefined
  readonly columns: readonly string[] | undefined
  readonly isCall: boolean
}): Payload {
  const { body, contentType, columns, isCall } = input
  const type = contentType === undefined ? 'application/json' : mediaTypeName(contentType)
  // `application/*+json` is JSON by RFC 6839
  if (type !== 'application/json' && !/^application\/[^;]+\+json$/.test(type)) {
    throw invalidBody(`Content-Type not acceptable: ${type}`)
  }
  const text = decodeUtf8(body)
  const start = /[^ \t\n\r]/.exec(text)?.[0]
  if (start === undefined && isCall) return { json: '{}', isObject: true, columns: [] }
  if (columns !== undefined) {
    if (start !== '{' && start !== '[') throw invalidBody('Empty or invalid json')
    return { json: text, isObject: start === '{', columns: checkCount(columns) }
  }
  return parseKeys(text)
}

function parseKeys(text: string): Payload {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidBody('Empty or invalid json')
  }
  if (isObject(value)) return { json: text, isObject: true, columns: checkCount(Object.keys(value)) }
  if (!Array.isArray(value) || value.length === 0) return { json: '[]', isObject: false, columns: [] }
  const rows: readonly unknown[] = value
  const first = rows[0]
  if (!isObject(first)) throw invalidBody('All object keys must match')
  const columns = Object.keys(first)
  const uniform = rows.every((row) => {
    if (!isObject(row)) return false
    const keys = Object.keys(row)
    return keys.length === columns.length && keys.every((key) => Object.hasOwn(first, key))
  })
  if (!uniform) throw invalidBody('All object keys must match')
  return { json: text, isObject: false, columns: checkCount(columns) }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function checkCount(columns: readonly string[]): readonly string[] {
  if (columns.length > PAYLOAD_COLUMNS_MAX) throw invalidBody(`A payload may have ${PAYLOAD_COLUMNS_MAX} columns`)
  return columns
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw invalidBody('Empty or invalid json')
  }
}
