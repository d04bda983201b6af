/** An edge function as the console lists it. Times are ISO 8601. */
export interface ListedFunction {
  readonly name: string
  /** `failed`: no entry module, or a link out of the functions folder. */
  readonly state: 'running' | 'idle' | 'failed'
  /** Why it is not served. */
  readonly reason?: string
  /** Entry module, relative to the functions folder. */
  readonly entry: string
  readonly verifyJwt: boolean
  /** Whether each request gets its own process. */
  readonly isOneshot: boolean
  /** When the entry module was last written. */
  readonly changedAt: string | null
  readonly processes: number
  readonly openRequests: number
  readonly memoryBytes: number
  readonly lastHour: FunctionCalls
  readonly sinceStart: FunctionCalls & { readonly coldStarts: number; readonly coldStartMs: number | null }
}

/** Calls of a function. `errors` are responses of 500 and above. */
export interface FunctionCalls {
  readonly calls: number
  readonly errors: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

/** `GET /functions`. */
export interface FunctionList {
  /** Whether the server serves functions. */
  readonly isOn: boolean
  readonly functions: readonly ListedFunction[]
  /** Names of secrets; values are never sent. */
  readonly secrets: readonly string[]
  /** When the server last read the project's files. */
  readonly loadedAt: string | null
  /** Why the project's files cannot be read. */
  readonly problem?: string
}

/** A line that a function printed, or that reports its process's state. */
export interface FunctionLogLine {
  readonly at: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly text: string
  readonly requestId: string | null
}

/** `GET /functions/:name/log`. Oldest first. */
export interface FunctionLog {
  readonly lines: readonly FunctionLogLine[]
  /** For `after`: only later lines. Starts with the server's id up to the dot. */
  readonly cursor: string
}

export const FUNCTION_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Whose keys a call has: the service key, the anon key, or a user's token. */
export type FunctionCaller = { readonly kind: 'service' | 'anon' } | { readonly kind: 'user'; readonly id: string }

/** `POST /functions/:name/call`. */
export interface FunctionCall {
  readonly method: (typeof FUNCTION_METHODS)[number]
  /** After the function's name: empty, or starts with `/` or `?`. */
  readonly path: string
  readonly as: FunctionCaller
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly body?: string
}

export type FunctionCallOutcome =
  | {
      readonly kind: 'answered'
      readonly ms: number
      readonly status: number
      readonly headers: readonly { readonly name: string; readonly value: string }[]
      readonly body: string
      /** Whether the body is cut at 1 MiB. */
      readonly isCut: boolean
    }
  | { readonly kind: 'failed'; readonly ms: number; readonly message: string }
