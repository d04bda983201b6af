/** Transactions that go up in one request; the server takes 500. */
export const BATCH_TRANSACTIONS_MAX = 200

/** A request that had no answer for so long was on a line that did not last for it, in milliseconds. What fails sooner mostly had no line at all. */
const CUT_AFTER_MS = 1_000

/** So many requests in a row have to get through before as many transactions are tried again as were cut. */
const PROBE_AFTER = 8

/** How many transactions the next request has at most, and why. */
export interface BatchSize {
  readonly max: number
  /** As many were cut: until many shorter requests got through there are fewer. */
  readonly cutAt: number | undefined
  /** Requests that got through since. */
  readonly passed: number
}

export const LARGEST_BATCH: BatchSize = { max: BATCH_TRANSACTIONS_MAX, cutAt: undefined, passed: 0 }

/** All transactions of a request were applied: the next one may have twice as many. */
export function afterApplied({ max, cutAt, passed }: BatchSize): BatchSize {
  const next = Math.min(max * 2, BATCH_TRANSACTIONS_MAX)
  if (cutAt === undefined) return { max: next, cutAt, passed: 0 }
  if (passed + 1 >= PROBE_AFTER) return { max: next, cutAt: undefined, passed: 0 }
  return { max: next < cutAt ? next : max, cutAt, passed: passed + 1 }
}

/** A request ends with the first refused transaction, so that few are sent after one, and then more again. */
export function afterRefused(size: BatchSize, applied: number): BatchSize {
  return { ...size, max: Math.min((applied + 1) * 2, size.cutAt ?? BATCH_TRANSACTIONS_MAX, BATCH_TRANSACTIONS_MAX) }
}

/**
 * A request had no answer, or one of whatever stands between: a shorter one may get through.
 *
 * @param sent - its transactions
 * @param tookMs - until that was known
 */
export function afterCut(size: BatchSize, sent: number, tookMs: number): BatchSize {
  if (sent <= 1) return size
  return { max: Math.ceil(sent / 4), cutAt: tookMs >= CUT_AFTER_MS ? sent : size.cutAt, passed: 0 }
}
