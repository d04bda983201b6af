import { randomUUID, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { type Queryable, sql } from '@holdfast/postgres'
import { USER_AGENT_CHARS_MAX } from '../limits.ts'
import type { AuthenticationMethodName } from '../tokens/claims.ts'
import type { RequestOrigin } from './session-row.ts'

export interface NewSession {
  readonly userId: string
  /** The first entry of the session's `amr`. */
  readonly method: AuthenticationMethodName
  readonly origin: RequestOrigin
  /** The app the session is granted to and its scopes, unless it is the user's own client. */
  readonly oauthClient?: { readonly id: string; readonly scopes: string } | undefined
  /** Of a support link: seconds after which the session ends. */
  readonly supportSeconds?: number | undefined
  /** ISO 8601. */
  readonly now: string
}

/** Tag of sessions of support links. */
export const SUPPORT_TAG = 'support'

/** Starts a session at `aal1` with its first refresh token, and records the sign-in on the user. */
export async function createSession(
  db: Queryable,
  input: NewSession,
): Promise<{ readonly sessionId: string; readonly refreshToken: string; readonly notAfter: Date | null }> {
  const { userId, origin, supportSeconds, now } = input
  const notAfter = supportSeconds === undefined ? null : new Date(Date.parse(now) + supportSeconds * 1_000)
  const sessionId = randomUUID()
  const refreshToken = createRefreshToken()
  await db.execute(sql`
    with session as (
      insert into auth.sessions (id, user_id, aal, created_at, updated_at, user_agent, ip, oauth_client_id, scopes, not_after, tag)
      values (
        ${sessionId}, ${userId}, 'aal1', ${now}, ${now}, ${userAgentOf(origin)}, ${addressOf(origin)},
        ${input.oauthClient?.id ?? null}, ${input.oauthClient?.scopes ?? null},
        ${notAfter?.toISOString() ?? null}, ${notAfter && SUPPORT_TAG}
      )
      returning id, created_at
    ),
    method as (
      insert into auth.mfa_amr_claims (id, session_id, authentication_method, created_at, updated_at)
      select gen_random_uuid(), session.id, ${input.method}, session.created_at, session.created_at from session
    ),
    token as (
      insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
      select '00000000-0000-0000-0000-000000000000'::uuid, ${refreshToken}::text, ${userId}::text, false,
             session.created_at, session.created_at, session.id
        from session
    )
    update auth.users
       set last_sign_in_at = session.created_at, updated_at = session.created_at
      from session
     where users.id = ${userId}::uuid
  `)
  return { sessionId, refreshToken, notAfter }
}

export function userAgentOf(origin: RequestOrigin): string | null {
  return origin.userAgent?.replaceAll('\0', '').slice(0, USER_AGENT_CHARS_MAX) || null
}

export function addressOf(origin: RequestOrigin): string | null {
  return isIP(origin.address) === 0 ? null : origin.address
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** Creates a refresh token: 24 characters of 5 random bits each. */
export function createRefreshToken(): string {
  return Array.from(randomBytes(24), (byte) => ALPHABET.charAt(byte & 31)).join('')
}
