import { Semaphore } from '@holdfast/foundation'
import { checksBusy, checkUnderWay, tooManyChecks } from '../errors.ts'
import { CHECK_BUDGET_MS, CHECK_COST_MIN_MS, CHECK_SHARE, CHECKS_MAX } from '../limits.ts'

/** Limits device checks so that they do not affect other users: one at a time per user, a few in total, and a limited share of time for each user. */
export interface CheckAdmission {
  /**
   * @returns to be called once when the check ends
   * @throws {HoldfastError} 429 if the user has a check in progress or has used up their time, 503 if too many are in progress
   */
  enter(userId: string): () => void
}

interface Used {
  readonly ms: number
  /** Time of `used`'s last update. */
  readonly at: number
}

/** @param now - a monotonic clock in ms */
export function createCheckAdmission(now: () => number): CheckAdmission {
  const semaphore = new Semaphore({
    permits: CHECKS_MAX,
    perKeyMax: 1,
    refuse: (reason) => (reason === 'key' ? checkUnderWay() : checksBusy()),
  })
  const used = new Map<string, Used>()

  function usedBy(userId: string): number {
    const known = used.get(userId)
    return known ? Math.max(0, known.ms - (now() - known.at) * CHECK_SHARE) : 0
  }

  /** Forgets users without used time. */
  function prune(): void {
    for (const userId of used.keys()) if (usedBy(userId) === 0) used.delete(userId)
  }

  return {
    enter(userId) {
      const before = usedBy(userId)
      if (before > CHECK_BUDGET_MS) throw tooManyChecks(Math.ceil((before - CHECK_BUDGET_MS) / CHECK_SHARE / 1_000))
      const release = semaphore.acquireNow({ key: userId })
      const startedAt = now()
      return () => {
        release()
        prune()
        const ms = Math.max(CHECK_COST_MIN_MS, now() - startedAt)
        used.set(userId, { ms: usedBy(userId) + ms, at: now() })
      }
    },
  }
}
