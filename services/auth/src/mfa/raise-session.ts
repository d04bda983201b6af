import { assert } from '@holdfast/foundation'
import { type Queryable, sql, type Transaction } from '@holdfast/postgres'
import { sessionNotFound } from '../errors.ts'
import { findActiveRefreshToken, rotateRefreshToken, type PresentedToken } from '../sessions/refresh-tokens.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import { lockSession, type RequestOrigin, readSessionMethods, type SessionRow } from '../sessions/session-row.ts'
import type { AccessTokens } from '../tokens/access-tokens.ts'
import type { AuthenticationMethodName } from '../tokens/claims.ts'
import { findUserById } from '../users/user-row.ts'

/**
 * Raises a session to `aal2` after a second factor was verified, issues new tokens, and ends the user's sessions of a lower level.
 *
 * The previous refresh token is then two steps behind, so it stops working after the reuse interval: a token stolen at `aal1` cannot be
 * used to reach `aal2`.
 *
 * @param input.factorId - the verified factor
 * @throws {HoldfastError} `session_not_found` if the session has ended or can no longer be refreshed
 */
export async function raiseSession(
  accessTokens: AccessTokens,
  tx: Transaction,
  input: {
    readonly sessionId: string
    readonly factorId: string
    readonly method: AuthenticationMethodName
    readonly origin: RequestOrigin
    readonly now: string
  },
): Promise<SignedIn> {
  const { sessionId, factorId, method, origin, now } = input
  const session = await lockSession(tx, sessionId)
  if (!session) throw sessionNotFound()
  await tx.execute(sql`
    insert into auth.mfa_amr_claims (id, session_id, authentication_method, created_at, updated_at)
    values (gen_random_uuid(), ${sessionId}, ${method}, ${now}, ${now})
    on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey do update set updated_at = excluded.updated_at
  `)
  const first = await findTokenInUse(tx, session)
  const between = await rotateRefreshToken(tx, { used: first, session, origin, now, keep: false })
  const used = await findTokenInUse(tx, session)
  assert(used.text === between, 'the newest token is the one in use')
  const refreshToken = await rotateRefreshToken(tx, { used, session, origin, now, keep: false })
  await tx.execute(sql`update auth.sessions set aal = 'aal2', factor_id = ${factorId} where id = ${sessionId}`)
  await tx.execute(sql`
    delete from auth.sessions where user_id = ${session.user_id} and coalesce(aal, 'aal1') < 'aal2'
  `)

  const user = await findUserById(tx, session.user_id)
  assert(user, 'the session refers to the user')
  const amr = await readSessionMethods(tx, sessionId)
  const access = await accessTokens.issue(tx, {
    user,
    sessionId,
    aal: 'aal2',
    amr,
    method,
    notAfter: session.not_after,
  })
  return { user, access, refreshToken }
}

/** A session from a newer GoTrue has no token in the table until its first one is issued here. */
async function findTokenInUse(db: Queryable, session: SessionRow): Promise<PresentedToken> {
  const active = await findActiveRefreshToken(db, session.id)
  if (active) return { text: active.token, sessionId: session.id, rowId: active.id, usedAtMs: undefined }
  const [any] = await db.query(sql`select from auth.refresh_tokens where session_id = ${session.id} limit 1`)
  if (any || session.refresh_token_hmac_key === null) throw sessionNotFound()
  return { text: '', sessionId: session.id, rowId: undefined, usedAtMs: undefined }
}

/** `amr` method per factor type. */
export const FACTOR_METHODS = {
  totp: 'totp',
  phone: 'mfa/phone',
  webauthn: 'mfa/webauthn',
  recovery_code: 'mfa/recovery_code',
} as const satisfies Record<string, AuthenticationMethodName>
