import type { LogLevel } from '@holdfast/foundation'
import { LOG_LINES_MAX, LOG_WINDOW_MS } from '../limits.ts'

/** A line printed by a function. */
export interface LogLine {
  readonly level: LogLevel
  readonly text: string
  readonly requestId: string | undefined
}

/** Passes on at most {@link LOG_LINES_MAX} lines per window; the last of them says that further ones are dropped. */
export function limitLines(pass: (line: LogLine) => void): (line: LogLine) => void {
  let sinceMs = 0
  let lines = 0
  return (line) => {
    const nowMs = performance.now()
    if (nowMs - sinceMs > LOG_WINDOW_MS) {
      sinceMs = nowMs
      lines = 0
    }
    lines++
    if (lines > LOG_LINES_MAX) return
    const isLast = lines === LOG_LINES_MAX
    pass(isLast ? { ...line, level: 'warn', text: 'it prints too much: lines are dropped' } : line)
  }
}
