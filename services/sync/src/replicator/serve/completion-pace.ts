import { COMPLETED_TOGETHER_MAX_MS, COMPLETED_TOGETHER_MS } from '../../limits.ts'

/**
 * Decides when filled tables are activated while others are still being read. Each activation re-evaluates the keys of all users and holds checkpoints until
 * then, so activating hundreds of small tables one by one would starve checkpoints.
 */
export interface CompletionPace {
  /** @returns how long filled tables wait for further ones, in ms */
  waitMs(): number
  /** @param isAll - whether all tables are filled */
  used(isAll: boolean): void
}

/** @param now - a monotonic clock in ms */
export function createCompletionPace(now: () => number): CompletionPace {
  let usedAt = Number.NEGATIVE_INFINITY
  let intervalMs = COMPLETED_TOGETHER_MS
  return {
    waitMs: () => Math.max(0, usedAt + intervalMs - now()),
    used(isAll) {
      const isFirst = usedAt === Number.NEGATIVE_INFINITY
      usedAt = isAll ? Number.NEGATIVE_INFINITY : now()
      // Back off: with many tables, evaluating the keys is slow.
      intervalMs = isAll || isFirst ? COMPLETED_TOGETHER_MS : Math.min(2 * intervalMs, COMPLETED_TOGETHER_MAX_MS)
    },
  }
}
