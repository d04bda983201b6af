import { HoldfastError, type Logger } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import {
  refreshSessionExpired,
  refreshTokenAlreadyUsed,
  refreshTokenNotFound,
  refreshTokenRequired,
  userBanned,
} from '../errors.ts'
import { failForNow } from '../hooks/errors.ts'
import type { AuthOptions, WithOptions } from '../options/auth-options.ts'
import type { RateLimits } from '../rate-limits.ts'
import { lockPresentedToken } from '../sessions/presented-token.ts'
import {
  findActiveRefreshToken,
  revokeRefreshTokenFamily,
  rotateRefreshToken,
  type PresentedToken,
} from '../sessions/refresh-tokens.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import {
  findSessionsOfUser,
  type RequestOrigin,
  type SessionRow,
  judgeSession,
  lastUsedMs,
} from '../sessions/session-row.ts'
import { findUserWithMethods } from '../sessions/user-with-session.ts'
import type { Store } from '../store.ts'
import type { AccessTokens } from '../tokens/access-tokens.ts'
import { isBanned } from '../users/user-row.ts'

export type GrantByRefreshTokenNeeds = Store &
  WithOptions<
    | 'enableRefreshTokenRotation'
    | 'refreshTokenReuseInterval'
    | 'sessionsInactivityTimeout'
    | 'sessionsSinglePerUser'
    | 'sessionsTimebox'
  > & { readonly accessTokens: AccessTokens; readonly logger: Logger; readonly limits: Pick<RateLimits, 'refresh'> }

/** Outcome under the session's lock. A refusal that changes rows must commit, so it is returned instead of thrown. */
type Rotation = { readonly kind: 'next'; readonly refreshToken: string } | { readonly kind: 'reused' }

/**
 * Exchanges a refresh token for a new pair. Exchanges of one session are serialized.
 *
 * A used token is accepted in two cases, both as in GoTrue: if the newest token was issued for it (the client did not receive the
 * response), and within the reuse interval (a second tab). Both return the newest token; a session never has two. Any other reuse suggests
 * theft, so the whole family is revoked, including the newest token.
 *
 * @param input.oauthClientId - the requesting app, unless it is the user's own client; must be the one the session was granted to
 * @throws {HoldfastError} `refresh_token_not_found`, `refresh_token_already_used`, `session_expired`, `user_banned`,
 * `validation_failed`, `invalid_client`, `over_request_rate_limit`
 * @see Supabase documentation, "User sessions", "What is refresh token reuse detection and what does it protect from?"
 */
export async function grantByRefreshToken(
  { pool, clock, accessTokens, limits, logger, options }: GrantByRefreshTokenNeeds,
  input: {
    readonly refreshToken: string
    readonly origin: RequestOrigin
    readonly oauthClientId?: string | undefined
  },
): Promise<SignedIn> {
  if (input.refreshToken === '') throw refreshTokenRequired()

  const outcome = await pool.transaction(async (tx): Promise<SignedIn | 'reused'> => {
    const locked = await lockPresentedToken(tx, input.refreshToken)
    if (!locked) {
      await limits.refresh.take(input.origin.address)
      throw refreshTokenNotFound()
    }
    const { session, token } = locked
    await limits.refresh.take(input.origin.address, session.id)
    requireSameClient(session, input.oauthClientId)
    const nowMs = clock.now()
    const expired = judgeSession(session, options, nowMs)
    if (expired) throw expired
    const found = await findUserWithMethods(tx, session.user_id, session.id)
    if (!found) throw refreshTokenNotFound()
    const { user, methods: amr } = found
    if (isBanned(user, nowMs)) throw userBanned(400)
    if (options.sessionsSinglePerUser) await requireNewestSession(options, tx, session, nowMs)

    const rotation = await rotate(options, tx, { session, token, origin: input.origin, nowMs })
    if (rotation.kind === 'reused') {
      const now = new Date(nowMs).toISOString()
      await recordAudit(tx, { action: 'token_revoked', actor: user, address: input.origin.address, now })
      return 'reused'
    }
    const access = await accessTokens
      .issue(tx, {
        user,
        sessionId: session.id,
        aal: session.aal ?? 'aal1',
        amr,
        method: 'token_refresh',
        oauthClientId: session.oauth_client_id,
        scopes: session.scopes,
        notAfter: session.not_after,
        address: input.origin.address,
      })
      .catch(failForNow)
    return { user, access, refreshToken: rotation.refreshToken }
  })
  if (outcome === 'reused') {
    logger.log('warn', 'a used refresh token was presented again; its session was ended')
    throw refreshTokenAlreadyUsed()
  }
  return outcome
}

/** Requires that the app the session was granted to refreshes it, or the user's own client if it was granted to none. */
function requireSameClient(session: SessionRow, oauthClientId: string | undefined): void {
  if ((session.oauth_client_id ?? undefined) === oauthClientId) return
  const message =
    session.oauth_client_id === null
      ? 'Client authentication not allowed for non-OAuth session'
      : "Client does not match the session's OAuth client"
  throw new HoldfastError('invalid_client', 400, message)
}

/** @throws {HoldfastError} `session_expired` if the user has signed in elsewhere since the session was last used */
async function requireNewestSession(
  options: Pick<AuthOptions, 'sessionsInactivityTimeout' | 'sessionsTimebox'>,
  tx: Transaction,
  session: SessionRow,
  nowMs: number,
): Promise<void> {
  const others = await findSessionsOfUser(tx, session.user_id)
  const isSuperseded = others.some(
    (other) =>
      other.id !== session.id &&
      lastUsedMs(other) > lastUsedMs(session) &&
      judgeSession(other, options, nowMs) === undefined,
  )
  if (isSuperseded) throw refreshSessionExpired('Revoked by Newer Login')
}

async function rotate(
  options: Pick<AuthOptions, 'enableRefreshTokenRotation' | 'refreshTokenReuseInterval'>,
  tx: Transaction,
  input: {
    readonly session: SessionRow
    readonly token: PresentedToken
    readonly origin: RequestOrigin
    readonly nowMs: number
  },
): Promise<Rotation> {
  const { session, token, nowMs, origin } = input
  const { enableRefreshTokenRotation, refreshTokenReuseInterval } = options
  const now = new Date(nowMs).toISOString()
  if (token.usedAtMs === undefined) {
    const keep = !enableRefreshTokenRotation && token.rowId !== undefined
    return { kind: 'next', refreshToken: await rotateRefreshToken(tx, { used: token, session, origin, now, keep }) }
  }
  const active = await findActiveRefreshToken(tx, session.id)
  const reusableUntilMs = token.usedAtMs + refreshTokenReuseInterval * 1000
  if (active && (active.parent === token.text || nowMs <= reusableUntilMs)) {
    return { kind: 'next', refreshToken: active.token }
  }
  if (enableRefreshTokenRotation) await revokeRefreshTokenFamily(tx, { sessionId: session.id, now })
  return { kind: 'reused' }
}
