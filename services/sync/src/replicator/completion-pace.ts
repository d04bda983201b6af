import { COMPLETED_TOGETHER_MAX_MS, COMPLETED_TOGETHER_MS } from '../limits.ts'

/**
 * When tables that were filled are put into use while others are still being read. Each time, everybody's keys are evaluated again, and no checkpoint leaves
 * until they are: hundreds of small tables, each put into use by itself, would leave no time for a checkpoint in between.
 */
export interface CompletionPace {
  /** @returns for how long what was filled has to wait for more, in milliseconds */
  waitMs(): number
  /** @param isAll - whether nothing is left to be filled */
  used(isAll: boolean): void
}

/** @param now - a clock that never goes back, in milliseconds */
export function createCompletionPace(now: () => number): CompletionPace {
  let usedAt = Number.NEGATIVE_INFINITY
  let intervalMs = COMPLETED_TOGETHER_MS
  return {
    waitMs: () => Math.max(0, usedAt + intervalMs - now()),
    used(isAll) {
      const isFirst = usedAt === Number.NEGATIVE_INFINITY
      usedAt = isAll ? Number.NEGATIVE_INFINITY : now()
      // Longer and longer: with many tables, evaluating the keys takes long.
      intervalMs = isAll || isFirst ? COMPLETED_TOGETHER_MS : Math.min(2 * intervalMs, COMPLETED_TOGETHER_MAX_MS)
    },
  }
}
