import type { Clock } from './clock.ts'
import type { Logger, LogLevel } from './logger.ts'

export interface RepeatLimits {
  /** Lines of one kind in one interval that are written as they come. */
  readonly linesMax: number
  /** How often the others are summed up, in milliseconds. */
  readonly intervalMs: number
  /** Kinds of lines that are told apart; further ones are counted by message. */
  readonly kindsMax: number
}

/** Ten lines tell as much as ten thousand, and a minute is soon enough for a count. */
const LIMITS: RepeatLimits = { linesMax: 10, intervalMs: 60_000, kindsMax: 1_000 }

/** Fields that tell one kind of line from another of the same message. The others (ids, stacks, durations) differ from line to line. */
const KIND_FIELDS = ['table', 'route', 'code', 'sqlstate', 'status'] as const

interface Kind {
  readonly level: LogLevel
  readonly message: string
  readonly since: number
  lines: number
  /** The last line that was not written. */
  last: Readonly<Record<string, unknown>> | undefined
}

/** A logger over another one. Disposing it writes what has not been summed up yet. */
export interface LimitedLogger extends Logger, Disposable {
  /** Writes a line for each kind of which lines have been left out for an interval. Called by itself as long as lines come. */
  sumUp(): void
}

/**
 * Lets the first warnings and errors of each kind through and then one line for each interval, with how many more there were: whoever can cause a line, such as
 * a client that breaks off its requests, cannot fill the log with it. Other levels pass.
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
