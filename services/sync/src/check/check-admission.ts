import { Semaphore } from '@holdfast/foundation'
import { checksBusy, checkUnderWay, tooManyChecks } from '../errors.ts'
import { CHECK_BUDGET_MS, CHECK_COST_MIN_MS, CHECK_SHARE, CHECKS_MAX } from '../limits.ts'

/** Lets in so many comparisons that they cost nobody else anything: one at a time for each person, few at once, and a part of all time for each. */
export interface CheckAdmission {
  /**
   * @returns to be called once when it has ended
   * @throws {HoldfastError} 429 when one of the person is under way or they took long before, 503 when there are as many as fit
   */
  enter(person: string): () => void
}

interface Used {
  readonly ms: number
  /** When that was. */
  readonly at: number
}

/** @param now - milliseconds of a clock that only goes forward */
export function createCheckAdmission(now: () => number): CheckAdmission {
  const semaphore = new Semaphore({
    permits: CHECKS_MAX,
    perKeyMax: 1,
    refuse: (reason) => (reason === 'key' ? checkUnderWay() : checksBusy()),
  })
  const used = new Map<string, Used>()

  function usedBy(person: string): number {
    const known = used.get(person)
    return known ? Math.max(0, known.ms - (now() - known.at) * CHECK_SHARE) : 0
  }

  /** Whoever has nothing left to wait for is forgotten. */
  function prune(): void {
    for (const person of used.keys()) if (usedBy(person) === 0) used.delete(person)
  }

  return {
    enter(person) {
      const before = usedBy(person)
      if (before > CHECK_BUDGET_MS) throw tooManyChecks(Math.ceil((before - CHECK_BUDGET_MS) / CHECK_SHARE / 1_000))
      const release = semaphore.acquireNow({ key: person })
      const startedAt = now()
      return () => {
        release()
        prune()
        const ms = Math.max(CHECK_COST_MIN_MS, now() - startedAt)
        used.set(person, { ms: usedBy(person) + ms, at: now() })
      }
    },
  }
}
