import { randomUUID } from 'node:crypto'
import { type Queryable, sql } from '@holdfast/postgres'
import { CHALLENGE_LIFETIME_S } from './limits.ts'

export interface ChallengeRow {
  readonly id: string
  readonly created_at: Date
  readonly verified_at: Date | null
  readonly otp_code: string | null
  readonly web_authn_session_data: unknown
  readonly is_from_here: boolean
}

/**
 * Inserts a challenge and deletes the factor's expired ones.
 *
 * @param challenge.id - of the new row
 * @param challenge.otpHash - of the code sent to a phone
 * @param challenge.webAuthn - data to be signed by a security key
 */
export async function insertChallenge(
  db: Queryable,
  challenge: {
    readonly id: string
    readonly factorId: string
    readonly address: string
    readonly now: string
    readonly otpHash?: string
    readonly webAuthn?: object
  },
): Promise<void> {
  const { id, factorId, now } = challenge
  await db.execute(sql`
    with forgotten as (
      delete from auth.mfa_challenges
       where factor_id = ${factorId}
         and created_at < ${now}::timestamptz - make_interval(secs => ${2 * CHALLENGE_LIFETIME_S})
    ),
    challenged as (
      update auth.mfa_factors set last_challenged_at = ${now}::timestamptz where id = ${factorId}
    )
    insert into auth.mfa_challenges (id, factor_id, created_at, ip_address, otp_code, web_authn_session_data)
    values (
      ${id}, ${factorId}, ${now}, ${challenge.address}::inet, ${challenge.otpHash ?? null},
      ${challenge.webAuthn === undefined ? null : JSON.stringify(challenge.webAuthn)}::jsonb
    )
  `)
}

export function createChallengeId(): string {
  return randomUUID()
}

/** @param input.address - of the responding client */
export async function findChallenge(
  db: Queryable,
  input: { readonly challengeId: string; readonly factorId: string; readonly address: string },
): Promise<ChallengeRow | undefined> {
  const [challenge] = await db.query<ChallengeRow>(sql`
    select id, created_at, verified_at, otp_code, web_authn_session_data, ip_address = ${input.address}::inet as is_from_here
      from auth.mfa_challenges
     where id = ${input.challengeId} and factor_id = ${input.factorId}
  `)
  return challenge
}

/** Returns when a challenge expires, in ms since the epoch. */
export function challengeEndMs(createdAtMs: number): number {
  return createdAtMs + CHALLENGE_LIFETIME_S * 1000
}

export async function markVerified(db: Queryable, input: { challengeId: string; now: string }): Promise<void> {
  await db.execute(sql`update auth.mfa_challenges set verified_at = ${input.now} where id = ${input.challengeId}`)
}

export async function deleteChallenge(db: Queryable, challengeId: string): Promise<void> {
  await db.execute(sql`delete from auth.mfa_challenges where id = ${challengeId}`)
}
