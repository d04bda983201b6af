/** Parts of the server that write to the log. `app`: pages, forms and links. `server`: everything else. */
export const LOG_SERVICES = [
  'app',
  'auth',
  'console',
  'functions',
  'postgres',
  'realtime',
  'rest',
  'server',
  'storage',
  'sync',
] as const
export type LogService = (typeof LOG_SERVICES)[number]

/** From least to most urgent. A refused request is a `warn`, a failed one an `error`. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogEntryLevel = (typeof LOG_LEVELS)[number]

/** A line of the log: a request or a message. */
export interface LogEntry {
  /** ISO 8601 with milliseconds. */
  readonly at: string
  readonly level: LogEntryLevel
  readonly service: LogService
  /** Of a request: why it was refused, or empty. */
  readonly message: string
  readonly requestId?: string
  readonly userId?: string
  /** Set for requests. */
  readonly request?: {
    readonly method: string
    /** Without the query. */
    readonly path: string
    readonly status: number
    readonly ms: number
    /** Error code of a refused request. */
    readonly code?: string
    readonly address: string
  }
  /** Name of an edge function. */
  readonly function?: string
  readonly fields?: Readonly<Record<string, unknown>>
}

export interface ListedLogEntry extends LogEntry {
  /** Position in the log, by which pages begin. */
  readonly id: string
  /** Address of the user; `null` if there is none. */
  readonly email: string | null
}

/** `GET /logs`: entries, newest first. */
export interface LogPage {
  readonly entries: readonly ListedLogEntry[]
  /** Position for the next page; missing at the end of the log. */
  readonly next?: string
  /** Time back to which the log was searched, if the search ended early. */
  readonly searchedTo?: string
  /** Position of the end of the log, for entries that come later. */
  readonly newest?: string
  /** Whether there are more entries after the given position than this page has. */
  readonly hasGap: boolean
  /** Lines that were not kept since the start of this server. */
  readonly dropped: number
}
