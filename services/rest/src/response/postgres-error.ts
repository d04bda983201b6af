import { HoldfastError } from '@holdfast/foundation'
import { isConnectionLoss, sqlstateOf } from '@holdfast/postgres'
import { databaseUnavailable, poolExhausted, unreadableRaise } from '../errors.ts'

/** The fields of an error that Postgres reported. */
interface ServerError {
  readonly code: string
  readonly message: string
  readonly detail?: string
  readonly hint?: string
}

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
  '53400': 500,
  P0001: 400,
}

/** By the first two characters; everything else is 400. */
const STATUS_BY_CLASS: Readonly<Record<string, number>> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '25': 500,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '53': 503,
  '54': 500,
  '55': 500,
  '57': 500,
  '58': 500,
  F0: 500,
  HV: 500,
  P0: 500,
  XX: 500,
}

const HEADERS_BY_STATUS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer' },
  503: { 'retry-after': '1' },
}

/**
 * Turns what the driver threw into what the client reads: Postgres's own code, message, details and hint under the status of
 * PostgREST's table.
 *
 * @param isAnonymous - nobody is signed in, so that a missing privilege asks for signing in (401) instead of refusing (403)
 * @returns anything else unchanged
 * @see PostgREST reference, "Errors", "HTTP Status Codes"
 */
export function toHoldfastError(error: unknown, isAnonymous: boolean): unknown {
  if (error instanceof HoldfastError) return error
  if (isServerError(error)) {
    if (error.code === 'PGRST') return toRaisedResponse(error)
    const status = isConnectionLoss(error) ? 503 : statusOf(error, isAnonymous)
    return new HoldfastError(error.code, status, error.message, {
      detail: error.detail,
      hint: error.hint,
      ...(HEADERS_BY_STATUS[status] ? { headers: HEADERS_BY_STATUS[status] } : {}),
      ...(status >= 500 ? { cause: error } : {}),
    })
  }
  if (isAcquireTimeout(error)) return poolExhausted(error)
  return isConnectionLoss(error) ? databaseUnavailable(error) : error
}

function statusOf({ code, message }: ServerError, isAnonymous: boolean): number {
  if (code === '42501') return isAnonymous ? 401 : 403
  if (code === '21000') return message.endsWith('requires a WHERE clause') ? 400 : 500
  if (code === '22023') return message.startsWith('role') && message.endsWith('does not exist') ? 401 : 400
  const custom = /^PT([1-5][0-9]{2})$/.exec(code)
  if (custom) return Number(custom[1])
  if (code.startsWith('PT')) return 500
  return STATUS_BY_CODE[code] ?? STATUS_BY_CLASS[code.slice(0, 2)] ?? 400
}

/** `raise sqlstate 'PGRST' using message = '{"code":…}', detail = '{"status":…,"headers":{…}}'` controls the whole answer. */
function toRaisedResponse(error: ServerError): HoldfastError {
  const message = parseObject(error.message)
  if (typeof message?.['code'] !== 'string' || typeof message['message'] !== 'string') {
    const hint =
      "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'."
    return unreadableRaise(`Invalid JSON value for MESSAGE: '${error.message}'`, hint)
  }
  const detail = parseObject(error.detail ?? '')
  const status = detail?.['status']
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) {
    const hint =
      "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'."
    return unreadableRaise(`Invalid JSON value for DETAIL: '${error.detail ?? ''}'`, hint)
  }
  const given = detail?.['headers']
  const headers = typeof given === 'object' && given !== null ? Object.entries(given) : []
  return new HoldfastError(message['code'], status, message['message'], {
    detail: typeof message['details'] === 'string' ? message['details'] : undefined,
    hint: typeof message['hint'] === 'string' ? message['hint'] : undefined,
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), String(value)])),
  })
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function isServerError(error: unknown): error is Error & ServerError {
  return error instanceof Error && sqlstateOf(error) !== undefined
}

function isAcquireTimeout(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect')
}
