/** An upload that was not judged. */
export interface UploadFailure {
  /** HTTP status; `undefined` when there was no answer at all. */
  readonly status: number | undefined
  /** `error.code` of the answer, such as `PSYNC_S2103`. */
  readonly code: string | undefined
  readonly message: string
  /** The answer was in our vocabulary. Any other, such as the page of a hotel's network, says nothing about the transaction. */
  readonly fromServer: boolean
  readonly retryAfterMs: number | undefined
}

/**
 * `retry`: the same later, without end. `sign_in`: the token is no longer good; refresh it, else the person signs in again. `doubt`: the
 * server keeps saying no to the request itself; after a few attempts a person has to look. `never`: it is too large, and will not get smaller.
 */
export type FailureClass = 'retry' | 'sign_in' | 'doubt' | 'never'

/** How often a doubtful failure is tried again before the transaction goes to needs attention. */
export const DOUBTFUL_ATTEMPTS_MAX = 5

const RETRIED = new Set([408, 425, 429])

export function classifyFailure(failure: UploadFailure): FailureClass {
  if (failure.status === 413) return 'never' // whoever on the way says so
  if (failure.status === undefined || failure.status >= 500 || RETRIED.has(failure.status)) return 'retry'
  if (!failure.fromServer) return 'retry'
  if (failure.status === 401 || /^PSYNC_S210[1236]$/.test(failure.code ?? '')) return 'sign_in'
  return 'doubt'
}
