import type { Clock } from './clock.ts'
import type { Logger, LogLevel } from './logger.ts'

export interface RepeatLimits {
  /** Lines per kind and interval that are written immediately. */
  readonly linesMax: number
  /** Interval in ms of summaries for the other lines. */
  readonly intervalMs: number
  /** Maximum number of distinct kinds; further lines are counted by message. */
  readonly kindsMax: number
}

/** Ten lines tell as much as ten thousand, and a minute is soon enough for a count. */
const LIMITS: RepeatLimits = { linesMax: 10, intervalMs: 60_000, kindsMax: 1_000 }

/** Fields that, with the message, identify a kind of line. Other fields (ids, stacks, durations) differ from line to line. */
const KIND_FIELDS = ['table', 'route', 'code', 'sqlstate', 'status'] as const

interface Kind {
  readonly level: LogLevel
  readonly message: string
  readonly since: number
  lines: number
  /** Fields of the last suppressed line. */
  last: Readonly<Record<string, unknown>> | undefined
}

/** A wrapped logger. Disposing it writes the outstanding summaries. */
export interface LimitedLogger extends Logger, Disposable {
  /** Writes a summary for each kind whose lines were suppressed for an interval. Runs automatically while lines arrive. */
  sumUp(): void
}

/**
 * Passes the first warnings and errors of each kind, followed by one summary with a count per interval, so that a client cannot flood the log, for example by
 * aborting its requests. Other levels always pass.
 */
export function limitRepeats(logger: Logger, clock: Clock, limits: RepeatLimits = LIMITS): LimitedLogger {
  const { linesMax, intervalMs, kindsMax } = limits
  const kinds = new Map<string, Kind>()
  let timer: NodeJS.Timeout | undefined

  function end(id: string, kind: Kind): void {
    kinds.delete(id)
    const repeated = kind.lines - linesMax
    if (repeated <= 0) return
    const seconds = Math.round((clock.now() - kind.since) / 1_000)
    logger.log(kind.level, kind.message, { ...kind.last, repeated, seconds })
  }

  function sumUp(isAll: boolean): void {
    for (const [id, kind] of kinds) if (isAll || clock.now() - kind.since >= intervalMs) end(id, kind)
    if (kinds.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    log(level, message, fields = {}) {
      if (level !== 'warn' && level !== 'error') return logger.log(level, message, fields)
      const own = kindOf(level, message, fields)
      const id = kinds.has(own) || kinds.size < kindsMax ? own : kindOf(level, message, {})
      let kind = kinds.get(id)
      if (kind && clock.now() - kind.since >= intervalMs) {
        end(id, kind)
        kind = undefined
      }
      if (!kind) kinds.set(id, (kind = { level, message, since: clock.now(), lines: 0, last: undefined }))
      kind.lines++
      timer ??= setInterval(() => sumUp(false), intervalMs).unref()
      if (kind.lines <= linesMax) logger.log(level, message, fields)
      else kind.last = fields
    },
    sumUp: () => sumUp(false),
    [Symbol.dispose]: () => sumUp(true),
  }
}

function kindOf(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([level, message, ...KIND_FIELDS.map((name) => fields[name] ?? null)])
}
