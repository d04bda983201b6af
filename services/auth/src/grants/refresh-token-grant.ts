import { assert } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import type { AuthContext } from '../context.ts'
import {
  refreshSessionExpired,
  refreshTokenAlreadyUsed,
  refreshTokenNotFound,
  refreshTokenRequired,
  userBanned,
} from '../errors.ts'
import {
  findActiveRefreshToken,
  findRefreshToken,
  type RefreshTokenRow,
  revokeRefreshTokenFamily,
  rotateRefreshToken,
} from '../sessions/refresh-tokens.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import { lockSession, type RequestOrigin, readSessionMethods, type SessionRow } from '../sessions/session-row.ts'
import { issueAccessToken } from '../tokens/issue-tokens.ts'
import { findUserById, isBanned } from '../users/user-row.ts'

/** What the database said under the session's lock. A refusal that changes rows has to commit, so it is not thrown inside. */
type Rotation = { readonly kind: 'next'; readonly refreshToken: string } | { readonly kind: 'reused' }

/**
 * Exchanges a refresh token for a new pair, one exchange of a session at a time.
 *
 * A used token is let through in two cases, both as GoTrue does: when the session's newest token was made from it (the client never
 * got the answer), and within the reuse interval (a second tab). Both get the newest token; a session never has two. Any other use of
 * a used token means that two hands hold it: the whole family is revoked, the newest token included.
 *
 * @throws {HoldfastError} `refresh_token_not_found`, `refresh_token_already_used`, `session_expired`, `user_banned`,
 * `validation_failed`
 * @see Supabase documentation, "User sessions", "What is refresh token reuse detection and what does it protect from?"
 */
export async function grantByRefreshToken(
  context: AuthContext,
  input: { readonly refreshToken: string; readonly origin: RequestOrigin },
): Promise<SignedIn> {
  const { pool } = context
  if (input.refreshToken === '') throw refreshTokenRequired()

  const outcome = await pool.transaction(async (tx): Promise<SignedIn | 'reused'> => {
    const presented = await findRefreshToken(tx, input.refreshToken)
    const session = presented?.session_id ? await lockSession(tx, presented.session_id) : undefined
    // Read again: the lock may have been waited for, and whoever held it may have used or removed the token.
    const token = session ? await findRefreshToken(tx, input.refreshToken) : undefined
    if (!session || !token) throw refreshTokenNotFound()
    const nowMs = context.clock.now()
    if (session.not_after !== null && session.not_after.getTime() <= nowMs) throw refreshSessionExpired()
    const user = await findUserById(tx, session.user_id)
    if (!user) throw refreshTokenNotFound()
    if (isBanned(user, nowMs)) throw userBanned(400)

    const rotation = await rotate(context, tx, { session, token, origin: input.origin, nowMs })
    if (rotation.kind === 'reused') {
      const now = new Date(nowMs).toISOString()
      await recordAudit(tx, { action: 'token_revoked', actor: user, address: input.origin.address, now })
      return 'reused'
    }
    const amr = await readSessionMethods(tx, session.id)
    const access = await issueAccessToken(context, tx, {
      user,
      sessionId: session.id,
      aal: session.aal ?? 'aal1',
      amr,
      method: 'token_refresh',
    })
    return { user, access, refreshToken: rotation.refreshToken }
  })
  if (outcome === 'reused') {
    context.logger.log('warn', 'a used refresh token was presented again; its session was ended')
    throw refreshTokenAlreadyUsed()
  }
  return outcome
}

async function rotate(
  context: AuthContext,
  tx: Transaction,
  input: {
    readonly session: SessionRow
    readonly token: RefreshTokenRow
    readonly origin: RequestOrigin
    readonly nowMs: number
  },
): Promise<Rotation> {
  const { session, token, nowMs } = input
  const now = new Date(nowMs).toISOString()
  assert(token.session_id === session.id, 'the lock is on the session of the token')
  if (!token.revoked) {
    const refreshToken = await rotateRefreshToken(tx, { used: token, sessionId: session.id, origin: input.origin, now })
    return { kind: 'next', refreshToken }
  }
  const active = await findActiveRefreshToken(tx, session.id)
  const reusableUntilMs = token.updated_at.getTime() + context.options.refreshTokenReuseInterval * 1000
  if (active && (active.parent === token.token || nowMs <= reusableUntilMs)) {
    return { kind: 'next', refreshToken: active.token }
  }
  await revokeRefreshTokenFamily(tx, { sessionId: session.id, now })
  return { kind: 'reused' }
}
