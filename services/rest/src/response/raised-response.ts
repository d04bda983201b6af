import { HoldfastError, isRecord, parseRecord } from '@holdfast/foundation'
import { raisedWithoutDetail, unreadableDetail, unreadableMessage } from '../errors.ts'
import { toResponseHeader } from './rest-response.ts'

/** Fields of an error reported by Postgres. */
export interface ServerError {
  readonly code: string
  readonly message: string
  readonly detail?: string
  readonly hint?: string
}

/**
 * Converts `raise sqlstate 'PGRST' using message = '{"code":…,"message":…}', detail = '{"status":…,"headers":{…}}'`, which sets the response.
 *
 * @returns PGRST121 if message or detail is invalid
 * @see PostgREST reference, "Errors", "RAISE errors with HTTP Status Codes"
 */
export function toRaisedResponse(error: ServerError): HoldfastError {
  const message = parseMessage(error.message)
  if (!message) return unreadableMessage(error.message)
  if (error.detail === undefined) return raisedWithoutDetail()
  const detail = parseDetail(error.detail)
  if (!detail) return unreadableDetail(error.detail)
  return new HoldfastError(message.code, detail.status, message.message, {
    detail: message.details,
    hint: message.hint,
    headers: detail.headers,
    statusText: detail.statusText,
  })
}

function parseMessage(text: string):
  | {
      readonly code: string
      readonly message: string
      readonly details: string | undefined
      readonly hint: string | undefined
    }
  | undefined {
  const object = parseRecord(text)
  if (!object) return undefined
  const { code, message, details, hint } = object
  if (typeof code !== 'string' || typeof message !== 'string') return undefined
  if (!isOptionalText(details) || !isOptionalText(hint)) return undefined
  return { code, message, details: details ?? undefined, hint: hint ?? undefined }
}

/** Parses the detail. A final HTTP status is from 200 to 599. */
function parseDetail(text: string):
  | {
      readonly status: number
      readonly statusText: string | undefined
      readonly headers: Readonly<Record<string, string>>
    }
  | undefined {
  const object = parseRecord(text)
  if (!object) return undefined
  const { status, status_text: statusText, headers } = object
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) return undefined
  if (!isOptionalText(statusText) || !isRecord(headers)) return undefined
  const named: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const header = typeof value === 'string' ? toResponseHeader(name, value) : undefined
    if (!header) return undefined
    named[header[0]] = header[1]
  }
  return { status, statusText: statusText ?? undefined, headers: named }
}

function isOptionalText(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string'
}
