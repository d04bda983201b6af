import { type Queryable, sql } from '@holdfast/postgres'
import { tooManyAttempts } from './errors.ts'
import type { FactorRow } from './factor-row.ts'
import { FACTOR_ATTEMPTS_MAX, FACTOR_ATTEMPTS_WINDOW_S } from './limits.ts'

type Attempts = Pick<FactorRow, 'failed_attempts' | 'failed_since'>

/**
 * Whoever guesses may come from many addresses, so wrong answers are counted with the factor too.
 *
 * @throws {HoldfastError} `over_request_rate_limit` with `retry-after` after too many of them
 */
export function requireAttemptsLeft(factor: Attempts, nowMs: number): void {
  const waitS = attemptsWaitS(factor, nowMs)
  if (waitS > 0) throw tooManyAttempts(waitS)
}

/** In how many seconds the next answer is looked at; 0 for at once. */
export function attemptsWaitS(factor: Attempts, nowMs: number): number {
  return factor.failed_attempts < FACTOR_ATTEMPTS_MAX ? 0 : Math.max(0, secondsLeft(factor, nowMs))
}

/** Counts a wrong answer. The caller holds the factor's lock. */
export async function noteFailedAttempt(
  db: Queryable,
  factor: Attempts & Pick<FactorRow, 'id'>,
  nowMs: number,
): Promise<void> {
  const goesOn = secondsLeft(factor, nowMs) > 0
  const attempts = goesOn ? factor.failed_attempts + 1 : 1
  const since = goesOn ? factor.failed_since : new Date(nowMs)
  await db.execute(sql`
    update auth.mfa_factors
       set failed_attempts = ${attempts}, failed_since = ${since?.toISOString() ?? null}
     where id = ${factor.id}
  `)
}

/** Until the wrong answers so far are forgotten. */
function secondsLeft(factor: Attempts, nowMs: number): number {
  if (factor.failed_since === null) return 0
  return Math.ceil((factor.failed_since.getTime() + FACTOR_ATTEMPTS_WINDOW_S * 1000 - nowMs) / 1000)
}
