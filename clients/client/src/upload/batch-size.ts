/** Transactions per request; the server accepts 500. */
export const BATCH_TRANSACTIONS_MAX = 200

/** A request failing after this time, in ms, was cut by an unstable connection. Earlier failures usually mean no connection. */
const CUT_AFTER_MS = 1_000

/** Consecutive successes before retrying the size that was cut. */
const PROBE_AFTER = 8

/** Maximum number of transactions in the next request, and its history. */
export interface BatchSize {
  readonly max: number
  /** Size that was cut; avoided until many smaller requests have succeeded. */
  readonly cutAt: number | undefined
  /** Successful requests since. */
  readonly passed: number
}

export const LARGEST_BATCH: BatchSize = { max: BATCH_TRANSACTIONS_MAX, cutAt: undefined, passed: 0 }

/** All transactions were applied: doubles the size. */
export function afterApplied({ max, cutAt, passed }: BatchSize): BatchSize {
  const next = Math.min(max * 2, BATCH_TRANSACTIONS_MAX)
  if (cutAt === undefined) return { max: next, cutAt, passed: 0 }
  if (passed + 1 >= PROBE_AFTER) return { max: next, cutAt: undefined, passed: 0 }
  return { max: next < cutAt ? next : max, cutAt, passed: passed + 1 }
}

/** Reduces the size after a rejection, because a request ends at the first rejected transaction. */
export function afterRefused(size: BatchSize, applied: number): BatchSize {
  return { ...size, max: Math.min((applied + 1) * 2, size.cutAt ?? BATCH_TRANSACTIONS_MAX, BATCH_TRANSACTIONS_MAX) }
}

/**
 * A request got no response or one from an intermediary: a smaller one may succeed.
 *
 * @param sent - number of transactions
 * @param tookMs - time until the failure
 */
export function afterCut(size: BatchSize, sent: number, tookMs: number): BatchSize {
  if (sent <= 1) return size
  return { max: Math.ceil(sent / 4), cutAt: tookMs >= CUT_AFTER_MS ? sent : size.cutAt, passed: 0 }
}
