/** First delay before an upload is tried again, in milliseconds; it doubles. */
export const RETRY_DELAY_MS_MIN = 1_000
/** The longest delay between two attempts, before the random part, in milliseconds. */
export const RETRY_DELAY_MS_MAX = 60_000

/** The delay after the `attempt`-th failure in a row (from 1): 1, 2, 4 … 60 s, ±20 %, and never before the server's `retry-after`. */
export function retryDelayMs(attempt: number, retryAfterMs: number | undefined, random: () => number): number {
  const base = Math.min(RETRY_DELAY_MS_MAX, RETRY_DELAY_MS_MIN * 2 ** Math.min(attempt - 1, 16))
  return Math.max(base * (0.8 + 0.4 * random()), retryAfterMs ?? 0)
}
