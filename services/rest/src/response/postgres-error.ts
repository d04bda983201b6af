import { HoldfastError } from '@holdfast/foundation'
import { isConnectionLoss, sqlstateOf } from '@holdfast/postgres'
import { connectionRefused, databaseUnavailable, poolExhausted } from '../errors.ts'
import { type ServerError, toRaisedResponse } from './raised-response.ts'

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '42P01': 404,
  '42P17': 500,
  '53400': 500,
  P0001: 400,
}

/** Status by the first two characters of the SQLSTATE; others are 400. */
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

/** `raise sqlstate 'PT402'`. A status 1xx is not final, so it is excluded. */
const RAISED_STATUS = /^PT([2-5][0-9]{2})$/

const HEADERS_BY_STATUS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer' },
  503: { 'retry-after': '1' },
}

/**
 * Converts a driver error for the client: Postgres's code, message, details and hint, with the status of PostgREST's table.
 *
 * @param isAnonymous - whether nobody is signed in, so that a missing privilege is 401 instead of 403
 * @returns other errors unchanged
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
      ...(RAISED_STATUS.test(error.code) ? { statusText: error.message } : {}),
    })
  }
  if (isAcquireTimeout(error)) return poolExhausted(error)
  if (!isConnectionLoss(error)) return error
  return isUnreachable(error) ? connectionRefused(error) : databaseUnavailable(error)
}

function statusOf({ code, message }: ServerError, isAnonymous: boolean): number {
  if (code === '42501') return isAnonymous ? 401 : 403
  if (code === '21000') return message.endsWith('requires a WHERE clause') ? 400 : 500
  if (code === '22023') return message.startsWith('role') && message.endsWith('does not exist') ? 401 : 400
  if (code === '42883') return message.startsWith('function xmlagg(') ? 406 : 404
  const raised = RAISED_STATUS.exec(code)
  if (raised) return Number(raised[1])
  if (code.startsWith('PT')) return 500
  return STATUS_BY_CODE[code] ?? STATUS_BY_CLASS[code.slice(0, 2)] ?? 400
}

function isServerError(error: unknown): error is Error & ServerError {
  return error instanceof Error && sqlstateOf(error) !== undefined
}

/** Returns whether Postgres does not accept connections. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnreachable)
  return (error as NodeJS.ErrnoException).syscall === 'connect'
}

function isAcquireTimeout(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect')
}
