import { createHash } from 'node:crypto'
import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from 'oauth4webapi'
import { insertFlowState, parseCodeChallenge, insertClientState } from '../flow-state/flow-state.ts'
import { isoNow, type Store } from '../store.ts'
import { findInvited, type AcceptInviteNeeds } from './accept-invite.ts'
import { RESERVED_PARAMETERS } from './custom/parse-custom-provider.ts'
import { invitedUserNotFound, providerUnreachable } from './errors.ts'
import type { ExternalProvider } from './provider.ts'
import type { Providers } from './providers.ts'

export type BeginFlowNeeds = Store & AcceptInviteNeeds & { readonly providers: Providers }

/** Query parameters for this server, not passed to the provider. */
const OWN_PARAMETERS = new Set([
  'provider',
  'scopes',
  'redirect_to',
  'invite_token',
  'skip_http_redirect',
  'apikey',
  'scope',
  'response_mode',
  'request',
  'request_uri',
])

export interface BeginInput {
  /** The query of the request: ours, and whatever else the app wants the provider to know (`prompt`, `login_hint`). */
  readonly query: URLSearchParams
  /** The signed-in user to whom an identity is linked. */
  readonly linkingTargetId?: string
  /** Where people go in the end; allowed already. */
  readonly redirectTo: string
}

/**
 * Sends a person off to a provider.
 *
 * The provider gets the id of the flow as `state`, the challenge of a PKCE exchange of our own, and where it signs ID tokens a nonce,
 * which is made from the same verifier, so that one secret binds all that comes back to this flow.
 *
 * @returns the provider's address
 * @throws {HoldfastError} `validation_failed`, `user_not_found` for an invitation that is none, `unexpected_failure` when the provider
 * cannot be reached
 */
export async function beginFlow(needs: BeginFlowNeeds, input: BeginInput): Promise<string> {
  const { pool, clock, providers } = needs
  const { query } = input
  const provider = await providers.require(query.get('provider') ?? '')
  const codeChallenge = parseCodeChallenge(query.get('code_challenge') ?? '', query.get('code_challenge_method') ?? '')
  const inviteToken = query.get('invite_token') || undefined
  if (inviteToken && !(await findInvited(needs, pool, inviteToken))) throw invitedUserNotFound()
  const endpoint = await readAuthorizationEndpoint(provider)

  const now = isoNow(clock)
  const codeVerifier = generateRandomCodeVerifier()
  const state = await pool.transaction(async (tx) => {
    const clientStateId = await insertClientState(tx, { providerType: provider.name, codeVerifier, now })
    const flow = await insertFlowState(tx, {
      providerType: provider.name,
      authenticationMethod: 'oauth',
      codeChallenge,
      inviteToken,
      referrer: input.redirectTo,
      oauthClientStateId: clientStateId,
      linkingTargetId: input.linkingTargetId,
      emailOptional: provider.emailOptional,
      now,
    })
    return flow.id
  })

  for (const [name, value] of passedOn(query)) endpoint.searchParams.set(name, value)
  const parameters = {
    ...provider.parameters,
    client_id: provider.clientId,
    redirect_uri: provider.redirectUri,
    response_type: 'code',
    scope: scopesOf(provider, query.get('scopes') ?? '').join(' '),
    state,
    ...(provider.usesPkce
      ? { code_challenge: await calculatePKCECodeChallenge(codeVerifier), code_challenge_method: 'S256' }
      : {}),
    ...(provider.findIssuer ? { nonce: nonceOf(codeVerifier) } : {}),
  }
  for (const [name, value] of Object.entries(parameters)) endpoint.searchParams.set(name, value)
  return endpoint.href.replaceAll('+', '%20') // Apple reads a plus as one
}

/** The nonce cannot be computed from the challenge, nor the verifier from the nonce. */
export function nonceOf(codeVerifier: string): string {
  return createHash('sha256').update(`nonce ${codeVerifier}`).digest('base64url')
}

async function readAuthorizationEndpoint(provider: ExternalProvider): Promise<URL> {
  try {
    const server = await provider.readServer()
    return new URL(server.authorization_endpoint ?? '')
  } catch (error) {
    throw providerUnreachable(provider.name, error)
  }
}

function passedOn(query: URLSearchParams): (readonly [string, string])[] {
  return [...query].filter(([name]) => {
    const lower = name.toLowerCase()
    return !OWN_PARAMETERS.has(lower) && !RESERVED_PARAMETERS.has(lower)
  })
}

function scopesOf(provider: ExternalProvider, text: string): string[] {
  const asked = text.split(/[\s,]+/).filter((scope) => scope !== '')
  if (!provider.replacesScopes) return [...new Set([...provider.scopes, ...asked])]
  if (asked.length === 0) return [...provider.scopes]
  return provider.findIssuer && !asked.includes('openid') ? ['openid', ...asked] : asked
}
