import type { LogEntry, LogEntryLevel, LogService } from '@holdfast/protocol'
import { FIELD_CHARS_MAX, FIELDS_MAX, MESSAGE_CHARS_MAX, PATH_CHARS_MAX } from './limits.ts'
import { redactFields, redactPath, redactText } from './redact.ts'

/** A request that was answered. */
export interface AnsweredRequest {
  readonly id: string
  readonly service: LogService
  readonly method: string
  /** Replaced by `route` for paths of the app, whose links have keys in them. */
  readonly url: string
  readonly route: string | undefined
  readonly status: number
  readonly ms: number
  readonly userId: string | undefined
  readonly address: string
  /** Why it was refused, from the response. */
  readonly refusal?: { readonly code?: string; readonly message?: string } | undefined
}

/** Requests that only fill the log when they succeed: pages, health checks and reads of the console. */
function isQuiet({ service, method, status }: AnsweredRequest): boolean {
  if (status >= 400) return false
  return (
    method === 'OPTIONS' || ((service === 'app' || service === 'console') && (method === 'GET' || method === 'HEAD'))
  )
}

/** Renders a request, without its query. @returns `undefined` if it is not kept */
export function renderRequest(request: AnsweredRequest, at: string): LogEntry | undefined {
  if (isQuiet(request)) return undefined
  const { id, service, method, url, route, status, ms, userId, address, refusal } = request
  const path = service === 'app' && route !== undefined ? route : redactPath(url)
  return {
    at,
    level: status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info',
    service,
    message: cut(redactText(refusal?.message ?? ''), MESSAGE_CHARS_MAX),
    requestId: id,
    ...(userId !== undefined && { userId }),
    request: {
      method,
      path: cut(path, PATH_CHARS_MAX),
      status,
      ms: Math.round(ms * 10) / 10,
      ...(refusal?.code !== undefined && { code: cut(refusal.code, FIELD_CHARS_MAX) }),
      address,
    },
  }
}

/** Lines of a Postgres message that quote rows or statements. */
const QUOTING = /^(?:\t|(?:DETAIL|CONTEXT|QUERY|STATEMENT):)/

/** Level of a line of Postgres by its severity. */
const SEVERITY = /^(FATAL|PANIC|ERROR|WARNING):/

/**
 * Renders a log line. Debug lines are kept only of functions and Postgres.
 *
 * @returns `undefined` if it is not kept
 */
export function renderLine(
  service: LogService,
  level: LogEntryLevel,
  message: string,
  fields: Readonly<Record<string, unknown>>,
  at: string,
): LogEntry | undefined {
  const { source, requestId, request, userId, user, function: name, ...others } = fields
  if (source === 'postgres') {
    if (QUOTING.test(message)) return undefined
    const severity = SEVERITY.exec(message)?.[1]
    const own = severity === undefined ? 'info' : severity === 'WARNING' ? 'warn' : 'error'
    return {
      at,
      level: level === 'debug' && own === 'error' ? 'info' : own,
      service: 'postgres',
      message: textOf(message),
    }
  }
  const isFunction = typeof name === 'string'
  const prefix = isFunction ? `${name}: ` : ''
  if (level === 'debug' && !isFunction) return undefined
  const id = requestId ?? request
  const person = userId ?? user
  return {
    at,
    level,
    service: isFunction ? 'functions' : service,
    message: textOf(message.startsWith(prefix) ? message.slice(prefix.length) : message),
    ...(typeof id === 'string' && { requestId: id }),
    ...(typeof person === 'string' && { userId: person }),
    ...(isFunction && { function: name }),
    ...fieldsOf(others),
  }
}

function textOf(message: string): string {
  return cut(redactText(message), MESSAGE_CHARS_MAX)
}

function fieldsOf(fields: Readonly<Record<string, unknown>>): Pick<LogEntry, 'fields'> {
  const given = Object.entries(redactFields(fields)).filter(([, value]) => value !== undefined && value !== null)
  if (given.length === 0) return {}
  return { fields: Object.fromEntries(given.slice(0, FIELDS_MAX).map(([name, value]) => [name, shorten(value)])) }
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, FIELD_CHARS_MAX)
  if (typeof value !== 'object') return value
  const text = JSON.stringify(value)
  return text.length <= FIELD_CHARS_MAX ? value : cut(text, FIELD_CHARS_MAX)
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`
}
