import type { Logger } from './logger.ts'

/** Measures consecutive phases of a long operation, for the log. */
export interface Phases {
  /** Ends the current phase, which started at the end of the previous one or at creation. */
  end(name: string): void
  /** Logs the duration of each phase in ms and the total CPU usage of the process, at level `debug`. */
  log(logger: Logger, message: string): void
}

export function createPhases(): Phases {
  const ms: Record<string, number> = {}
  const cpu = process.cpuUsage()
  let began = performance.now()
  return {
    end(name) {
      const now = performance.now()
      ms[name] = (ms[name] ?? 0) + Math.round(now - began)
      began = now
    },
    log(logger, message) {
      const { user, system } = process.cpuUsage(cpu)
      logger.log('debug', message, { ...ms, cpu: Math.round((user + system) / 1_000) })
    },
  }
}
