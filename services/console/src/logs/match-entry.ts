import type { LogEntry } from '@holdfast/protocol'
import { LOG_LEVELS, type LogEntryLevel, type LogService } from '@holdfast/protocol'

export interface LogFilter {
  readonly service?: LogService | undefined
  /** This level and more urgent ones. */
  readonly level?: LogEntryLevel | undefined
  readonly requestId?: string | undefined
  /** Ids of users; all if missing. */
  readonly users?: readonly string[] | undefined
  /** `403`, or a class such as `4xx`. */
  readonly status?: string | undefined
  /** A text in message, path, code, function or fields, in any case. */
  readonly text?: string | undefined
}

/** Returns whether an entry passes a filter. */
export function matchesFilter(entry: LogEntry, filter: LogFilter): boolean {
  const { service, level, requestId, users, status, text } = filter
  if (service !== undefined && entry.service !== service) return false
  if (level !== undefined && LOG_LEVELS.indexOf(entry.level) < LOG_LEVELS.indexOf(level)) return false
  if (requestId !== undefined && entry.requestId !== requestId) return false
  if (users && (entry.userId === undefined || !users.includes(entry.userId))) return false
  if (status !== undefined && !matchesStatus(entry.request?.status, status)) return false
  return text === undefined || hasText(entry, text.toLowerCase())
}

function matchesStatus(status: number | undefined, wanted: string): boolean {
  if (status === undefined) return false
  return wanted.endsWith('xx') ? String(status)[0] === wanted[0] : String(status) === wanted
}

function hasText({ message, request, requestId, userId, function: name, fields }: LogEntry, text: string): boolean {
  const { path, code, address, method } = request ?? {}
  const parts = [message, path, code, address, method, requestId, userId, name, fields && JSON.stringify(fields)]
  return parts.some((part) => part !== undefined && part.toLowerCase().includes(text))
}
