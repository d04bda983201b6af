/** What a {@link HoldfastError} may carry beside its code and message. */
export interface ErrorExtras {
  /** What exactly was wrong, safe to show to the caller. */
  readonly detail?: string | undefined
  /** What the caller can do about it. */
  readonly hint?: string | undefined
  /** The private cause: logged, never rendered. */
  readonly cause?: unknown
  /** Response headers that belong to the refusal, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The words after the status of the answer, when they are not the usual ones. */
  readonly statusText?: string | undefined
}

/**
 * A refused action or a failure of the world, in the vocabulary of the public client that will read it.
 *
 * Each service declares its own in `errors.ts` and renders them at its edge. A bug of ours is never one of these: it is a
 * failed {@link assert}.
 */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError'
  readonly code: string
  /** HTTP status that the edge answers with. */
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

/** A refusal that is always the same. */
export function refusal(...args: ConstructorParameters<typeof HoldfastError>): () => HoldfastError {
  return () => new HoldfastError(...args)
}

/** Anything that was thrown as the log has it: with its stack; of a {@link HoldfastError} its private cause. */
export function errorCause(thrown: unknown): string {
  const cause = thrown instanceof HoldfastError ? (thrown.cause ?? thrown.message) : thrown
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}
