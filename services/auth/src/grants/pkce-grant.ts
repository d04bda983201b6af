import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { flowStateNotFound, userBanned, validationFailed } from '../errors.ts'
import { takeFlowState } from '../flow-state/flow-state.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store.ts'
import type { AuthenticationMethodName } from '../tokens/claims.ts'
import { findUserById, isBanned, lockUser, type UserRow } from '../users/user-row.ts'

export type GrantByAuthCodeNeeds = Store & { readonly sessions: Sessions }

/** A session, and the provider's tokens for its own API if the flow used one. */
export interface SignedInByFlow {
  readonly signedIn: SignedIn
  readonly providerToken: string | undefined
  readonly providerRefreshToken: string | undefined
}

/**
 * Exchanges the code from a redirect for a session, for the client that started the flow.
 *
 * @throws {HoldfastError} `validation_failed`, `flow_state_not_found`, `flow_state_expired`, `bad_code_verifier`, `user_banned`
 */
export async function grantByAuthCode(
  { pool, clock, sessions }: GrantByAuthCodeNeeds,
  input: { readonly authCode: string; readonly codeVerifier: string; readonly origin: RequestOrigin },
): Promise<SignedInByFlow> {
  const { authCode, codeVerifier, origin } = input
  if (authCode === '' || codeVerifier === '') {
    throw validationFailed('invalid request: both auth code and code verifier should be non-empty')
  }
  const nowMs = clock.now()
  const now = new Date(nowMs).toISOString()
  return pool.transaction(async (tx) => {
    const flow = await takeFlowState(tx, { authCode, codeVerifier, nowMs })
    const user = flow.user_id === null ? undefined : await findForSession(tx, flow.user_id)
    if (!user) throw flowStateNotFound('invalid flow state, no valid flow state found')
    if (isBanned(user, nowMs)) throw userBanned(400)
    const traits = { provider_type: flow.provider_type }
    await recordAudit(tx, { action: 'login', actor: user, address: origin.address, now, traits })
    // Written only by `insertFlowState`, from the same type.
    const method = flow.authentication_method as AuthenticationMethodName
    const signedIn = await sessions.start(tx, { userId: user.id, method, origin, now })
    return {
      signedIn,
      providerToken: flow.provider_access_token || undefined,
      providerRefreshToken: flow.provider_refresh_token || undefined,
    }
  })
}

/** Finds the user under lock. Waits for a concurrent deletion, because a deleted account must not get a session. */
async function findForSession(tx: Transaction, userId: string): Promise<UserRow | undefined> {
  await lockUser(tx, userId)
  return await findUserById(tx, userId)
}
