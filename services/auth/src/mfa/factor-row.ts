import { randomUUID } from 'node:crypto'
import { type Queryable, sql } from '@holdfast/postgres'
import { type FactorType, tooManyAttempts } from './errors.ts'
import { CHALLENGE_LIFETIME_S, FACTOR_ATTEMPTS_MAX, FACTOR_ATTEMPTS_WINDOW_S } from './limits.ts'

export type FactorStatus = 'unverified' | 'verified'

export interface FactorRow {
  readonly id: string
  readonly user_id: string
  readonly friendly_name: string | null
  readonly factor_type: FactorType
  readonly status: FactorStatus
  /** For authenticator apps: base32, or encrypted as in GoTrue. */
  readonly secret: string | null
  readonly phone: string | null
  readonly last_challenged_at: Date | null
  readonly web_authn_credential: unknown
  readonly last_used_step: string | null
  readonly failed_attempts: number
  readonly failed_since: Date | null
}

const COLUMNS = sql`
  id, user_id, friendly_name, factor_type, status, secret, phone, last_challenged_at, web_authn_credential,
  last_used_step::text as last_used_step, failed_attempts, failed_since
`

export function findFactorsOfUser(db: Queryable, userId: string): Promise<FactorRow[]> {
  return db.query<FactorRow>(
    sql`select ${COLUMNS} from auth.mfa_factors where user_id = ${userId} order by created_at, id`,
  )
}

/** @returns `undefined` also for another user's factor */
export async function findFactor(
  db: Queryable,
  input: { readonly factorId: string; readonly userId: string },
): Promise<FactorRow | undefined> {
  const [factor] = await db.query<FactorRow>(sql`
    select ${COLUMNS} from auth.mfa_factors where id = ${input.factorId} and user_id = ${input.userId}
  `)
  return factor
}

/** Like {@link findFactor}, and locks the row until the end of the transaction. */
export async function lockFactor(
  db: Queryable,
  input: { readonly factorId: string; readonly userId: string },
): Promise<FactorRow | undefined> {
  const [factor] = await db.query<FactorRow>(sql`
    select ${COLUMNS} from auth.mfa_factors where id = ${input.factorId} and user_id = ${input.userId} for no key update
  `)
  return factor
}

/** @returns the id of the new, unverified factor */
export async function insertFactor(
  db: Queryable,
  factor: {
    readonly userId: string
    readonly type: FactorType
    readonly friendlyName: string
    readonly secret?: string
    readonly phone?: string
    readonly now: string
  },
): Promise<string> {
  const id = randomUUID()
  await db.execute(sql`
    insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone)
    values (
      ${id}, ${factor.userId}, ${factor.friendlyName}, ${factor.type}, 'unverified', ${factor.now}, ${factor.now},
      ${factor.secret ?? null}, ${factor.phone ?? null}
    )
  `)
  return id
}

/** Deletes abandoned enrolments: factors not verified in time and without an open challenge. */
export async function deleteAbandonedFactors(
  db: Queryable,
  input: { readonly userId: string; readonly now: string },
): Promise<void> {
  const longAgo = sql`${input.now}::timestamptz - make_interval(secs => ${CHALLENGE_LIFETIME_S})`
  await db.execute(sql`
    delete from auth.mfa_factors as factor
     where factor.user_id = ${input.userId}
       and factor.status = 'unverified'
       and factor.created_at < ${longAgo}
       and not exists (
         select from auth.mfa_challenges as challenge where challenge.factor_id = factor.id and challenge.created_at >= ${longAgo}
       )
  `)
}

/** Deletes the other unverified factors of a kind after one was verified. */
export async function deleteUnverifiedFactors(
  db: Queryable,
  input: { readonly userId: string; readonly type: FactorType },
): Promise<void> {
  await db.execute(sql`
    delete from auth.mfa_factors
     where user_id = ${input.userId} and factor_type = ${input.type} and status = 'unverified'
  `)
}

export async function deleteFactor(db: Queryable, factorId: string): Promise<void> {
  await db.execute(sql`delete from auth.mfa_factors where id = ${factorId}`)
}

/**
 * Records a correct response: marks the factor as verified and resets failed attempts.
 *
 * @param input.usedStep - step of the authenticator code
 */
export async function noteVerified(
  db: Queryable,
  input: { readonly factorId: string; readonly usedStep?: number | undefined; readonly now: string },
): Promise<void> {
  await db.execute(sql`
    update auth.mfa_factors
       set status = 'verified', updated_at = ${input.now}, failed_attempts = 0, failed_since = null,
           last_used_step = coalesce(${input.usedStep ?? null}::bigint, last_used_step)
     where id = ${input.factorId}
  `)
}

type Attempts = Pick<FactorRow, 'failed_attempts' | 'failed_since'>

/**
 * Limits failed attempts per factor too, because an attacker can use many addresses.
 *
 * @throws {HoldfastError} `over_request_rate_limit` with `retry-after` after too many failed attempts
 */
export function requireAttemptsLeft(factor: Attempts, nowMs: number): void {
  const waitS = attemptsWaitS(factor, nowMs)
  if (waitS > 0) throw tooManyAttempts(waitS)
}

/** Returns seconds until the next attempt is accepted; 0 for immediately. */
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

/** Returns seconds until failed attempts are forgotten. */
function secondsLeft(factor: Attempts, nowMs: number): number {
  if (factor.failed_since === null) return 0
  return Math.ceil((factor.failed_since.getTime() + FACTOR_ATTEMPTS_WINDOW_S * 1000 - nowMs) / 1000)
}
