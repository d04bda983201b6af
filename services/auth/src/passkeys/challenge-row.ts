import { randomUUID } from 'node:crypto'
import { type Queryable, sql } from '@holdfast/postgres'
import { webAuthnChallengeExpired, webAuthnChallengeNotFound } from '../webauthn/errors.ts'
import type { Question } from '../webauthn/ceremonies.ts'
import { EXPIRED_CHALLENGES_REMOVED, PASSKEY_CHALLENGE_LIFETIME_S } from './limits.ts'

type ChallengeType = 'registration' | 'authentication'

/** A challenge as auth-js receives it. */
interface Asked {
  readonly challenge_id: string
  /** Seconds since the epoch. */
  readonly expires_at: number
}

/**
 * Stores a challenge.
 *
 * @param input.userId - the registering user; absent for a sign-in, whose user is unknown until it succeeds
 */
export async function savePasskeyChallenge(
  db: Queryable,
  input: {
    readonly type: ChallengeType
    readonly userId: string | undefined
    readonly question: Question
    readonly rpId: string
    readonly nowMs: number
  },
): Promise<Asked> {
  const { type, nowMs } = input
  const id = randomUUID()
  const now = new Date(nowMs).toISOString()
  const expiresAt = new Date(nowMs + PASSKEY_CHALLENGE_LIFETIME_S * 1000)
  await db.execute(sql`
    with forgotten as (
      delete from auth.webauthn_challenges
       where id in (
         select id from auth.webauthn_challenges
          where expires_at < ${now}::timestamptz - interval '1 hour'
          limit ${EXPIRED_CHALLENGES_REMOVED}
            for update skip locked
       )
    )
    insert into auth.webauthn_challenges (id, user_id, challenge_type, session_data, created_at, expires_at)
    values (
      ${id}, ${input.userId ?? null}, ${type}, ${JSON.stringify({ ...input.question, rpId: input.rpId })}::jsonb,
      ${now}, ${expiresAt.toISOString()}
    )
  `)
  return { challenge_id: id, expires_at: Math.floor(expiresAt.getTime() / 1000) }
}

/**
 * Deletes and returns a challenge. It accepts one response, right or wrong.
 *
 * @throws {HoldfastError} `webauthn_challenge_not_found`, `webauthn_challenge_expired`
 */
export async function consumePasskeyChallenge(
  db: Queryable,
  input: {
    readonly challengeId: string
    readonly type: ChallengeType
    readonly userId: string | undefined
    readonly nowMs: number
  },
): Promise<Question> {
  const [challenge] = await db.query<{ session_data: Question; expires_at: Date }>(sql`
    delete from auth.webauthn_challenges
     where id = ${input.challengeId}
       and challenge_type = ${input.type}
       and user_id is not distinct from ${input.userId ?? null}::uuid
    returning session_data, expires_at
  `)
  if (!challenge) throw webAuthnChallengeNotFound()
  if (challenge.expires_at.getTime() < input.nowMs) throw webAuthnChallengeExpired()
  return challenge.session_data
}
