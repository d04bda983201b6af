import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthWorld, openAuthWorld } from './auth-world.ts'
import { authOf, createOtherApp, LOCAL, REDIRECT_URI } from './oauth-other-app.ts'

// Two real counterparts: supabase-js for users and administrators, and oauth4webapi, a certified OpenID and OAuth client, for the other app.

const NOBODYS_ID = '00000000-0000-4000-8000-000000000000'

let world: AuthWorld
let app: ReturnType<typeof createOtherApp>
let admin: typeof app.admin

beforeAll(async () => {
  world = await openAuthWorld(['--oauth-server-enabled', '--oauth-server-allow-dynamic-registration'])
  app = createOtherApp(world)
  admin = app.admin
})
afterAll(() => world[Symbol.asyncDispose]())

describe('auth.oauth.getAuthorizationDetails', () => {
  test('is refused without a session, and for an unknown request', async () => {
    expect((await world.openClient().auth.oauth.getAuthorizationDetails('x')).error).toMatchObject({
      name: 'AuthSessionMissingError',
    })
    const { auth } = await world.signUp()
    const { data, error } = await auth.oauth.getAuthorizationDetails('x')
    expect(error).toMatchObject({ status: 404, code: 'oauth_authorization_not_found' })
    expect(data).toBeNull()
  })

  test('returns the client and the requested scopes', async () => {
    const client = await app.createClient()
    const { page, authorizationId } = await app.begin(client)
    expect(page.origin + page.pathname).toBe(`${world.url}/oauth/consent`)
    const { auth, user, email } = await world.signUp()
    expect((await auth.oauth.getAuthorizationDetails(authorizationId)).data).toEqual({
      authorization_id: authorizationId,
      redirect_uri: REDIRECT_URI,
      client: { id: client.client_id, name: 'Another app', uri: '', logo_uri: '' },
      user: { id: user.id, email },
      scope: 'openid email',
    })
  })

  test('skips consent that was already given', async () => {
    const client = await app.createClient()
    const person = await world.signUp()
    await app.signIn(client, person)
    const { data } = await person.auth.oauth.getAuthorizationDetails((await app.begin(client)).authorizationId)
    expect(data).toEqual({ redirect_url: expect.stringContaining('code=') as string })
  })
})

describe('auth.oauth.approveAuthorization', () => {
  test('is refused before getAuthorizationDetails, and a second time', async () => {
    const { authorizationId } = await app.begin(await app.createClient())
    const { auth } = await world.signUp()
    expect((await auth.oauth.approveAuthorization(authorizationId)).error).toMatchObject({
      code: 'oauth_authorization_not_found',
    })
    await auth.oauth.getAuthorizationDetails(authorizationId)
    expect((await auth.oauth.approveAuthorization(authorizationId)).error).toBeNull()
    expect((await auth.oauth.approveAuthorization(authorizationId)).error).toMatchObject({
      message: 'authorization request is no longer pending',
    })
  })

  test.each(['client_secret_basic', 'client_secret_post', 'none'] as const)(
    'signs the user in to a client that authenticates by %s',
    async (method) => {
      const client = await app.createClient({ token_endpoint_auth_method: method })
      const person = await world.signUp()
      const { tokens, server } = await app.signIn(client, person)
      expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({
        iss: app.issuer.href,
        sub: person.user.id,
        aud: client.client_id,
        email: person.email,
        email_verified: true,
      })
      const self = { client_id: client.client_id }
      const info = await oauth.userInfoRequest(server, self, tokens.access_token, LOCAL)
      expect(await oauth.processUserInfoResponse(server, self, person.user.id, info)).toEqual({
        sub: person.user.id,
        email: person.email,
        email_verified: true,
      })
      const { data } = await world.openClient().auth.getClaims(tokens.access_token)
      expect(data?.claims).toMatchObject({ client_id: client.client_id, scope: 'openid email' })
    },
  )

  test('issues a refresh token that only the client can use', async () => {
    const client = await app.createClient()
    const { tokens, server } = await app.signIn(client, await world.signUp())
    const self = { client_id: client.client_id }
    const refreshToken = tokens.refresh_token ?? ''
    const own = await world.openClient().auth.refreshSession({ refresh_token: refreshToken })
    expect(own.error).toMatchObject({ status: 400 })
    const response = await oauth.refreshTokenGrantRequest(server, self, authOf(client), refreshToken, LOCAL)
    const next = await oauth.processRefreshTokenResponse(server, self, response)
    expect(next.refresh_token).not.toBe(refreshToken)
  })

  test('issues a code that works once', async () => {
    const client = await app.createClient()
    const begun = await app.begin(client)
    const callback = await app.agree(await world.signUp(), begun.authorizationId)
    const tokens = await app.exchange(client, begun, callback)
    await expect(app.exchange(client, begun, callback)).rejects.toMatchObject({ error: 'invalid_grant' })
    expect((await world.openClient().auth.getUser(tokens.access_token)).error).not.toBeNull()
  })

  test('issues a code that works only with its verifier', async () => {
    const client = await app.createClient()
    const begun = await app.begin(client)
    const callback = await app.agree(await world.signUp(), begun.authorizationId)
    const wrong = { ...begun, verifier: oauth.generateRandomCodeVerifier() }
    await expect(app.exchange(client, wrong, callback)).rejects.toMatchObject({ error: 'invalid_grant' })
  })
})

