import { backoffMs } from '@holdfast/protocol'

/** First retry delay of an upload in ms; it doubles. */
export const RETRY_DELAY_MS_MIN = 1_000
/** Maximum retry delay in ms before jitter. */
export const RETRY_DELAY_MS_MAX = 60_000

/** Returns the delay after the `attempt`-th consecutive failure (from 1): 1, 2, 4 … 60 s, ±20 %, at least the server's `retry-after`. */
export function retryDelayMs(attempt: number, retryAfterMs: number | undefined, random: () => number): number {
  return Math.max(backoffMs(attempt - 1, RETRY_DELAY_MS_MIN, RETRY_DELAY_MS_MAX, random), retryAfterMs ?? 0)
}
