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
  /** The request's query: our parameters, and those passed on to the provider (`prompt`, `login_hint`). */
  readonly query: URLSearchParams
  /** The signed-in user to whom an identity is linked. */
  readonly linkingTargetId?: string
  /** Final redirect target, already checked. */
  readonly redirectTo: string
}

/**
 * Starts a sign-in with a provider.
 *
 * The provider receives the flow id as `state`, our own PKCE challenge and, if it signs ID tokens, a nonce. The nonce is derived from the
 * verifier, so one secret binds the whole response to this flow.
 *
 * @returns the provider's authorization URL
 * @throws {HoldfastError} `validation_failed`, `user_not_found` for an invalid invitation, `unexpected_failure` if the provider is unreachable
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

/** Derives the nonce from the verifier. It reveals nothing about the verifier and cannot be derived from the challenge. */
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
