import type { JsonObject } from '@holdfast/foundation'
import {
  allowInsecureRequests,
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  nopkce,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from 'oauth4webapi'
import { nonceOf } from './begin-flow.ts'
import { badOAuthCallback, codeNotExchanged, nonceMismatch, profileNotRead } from './errors.ts'
import type { VerifyIdToken } from './id-token.ts'
import type { ExternalProfile } from './profile.ts'
import type { ExternalProvider } from './provider.ts'
import { parseProviderJson } from './provider-network.ts'
import { requireRecord } from './read-json.ts'

/** Result of exchanging a code. */
export interface Exchanged {
  readonly profile: ExternalProfile
  readonly accessToken: string
  readonly refreshToken: string | undefined
}

/**
 * Exchanges the code of a callback and reads the user's profile. Calls the provider, so never call it inside a transaction.
 *
 * @param input.callback - all parameters sent by the provider, including the state
 * @throws {HoldfastError} `bad_oauth_callback` for another provider's response, `unexpected_failure` if the provider rejects the code or
 * does not name the user
 */
export async function exchangeCode(input: {
  readonly provider: ExternalProvider
  readonly callback: URLSearchParams
  readonly codeVerifier: string
  readonly verifyIdToken: VerifyIdToken
}): Promise<Exchanged> {
  const { provider, callback, codeVerifier } = input
  const code = callback.get('code') ?? ''
  const server = await provider.readServer().catch((error: unknown) => {
    throw codeNotExchanged(code, error)
  })
  const client: Client = { client_id: provider.clientId }
  const parameters = checkCallback(server, client, callback)
  const tokens = await requestTokens({ provider, server, client, parameters, codeVerifier }).catch((error: unknown) => {
    throw codeNotExchanged(code, error)
  })
  try {
    const idToken = provider.findIssuer
      ? await verifyOwnIdToken(input.verifyIdToken, provider, tokens, codeVerifier)
      : undefined
    const profile = await provider.readProfile({ accessToken: tokens.accessToken, idToken, callback })
    return { profile, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken }
  } catch (error) {
    throw profileNotRead(error)
  }
}

interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly idToken: string | undefined
}

/** Checks that the response comes from the provider of this flow. @see RFC 9207 */
function checkCallback(server: AuthorizationServer, client: Client, callback: URLSearchParams): URLSearchParams {
  try {
    return validateAuthResponse(server, client, callback, callback.get('state') ?? '')
  } catch (error) {
    throw badOAuthCallback('OAuth callback is not one of the provider', error)
  }
}

async function requestTokens(input: {
  readonly provider: ExternalProvider
  readonly server: AuthorizationServer
  readonly client: Client
  readonly parameters: URLSearchParams
  readonly codeVerifier: string
}): Promise<Tokens> {
  const { provider, server, client, parameters } = input
  const takesOnlyBody =
    provider.clientAuthentication === 'post' ||
    (server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') === false &&
      server.token_endpoint_auth_methods_supported.includes('client_secret_post'))
  const request = (inBody: boolean): Promise<Response> =>
    authorizationCodeGrantRequest(
      server,
      client,
      (inBody ? ClientSecretPost : ClientSecretBasic)(provider.clientSecret),
      parameters,
      provider.redirectUri,
      provider.usesPkce ? input.codeVerifier : nopkce,
      {
        // `provider.network` refuses addresses that are neither https nor loopback.
        [allowInsecureRequests]: true,
        [customFetch]: (url, init) => provider.network.fetch(url, init),
        headers: { 'user-agent': 'holdfast-auth' },
      },
    )
  let response = await request(takesOnlyBody)
  // The client's registered authentication method cannot be discovered, so the other one is tried.
  if (response.status === 401 && !takesOnlyBody) response = await request(true)
  return readTokens(server, client, response)
}

/** Removes the ID token from the response: `id-token.ts` verifies ID tokens from all sources in one place. */
async function readTokens(server: AuthorizationServer, client: Client, response: Response): Promise<Tokens> {
  if (response.status !== 200) {
    await processAuthorizationCodeResponse(server, client, response)
    throw new Error(`the token endpoint answered ${response.status}`)
  }
  const { id_token: idToken, ...others } = requireRecord(parseProviderJson(await response.text()))
  const plain = new Response(JSON.stringify(others), { headers: { 'content-type': 'application/json' } })
  const tokens = await processAuthorizationCodeResponse(server, client, plain)
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    idToken: typeof idToken === 'string' ? idToken : undefined,
  }
}

async function verifyOwnIdToken(
  verifyIdToken: VerifyIdToken,
  provider: ExternalProvider,
  tokens: Tokens,
  codeVerifier: string,
): Promise<JsonObject> {
  if (tokens.idToken === undefined) throw new Error('the provider sent no ID token')
  const claims = await verifyIdToken(provider, tokens.idToken, tokens.accessToken)
  if (claims['nonce'] !== nonceOf(codeVerifier)) throw nonceMismatch()
  return claims
}
