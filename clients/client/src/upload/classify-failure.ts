/** An upload that was not judged. */
export interface UploadFailure {
  /** HTTP status; `undefined` without a response. */
  readonly status: number | undefined
  /** `error.code` of the response, such as `PSYNC_S2103`. */
  readonly code: string | undefined
  readonly message: string
  /** Whether the response has the server's format. Any other, such as a captive portal's page, says nothing about the transaction. */
  readonly fromServer: boolean
  readonly retryAfterMs: number | undefined
}

/**
 * `retry`: retry indefinitely. `sign_in`: the token is invalid; refresh it or ask the user to sign in. `doubt`: the server refuses the request itself; after
 * several attempts the user decides. `never`: it is too large.
 */
export type FailureClass = 'retry' | 'sign_in' | 'doubt' | 'never'

/** Retries of a doubtful failure before needs attention. */
export const DOUBTFUL_ATTEMPTS_MAX = 5

const RETRIED = new Set([408, 425, 429])

export function classifyFailure(failure: UploadFailure): FailureClass {
  if (failure.status === 413) return 'never' // also if an intermediary says so
  if (failure.status === undefined || failure.status >= 500 || RETRIED.has(failure.status)) return 'retry'
  if (!failure.fromServer) return 'retry'
  if (failure.status === 401 || /^PSYNC_S210[1236]$/.test(failure.code ?? '')) return 'sign_in'
  return 'doubt'
}
