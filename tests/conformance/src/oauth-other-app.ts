import type { OAuthClient } from '@supabase/supabase-js'
import * as oauth from 'oauth4webapi'
import { expect } from 'vitest'
import type { AuthWorld, SignedUp } from './auth-world.ts'

/** On any port of this machine, as native apps have it. */
export const REDIRECT_URI = 'http://127.0.0.1:49152/callback'

/** The server is on this machine, without TLS. */
export const LOCAL = { [oauth.allowInsecureRequests]: true }

/** What another app remembers while its browser is away. */
interface Begun {
  readonly server: oauth.AuthorizationServer
  readonly verifier: string
  readonly state: string
  readonly nonce: string
  /** Where the browser was sent. */
  readonly page: URL
  readonly authorizationId: string
}

/** Another app, with a certified client of OpenID and OAuth, and the administrator who registers it. */
export function createOtherApp(world: AuthWorld) {
  const issuer = new URL(`${world.url}/auth/v1`)
  const admin = world.openClient({ key: world.serviceRoleKey }).auth.admin.oauth

  async function createClient(more: Partial<Parameters<typeof admin.createClient>[0]> = {}) {
    const { data, error } = await admin.createClient({
      client_name: 'Another app',
      redirect_uris: ['http://127.0.0.1/callback'],
      ...more,
    })
    expect(error).toBeNull()
    if (!data) throw new Error('creating gives the client')
    return data
  }

  async function discover(): Promise<oauth.AuthorizationServer> {
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...LOCAL })
    return oauth.processDiscoveryResponse(issuer, response)
  }

  /** What another app does, up to where the person is asked. */
  async function begin(client: OAuthClient, scope = 'openid email'): Promise<Begun> {
    const server = await discover()
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const nonce = oauth.generateRandomNonce()
    const url = new URL(server.authorization_endpoint ?? '')
    url.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString()
    const response = await fetch(url, { redirect: 'manual' })
    expect(response.status).toBe(302)
    const page = new URL(response.headers.get('location') ?? '')
    return { server, verifier, state, nonce, page, authorizationId: page.searchParams.get('authorization_id') ?? '' }
  }

  /** The person looks at the page, and agrees where they are asked. @returns where their browser goes */
  async function agree({ auth }: SignedUp, authorizationId: string): Promise<URL> {
    const { data, error } = await auth.oauth.getAuthorizationDetails(authorizationId)
    expect(error).toBeNull()
    if (data && 'redirect_url' in data) return new URL(data.redirect_url)
    const approved = await auth.oauth.approveAuthorization(authorizationId)
    return new URL(approved.data?.redirect_url ?? '')
  }

  /** What another app does once the browser is back. */
  async function exchange(client: OAuthClient, begun: Begun, callback: URL) {
    const { server, state, nonce, verifier } = begun
    const self = { client_id: client.client_id }
    const parameters = oauth.validateAuthResponse(server, self, callback, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      self,
      authOf(client),
      parameters,
      REDIRECT_URI,
      verifier,
      LOCAL,
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, self, response, { expectedNonce: nonce })
    await oauth.validateApplicationLevelSignature(server, response, LOCAL)
    return tokens
  }

  async function signIn(client: OAuthClient, person: SignedUp, scope?: string) {
    const begun = await begin(client, scope)
    const tokens = await exchange(client, begun, await agree(person, begun.authorizationId))
    return { ...begun, tokens }
  }

  return { issuer, admin, createClient, discover, begin, agree, exchange, signIn }
}

/** How an app is registered to prove who it is. */
export function authOf({
  token_endpoint_auth_method: method,
  client_secret: secret = '',
}: OAuthClient): oauth.ClientAuth {
  if (method === 'none') return oauth.None()
  return method === 'client_secret_post' ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret)
}
