import { parseJson } from '@holdfast/foundation'
import { invalidResponseHeaders, invalidResponseStatus } from '../errors.ts'
import type { ExecuteResult } from '../execute/execute.ts'
import { STATUS_PATTERN } from '../query/render-answer-settings.ts'
import { type RestResponse, toResponseHeader } from './rest-response.ts'

const STATUS = new RegExp(STATUS_PATTERN)

/**
 * Applies `response.status` and `response.headers`, which functions and triggers may set. Invalid values already failed a write in its
 * statement, which rolled it back; for reads they fail here.
 */
export function applySettings(response: RestResponse, { row }: ExecuteResult): RestResponse {
  const status = row.status === null ? response.status : Number(STATUS.exec(row.status)?.[1])
  if (Number.isNaN(status)) throw invalidResponseStatus()
  if (row.headers === null) return { ...response, status }
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of parseHeaders(row.headers)) {
    const known = headers[name]
    headers[name] = known === undefined ? value : [...(typeof known === 'string' ? [known] : known), value]
  }
  return { ...response, status, headers: { ...response.headers, ...headers } }
}

/** Parses `[{"X-Name": "value"}, …]`. @throws PGRST111 */
export function parseHeaders(text: string): (readonly [name: string, value: string])[] {
  const items = parseJson(text)
  if (!Array.isArray(items)) throw invalidResponseHeaders()
  return items.map((item: unknown) => {
    const entries = typeof item === 'object' && item !== null ? Object.entries(item) : []
    const [name, value]: readonly unknown[] = entries[0] ?? []
    const isPair = entries.length === 1 && typeof name === 'string' && typeof value === 'string'
    const header = isPair ? toResponseHeader(name, value) : undefined
    if (!header) throw invalidResponseHeaders()
    return header
  })
}
