export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Where services report what happened. `fields` are data for machines; no secrets, no row contents. */
export interface Logger {
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void
}

/** Says nothing. For tests and tools. */
export const silentLogger: Logger = { log: () => undefined }
