import type { Logger } from './logger.ts'

/** Measures consecutive phases of something that takes a while, for the log. */
export interface Phases {
  /** Ends the phase that began with the phase before it, or with the creation. */
  end(name: string): void
  /** Logs, at level `debug`, how many milliseconds each phase took, and how much of the processor the process used in all of them. */
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
