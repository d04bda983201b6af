import { HoldfastError } from '@holdfast/foundation'
import { sql, type Transaction, type Pool } from '@holdfast/postgres'
import { type FlowState, lockFlowState, takeClientState } from '../flow-state/flow-state.ts'
import { FLOW_STATE_LIFETIME_S } from '../limits.ts'
import type { RedirectPolicy } from '../redirects/redirect-policy.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { retryIfTaken } from '../sign-up/create-user.ts'
import { isoNow, type Store, isUuid } from '../store.ts'
import { acceptInvite, type AcceptInviteNeeds } from './accept-invite.ts'
import { enterAccount, type SignInOutcome, type EnterInput, type EnterAccountNeeds } from './enter-account.ts'
import { badOAuthCallback, badOAuthState, flowStateAlreadyUsed, oauthProviderNotSupported } from './errors.ts'
import { type Exchanged, exchangeCode } from './exchange-code.ts'
import { linkIdentity, type LinkIdentityNeeds } from './link-identity.ts'
import type { ExternalProvider } from './provider.ts'
import type { Providers } from './providers.ts'

export type FinishFlowNeeds = Store &
  AcceptInviteNeeds &
  EnterAccountNeeds &
  LinkIdentityNeeds & { readonly providers: Providers; readonly redirects: RedirectPolicy; readonly sessions: Sessions }

/** How a flow ended: the redirect target and its parameters. */
export type FlowEnd =
  /** The state is unknown, and so is the page that started the flow. */
  | { readonly kind: 'unknown'; readonly error: unknown }
  | { readonly kind: 'failed'; readonly redirectTo: string; readonly error: unknown }
  /** The provider's own error, for example because the user pressed "cancel". */
  | { readonly kind: 'refused'; readonly redirectTo: string; readonly error: string; readonly description: string }
  | { readonly kind: 'code'; readonly redirectTo: string; readonly code: string }
  | {
      readonly kind: 'tokens'
      readonly redirectTo: string
      readonly signedIn: SignedIn
      readonly providerToken: string
      readonly providerRefreshToken: string | undefined
    }

interface ClaimedFlow {
  readonly flow: FlowState
  readonly codeVerifier: string
}

/**
 * Handles the callback of a provider.
 *
 * A state works once, whatever the outcome: the first callback consumes the verifier.
 */
export async function finishFlow(
  needs: FinishFlowNeeds,
  input: { readonly callback: URLSearchParams; readonly origin: RequestOrigin },
): Promise<FlowEnd> {
  const { pool, redirects } = needs
  const { callback } = input
  let claimed: ClaimedFlow
  try {
    claimed = await claimFlow(needs, callback)
  } catch (error) {
    return { kind: 'unknown', error }
  }
  const redirectTo = claimed.flow.referrer ?? redirects.siteUrl
  try {
    const refusal = callback.get('error')
    if (refusal !== null && refusal !== '') {
      await forgetFlow(pool, claimed.flow)
      return { kind: 'refused', redirectTo, error: refusal, description: callback.get('error_description') ?? '' }
    }
    return await enter(needs, { ...input, ...claimed, redirectTo })
  } catch (error) {
    return { kind: 'failed', redirectTo, error }
  }
}

async function claimFlow({ pool, clock }: FinishFlowNeeds, callback: URLSearchParams): Promise<ClaimedFlow> {
  const state = callback.get('state') ?? ''
  if (state === '') throw badOAuthCallback('OAuth state parameter missing')
  if (!isUuid(state)) throw badOAuthState('OAuth state parameter is invalid')
  return pool.transaction(async (tx) => {
    const flow = await lockFlowState(tx, state)
    if (!flow || flow.authentication_method !== 'oauth') throw badOAuthState('OAuth state not found or expired')
    if (flow.created_at.getTime() + FLOW_STATE_LIFETIME_S * 1000 < clock.now()) {
      throw badOAuthState('OAuth state has expired')
    }
    const codeVerifier = flow.oauth_client_state_id
      ? await takeClientState(tx, { id: flow.oauth_client_state_id, providerType: flow.provider_type })
      : undefined
    if (flow.user_id !== null || codeVerifier === undefined) throw flowStateAlreadyUsed()
    return { flow, codeVerifier }
  })
}

async function enter(
  needs: FinishFlowNeeds,
  input: ClaimedFlow & {
    readonly callback: URLSearchParams
    readonly origin: RequestOrigin
    readonly redirectTo: string
  },
): Promise<FlowEnd> {
  const { pool, providers } = needs
  const { flow, callback, codeVerifier, redirectTo } = input
  if ((callback.get('code') ?? '') === '') {
    throw badOAuthCallback('OAuth callback with missing authorization code missing')
  }
  const provider = await providers.require(flow.provider_type).catch((error: unknown) => {
    throw error instanceof HoldfastError && error.code === 'validation_failed'
      ? oauthProviderNotSupported(error.message.replace(/^Unsupported provider: /, ''))
      : error
  })
  const { verifyIdToken } = providers
  const exchanged = await exchangeCode({ provider, callback, codeVerifier, verifyIdToken })
  const end = await retryIfTaken(() =>
    pool.transaction((tx) => writeSignIn(needs, tx, { ...input, provider, exchanged })),
  )
  if (end instanceof HoldfastError) return { kind: 'failed', redirectTo, error: end }
  return end
}

async function writeSignIn(
  needs: FinishFlowNeeds,
  tx: Transaction,
  input: ClaimedFlow & {
    readonly provider: ExternalProvider
    readonly exchanged: Exchanged
    readonly origin: RequestOrigin
    readonly redirectTo: string
  },
): Promise<FlowEnd | HoldfastError> {
  const { clock, sessions } = needs
  const { flow, provider, exchanged, origin, redirectTo } = input
  const now = isoNow(clock)
  const { userId, refusal } = await openDoor(needs, tx, flow, {
    provider,
    profile: exchanged.profile,
    origin,
    redirectTo,
    now,
  })
  if (refusal) {
    await tx.execute(sql`delete from auth.flow_state where id = ${flow.id}`)
    return refusal
  }
  if (flow.code_challenge !== null && flow.auth_code !== null) {
    await tx.execute(sql`
      update auth.flow_state
         set user_id = ${userId}, provider_access_token = ${exchanged.accessToken},
             provider_refresh_token = ${exchanged.refreshToken ?? ''}, auth_code_issued_at = ${now}, updated_at = ${now}
       where id = ${flow.id}
    `)
    return { kind: 'code', redirectTo, code: flow.auth_code }
  }
  await tx.execute(sql`delete from auth.flow_state where id = ${flow.id}`)
  const signedIn = await sessions.start(tx, { userId, method: 'oauth', origin, now })
  return {
    kind: 'tokens',
    redirectTo,
    signedIn,
    providerToken: exchanged.accessToken,
    providerRefreshToken: exchanged.refreshToken,
  }
}

function openDoor(needs: FinishFlowNeeds, tx: Transaction, flow: FlowState, input: EnterInput): Promise<SignInOutcome> {
  if (flow.linking_target_id !== null) {
    return linkIdentity(needs, tx, { ...input, targetUserId: flow.linking_target_id })
  }
  return flow.invite_token === null
    ? enterAccount(needs, tx, input)
    : acceptInvite(needs, tx, { ...input, inviteToken: flow.invite_token })
}

async function forgetFlow(pool: Pool, flow: FlowState): Promise<void> {
  await pool.execute(sql`delete from auth.flow_state where id = ${flow.id}`)
}
