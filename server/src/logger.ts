import type { Logger, LogLevel } from '@holdfast/foundation'

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

export function isLogLevel(text: string): text is LogLevel {
  return text in RANK
}

const FORMATS = ['text', 'json'] as const
export type LogFormat = (typeof FORMATS)[number]

export function isLogFormat(text: string): text is LogFormat {
  return FORMATS.some((format) => format === text)
}

/**
 * Writes one line per message. As text: time, level, message, and the fields as JSON; line ends inside a message do not make a second line. As JSON: one object with
 * `time`, `level`, `message` and the fields.
 */
export function createLogger(
  level: LogLevel,
  write: (line: string) => void,
  now: () => number,
  format: LogFormat = 'text',
): Logger {
  return {
    log(messageLevel, message, fields) {
      if (RANK[messageLevel] < RANK[level]) return
      if (format === 'json') {
        const own = { time: new Date(now()).toISOString(), level: messageLevel, message }
        return write(`${toJson({ ...own, ...fields, ...own })}\n`)
      }
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