describe('auth.oauth.denyAuthorization', () => {
  test('is refused for an unknown request', async () => {
    const { auth } = await world.signUp()
    expect((await auth.oauth.denyAuthorization('x')).error).toMatchObject({ code: 'oauth_authorization_not_found' })
  })

  test('redirects to the client with access_denied', async () => {
    const client = await app.createClient()
    const { server, state, authorizationId } = await app.begin(client)
    const { auth } = await world.signUp()
    await auth.oauth.getAuthorizationDetails(authorizationId)
    const { data } = await auth.oauth.denyAuthorization(authorizationId)
    const callback = new URL(data?.redirect_url ?? '')
    expect(() => oauth.validateAuthResponse(server, { client_id: client.client_id }, callback, state)).toThrow(
      expect.objectContaining({ error: 'access_denied' }) as Error,
    )
  })
})

describe('auth.oauth.listGrants', () => {
  test('is refused without a session', async () => {
    const { data, error } = await world.openClient().auth.oauth.listGrants()
    expect(error).toMatchObject({ name: 'AuthSessionMissingError' })
    expect(data).toBeNull()
  })

  test('lists the clients that the user approved', async () => {
    const client = await app.createClient()
    const person = await world.signUp()
    expect((await person.auth.oauth.listGrants()).data).toEqual([])
    await app.signIn(client, person)
    expect((await person.auth.oauth.listGrants()).data).toEqual([
      {
        client: { id: client.client_id, name: 'Another app', uri: '', logo_uri: '' },
        scopes: ['openid', 'email'],
        granted_at: expect.any(String) as string,
      },
    ])
  })
})

describe('auth.oauth.revokeGrant', () => {
  test('is refused for a client without a grant', async () => {
    const { auth } = await world.signUp()
    const { error } = await auth.oauth.revokeGrant({ clientId: NOBODYS_ID })
    expect(error).toMatchObject({ status: 404, code: 'oauth_consent_not_found' })
  })

  test("ends the client's sessions; the next sign-in asks for consent", async () => {
    const client = await app.createClient()
    const person = await world.signUp()
    const { tokens, server } = await app.signIn(client, person)
    expect(await person.auth.oauth.revokeGrant({ clientId: client.client_id })).toEqual({ data: {}, error: null })
    const self = { client_id: client.client_id }
    const refreshToken = tokens.refresh_token ?? ''
    const response = await oauth.refreshTokenGrantRequest(server, self, authOf(client), refreshToken, LOCAL)
    await expect(oauth.processRefreshTokenResponse(server, self, response)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    const { data } = await person.auth.oauth.getAuthorizationDetails((await app.begin(client)).authorizationId)
    expect(data).toMatchObject({ scope: 'openid email' })
  })
})

describe('an OAuth client', () => {
  test('discovers the server by OpenID and OAuth metadata', async () => {
    const openid = await app.discover()
    const response = await oauth.discoveryRequest(app.issuer, { algorithm: 'oauth2', ...LOCAL })
    expect(await oauth.processDiscoveryResponse(app.issuer, response)).toEqual(openid)
    expect(openid).toMatchObject({ issuer: app.issuer.href, code_challenge_methods_supported: ['S256'] })
  })

  test('registers dynamically if that is enabled, and signs users in', async () => {
    const server = await app.discover()
    const response = await oauth.dynamicClientRegistrationRequest(
      server,
      { client_name: 'A new app', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' },
      LOCAL,
    )
    const registered = await oauth.processDynamicClientRegistrationResponse(response)
    const { data } = await admin.getClient(registered.client_id)
    expect(data).toMatchObject({ registration_type: 'dynamic' })
    if (!data) throw new Error('the app is there')
    expect((await app.signIn(data, await world.signUp())).tokens.id_token).toBeDefined()
  })

  test('is refused if the OAuth server is off', async () => {
    await using off = await openAuthWorld()
    const { auth } = off.openClient({ key: off.serviceRoleKey })
    expect((await auth.admin.oauth.listClients()).error).toMatchObject({ status: 404, code: 'feature_disabled' })
    const response = await oauth.discoveryRequest(new URL(`${off.url}/auth/v1`), { algorithm: 'oauth2', ...LOCAL })
    expect(response.status).toBe(404)
  })
})
