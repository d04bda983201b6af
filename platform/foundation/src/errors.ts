/** Optional properties of a {@link HoldfastError}. */
export interface ErrorExtras {
  /** Details of the problem, safe to show to the caller. */
  readonly detail?: string | undefined
  /** What the caller can do about it. */
  readonly hint?: string | undefined
  /** The private cause: logged, never rendered. */
  readonly cause?: unknown
  /** Response headers to send with the error, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Reason phrase of the response, if not the default for the status. */
  readonly statusText?: string | undefined
}

/**
 * A refused request or an external failure, in the vocabulary of the public client that reads it.
 *
 * Each service declares its errors in `errors.ts` and renders them at its edge. Bugs in Holdfast are failed {@link assert}s instead.
 */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError'
  readonly code: string
  /** HTTP status of the response. */
  readonly status: number
  readonly detail: string | undefined
  readonly hint: string | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly statusText: string | undefined

  constructor(code: string, status: number, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.code = code
    this.status = status
    this.detail = extras.detail
    this.hint = extras.hint
    this.headers = extras.headers
    this.statusText = extras.statusText
  }
}

/** Returns a factory for an error with fixed content. */
export function refusal(...args: ConstructorParameters<typeof HoldfastError>): () => HoldfastError {
  return () => new HoldfastError(...args)
}

/** Formats a thrown value for the log, with its stack. For a {@link HoldfastError}, formats its private cause. */
export function errorCause(thrown: unknown): string {
  const cause = thrown instanceof HoldfastError ? (thrown.cause ?? thrown.message) : thrown
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}
