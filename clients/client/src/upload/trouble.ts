import type { AttentionVerdict } from '../queue/attention-verdict.ts'
import { retryDelayMs } from './backoff.ts'
import { classifyFailure, DOUBTFUL_ATTEMPTS_MAX, type UploadFailure } from './classify-failure.ts'

/** Consecutive failures of the transaction at `position`. */
export interface Trouble {
  readonly position: number
  readonly attempts: number
  /** Failures suggesting that the server may never accept it. */
  readonly doubts: number
  /** Time of the next attempt in ms since the epoch. */
  readonly notBeforeMs: number
  readonly message: string
}

export type FailureOutcome =
  | { readonly kind: 'postponed'; readonly trouble: Trouble; readonly reason: 'retry' | 'sign_in' }
  /** The transaction is too large or was refused too often: the user decides. */
  | { readonly kind: 'rejected'; readonly verdict: AttentionVerdict }

/** Computes the consequences of another failure. */
export function noteFailure(
  before: Trouble | undefined,
  position: number,
  failure: UploadFailure,
  { now, random }: { readonly now: () => number; readonly random: () => number },
): FailureOutcome {
  const kind = classifyFailure(failure)
  const last = before?.position === position ? before : undefined
  const attempts = (last?.attempts ?? 0) + 1
  const doubts = (last?.doubts ?? 0) + (kind === 'doubt' ? 1 : 0)
  if (kind === 'never' || doubts >= DOUBTFUL_ATTEMPTS_MAX) {
    const { status: httpStatus, code, message } = failure
    return { kind: 'rejected', verdict: { op_id: position, status: 'unexpected', httpStatus, code, message } }
  }
  const notBeforeMs = now() + retryDelayMs(attempts, failure.retryAfterMs, random)
  return {
    kind: 'postponed',
    trouble: { position, attempts, doubts, notBeforeMs, message: failure.message },
    reason: kind === 'sign_in' ? 'sign_in' : 'retry',
  }
}
