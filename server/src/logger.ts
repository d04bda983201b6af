import type { Logger, LogLevel } from '@holdfast/foundation'

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

export function isLogLevel(text: string): text is LogLevel {
  return text in RANK
}

/** Writes one line per message: time, level, text, and the fields as JSON. Line ends inside a message do not make a second one. */
export function createLogger(level: LogLevel, write: (line: string) => void, now: () => number): Logger {
  return {
    log(messageLevel, message, fields) {
      if (RANK[messageLevel] < RANK[level]) return
      const more = fields && Object.keys(fields).length > 0 ? ` ${toJson(fields)}` : ''
      write(
        `${new Date(now()).toISOString()} ${messageLevel.padEnd(5)} ${message.replaceAll(/[\r\n]+/g, ' ⏎ ')}${more}\n`,
      )
    },
  }
}

function toJson(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(fields, (_, value: unknown) => {
    if (value instanceof Error) return value.stack ?? value.message
    return typeof value === 'bigint' ? String(value) : value
  })
}
