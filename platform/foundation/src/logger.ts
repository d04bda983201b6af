export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** The log of a service. `fields` are machine-readable and contain no secrets and no row contents. */
export interface Logger {
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void
}

/** Discards all lines. For tests and tools. */
export const silentLogger: Logger = { log: () => undefined }
