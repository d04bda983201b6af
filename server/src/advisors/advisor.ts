import type { Clock } from '@holdfast/foundation'
import type { Advice } from '@holdfast/protocol'
import type { Pool } from '@holdfast/postgres'
import { advise } from './advise.ts'
import type { AdviceContext } from './lint.ts'

/** Time in ms for which advice is kept: the overview reads it every few seconds, and each reading takes some 20 statements. */
const KEPT_MS = 5 * 60_000

/** Advice, and when it was found in ms since the epoch. */
export interface TimedAdvice {
  readonly advice: readonly Advice[]
  readonly atMs: number
}

/** Returns advice that is at most some minutes old. @param isFresh - looks again, together with others who wait */
export type Advisor = (isFresh?: boolean) => Promise<TimedAdvice>

export function createAdvisor(pool: Pool, context: () => AdviceContext, { now }: Pick<Clock, 'now'>): Advisor {
  let known: TimedAdvice | undefined
  let running: Promise<TimedAdvice> | undefined

  async function find(): Promise<TimedAdvice> {
    known = { advice: await advise(pool, context()), atMs: now() }
    return known
  }

  return async (isFresh = false) => {
    if (known && !isFresh && now() - known.atMs < KEPT_MS) return known
    running ??= find().finally(() => (running = undefined))
    return await running
  }
}
