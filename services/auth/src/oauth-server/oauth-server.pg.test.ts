import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AdminApi, openAdminApi } from '../../test/call-as-admin.ts'
import { type AuthApp, type AuthWorld, openAuthWorld, type SessionBody } from '../../test/open-auth-world.ts'

const REDIRECT_URI = 'https://app.example.com/callback'
const VERIFIER = 'a-verifier-of-at-least-forty-three-characters'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

let world: AuthWorld
let app: AuthApp
let admin: AdminApi

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp({ oauthServerEnabled: true, siteUrl: 'https://id.example.org' })
  admin = await openAdminApi(app)
})

afterAll(() => world[Symbol.asyncDispose]())

interface Client {
  readonly client_id: string
  readonly client_secret: string
}

async function register(metadata: object = {}): Promise<Client> {
  const payload = { client_name: 'Another app', redirect_uris: [REDIRECT_URI], ...metadata }
  const { status, body } = await admin.call('POST', '/admin/oauth/clients', payload)
  expect(status).toBe(201)
  return body as unknown as Client
}

/** The browser asks. @returns where it is sent */
async function authorize(client: Client, parameters: Readonly<Record<string, string>> = {}): Promise<URL> {
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid email',
    state: 'a state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...parameters,
  })
  const answer = await app.call({ method: 'GET', url: `/oauth/authorize?${query.toString()}` })
  expect(answer.status).toBe(302)
  return new URL(String(answer.headers['location']))
}

async function begin(client: Client, parameters: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await authorize(client, parameters)).searchParams.get('authorization_id') ?? ''
}

function look(id: string, token: string | undefined, headers: Readonly<Record<string, string>> = {}) {
  return app.call({ method: 'GET', url: `/oauth/authorizations/${id}`, token, headers })
}

function decide(id: string, token: string | undefined, action = 'approve') {
  return app.call({ method: 'POST', url: `/oauth/authorizations/${id}/consent`, payload: { action }, token })
}

function redirectOf(body: object): URL {
  return new URL(String((body as { readonly redirect_url?: string }).redirect_url))
}

/** The person agrees. @returns the code */
async function consent(client: Client, person: SessionBody, parameters?: Readonly<Record<string, string>>) {
  const id = await begin(client, parameters)
  const details = await look(id, person.access_token)
  const answer = 'redirect_url' in details.body ? details : await decide(id, person.access_token)
  expect(answer.status).toBe(200)
  return redirectOf(answer.body).searchParams.get('code') ?? ''
}

interface TokenBody extends SessionBody {
  readonly id_token?: string
  readonly scope: string
  readonly error?: string
  readonly error_description?: string
}

/** The app asks. */
async function ask(fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
  const answer = await app.call({
    method: 'POST',
    url: '/oauth/token',
    payload: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
  return { ...answer, body: answer.body as TokenBody }
}

function basic({ client_id: id, client_secret: secret }: Client): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

function exchange(client: Client, code: string, fields: Readonly<Record<string, string>> = {}) {
  const all = { grant_type: 'authorization_code', code, code_verifier: VERIFIER, redirect_uri: REDIRECT_URI, ...fields }
  return ask(all, basic(client))
}

describe('While it is switched off', () => {
  test.each([
    ['GET', '/oauth/authorize'],
    ['POST', '/oauth/token'],
    ['POST', '/oauth/clients/register'],
    ['GET', '/oauth/userinfo'],
    ['GET', '/oauth/authorizations/x'],
    ['POST', '/oauth/authorizations/x/consent'],
    ['GET', '/user/oauth/grants'],
    ['DELETE', '/user/oauth/grants'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/admin/oauth/clients'],
  ] as const)('%s %s says so', async (method, url) => {
    await using off = await world.openApp()
    const token = url.startsWith('/admin') ? admin.key : undefined
    const payload = method === 'POST' ? { payload: {} } : {}
    expect(await off.call({ method, url, ...payload, token })).toMatchObject({
      status: 404,
      body: { code: 'feature_disabled', message: 'OAuth server is disabled' },
    })
  })
})

describe('Registering an app', () => {
  test('is for administrators', async () => {
    const { access_token: token } = await app.signUp()
    const payload = { redirect_uris: [REDIRECT_URI] }
    expect(await app.call({ method: 'POST', url: '/admin/oauth/clients', payload, token })).toMatchObject({
      status: 403,
      body: { code: 'not_admin' },
    })
    expect(await app.call({ method: 'POST', url: '/oauth/clients/register', payload })).toMatchObject({
      status: 403,
      body: { code: 'oauth_dynamic_client_registration_disabled' },
    })
  })

  test.each([
    [{ redirect_uris: [] }, 'redirect_uris is required'],
    [{ redirect_uris: ['http://app.example.com/'] }, 'HTTP scheme only allowed for localhost'],
    [{ grant_types: ['password'] }, 'grant_types must only contain'],
    [{ response_types: ['token'] }, 'response_types must only contain'],
    [{ token_endpoint_auth_method: 'private_key_jwt' }, 'token_endpoint_auth_method must be one of'],
    [{ client_type: 'public', token_endpoint_auth_method: 'client_secret_basic' }, 'is inconsistent with'],
    [{ client_uri: 'javascript:alert(1)' }, 'client_uri must be a valid URL'],
    [{ logo_uri: 'data:image/svg+xml,x' }, 'logo_uri must be a valid URL'],
    [{ client_name: 'x'.repeat(1025) }, 'client_name cannot exceed'],
  ])('refuses %j', async (metadata, message) => {
    const payload = { redirect_uris: [REDIRECT_URI], ...metadata }
    const { status, body } = await admin.call('POST', '/admin/oauth/clients', payload)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' })
    expect(body.message).toContain(message)
  })

  test('tells the secret once and keeps only its hash', async () => {
    const client = await register()
    const { body } = await admin.call('GET', `/admin/oauth/clients/${client.client_id}`)
    expect(body).toMatchObject({ client_name: 'Another app', client_type: 'confidential' })
    expect(body['client_secret']).toBeUndefined()
    const [row] = await world.db.pool.query(sql`
      select client_secret_hash from auth.oauth_clients where id = ${client.client_id}
    `)
    expect(JSON.stringify(row)).not.toContain(client.client_secret)
  })

  test('gives an app without a server no secret', async () => {
    const client = await register({ token_endpoint_auth_method: 'none' })
    expect(client).toMatchObject({ client_type: 'public' })
    expect(client.client_secret).toBeUndefined()
    const url = `/admin/oauth/clients/${client.client_id}/regenerate_secret`
    expect((await admin.call('POST', url)).status).toBe(400)
  })

  test('is open to apps themselves where that is switched on', async () => {
    await using open = await world.openApp({ oauthServerEnabled: true, oauthServerAllowDynamicRegistration: true })
    const payload = { redirect_uris: [REDIRECT_URI] }
    const answer = await open.call({ method: 'POST', url: '/oauth/clients/register', payload })
    expect(answer).toMatchObject({ status: 201, body: { registration_type: 'dynamic' } })
  })

  test('is not for ever', async () => {
    const client = await register()
    const person = await app.signUp()
    const { body } = await exchange(client, await consent(client, person))
    expect((await admin.call('DELETE', `/admin/oauth/clients/${client.client_id}`)).status).toBe(204)
    expect((await admin.call('GET', `/admin/oauth/clients/${client.client_id}`)).status).toBe(404)
    const refresh = await ask({ grant_type: 'refresh_token', refresh_token: body.refresh_token }, basic(client))
    expect(refresh).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    const user = await app.call({ method: 'GET', url: '/user', token: body.access_token })
    expect(user).toMatchObject({ status: 403, body: { code: 'session_not_found' } })
  })
})

describe('Asking a person', () => {
  test.each([
    [{ client_id: '' }, 'validation_failed'],
    [{ client_id: 'abc' }, 'oauth_client_not_found'],
    [{ client_id: crypto.randomUUID() }, 'oauth_client_not_found'],
    [{ redirect_uri: '' }, 'validation_failed'],
    [{ redirect_uri: 'https://evil.example.com/callback' }, 'validation_failed'],
    [{ redirect_uri: `${REDIRECT_URI}/../evil` }, 'validation_failed'],
  ])('never sends a browser to an address that was not registered: %j', async (parameters, code) => {
    const { client_id: clientId } = await register()
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: REDIRECT_URI, ...parameters })
    const answer = await app.call({ method: 'GET', url: `/oauth/authorize?${query.toString()}` })
    expect(answer).toMatchObject({ status: 400, body: { code } })
    expect(answer.headers['location']).toBeUndefined()
  })

  test.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'openid admin' }, 'invalid_scope'],
    [{ code_challenge: '' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ resource: 'https://api.example.com/#x' }, 'invalid_request'],
  ])('tells the app what is wrong with %j', async (parameters, error) => {
    const location = await authorize(await register(), parameters)
    expect(location.origin + location.pathname).toBe(REDIRECT_URI)
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      error,
      state: 'a state',
      iss: 'http://127.0.0.1:54321/auth/v1',
    })
  })

  test('refuses a parameter given twice', async () => {
    const { client_id: id } = await register()
    const query = new URLSearchParams({ client_id: id, redirect_uri: REDIRECT_URI, state: '1' })
    const url = `/oauth/authorize?${query.toString()}&state=2`
    const answer = await app.call({ method: 'GET', url })
    expect(String(answer.headers['location'])).toContain('error=invalid_request')
  })

  test('sends the browser to the page of consent', async () => {
    const location = await authorize(await register())
    expect(location.origin + location.pathname).toBe('https://id.example.org/oauth/consent')
    expect([...location.searchParams.keys()]).toEqual(['authorization_id'])
  })

  test('needs somebody signed in, on a page of the project', async () => {
    const id = await begin(await register())
    const { access_token: token } = await app.signUp()
    expect((await look(id, undefined)).status).toBe(401)
    expect((await decide(id, undefined)).status).toBe(401)
    expect(await look(id, token, { origin: 'https://evil.example.com' })).toMatchObject({
      status: 400,
      body: { message: 'unauthorized request origin' },
    })
    expect((await look(id, token, { origin: 'https://id.example.org' })).status).toBe(200)
  })

  test('is between the app and the first person who looks', async () => {
    const id = await begin(await register())
    const first = await app.signUp()
    const second = await app.signUp()
    expect((await decide(id, first.access_token)).body).toMatchObject({ code: 'oauth_authorization_not_found' })
    expect((await look(id, first.access_token)).status).toBe(200)
    for (const answer of [await look(id, second.access_token), await decide(id, second.access_token)]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'oauth_authorization_not_found' } })
    }
    expect((await decide(id, first.access_token, 'maybe')).body).toMatchObject({ code: 'validation_failed' })
    expect((await decide(id, first.access_token)).status).toBe(200)
    expect((await decide(id, first.access_token)).body).toMatchObject({ code: 'validation_failed' })
  })

  test('is over after ten minutes', async () => {
    const id = await begin(await register())
    const person = await app.signUp()
    world.nowMs += 600_001
    expect((await look(id, person.access_token)).body).toMatchObject({ code: 'oauth_authorization_not_found' })
  })

  test('shows who asks for what, and takes no for an answer', async () => {
    const client = await register({ client_uri: 'https://app.example.com/' })
    const id = await begin(client)
    const person = await app.signUp('ada@example.org')
    expect((await look(id, person.access_token)).body).toEqual({
      authorization_id: id,
      redirect_uri: REDIRECT_URI,
      client: { id: client.client_id, name: 'Another app', uri: 'https://app.example.com/', logo_uri: '' },
      user: { id: person.user.id, email: 'ada@example.org' },
      scope: 'openid email',
    })
    const answer = redirectOf((await decide(id, person.access_token, 'deny')).body)
    expect(Object.fromEntries(answer.searchParams)).toMatchObject({ error: 'access_denied', state: 'a state' })
  })

  test('happens once for the same scopes, again for more, and again once it was taken back', async () => {
    const client = await register()
    const person = await app.signUp()
    await consent(client, person, { scope: 'email profile' })
    const again = await look(await begin(client, { scope: 'email' }), person.access_token)
    expect(redirectOf(again.body).searchParams.get('code')).not.toBeNull()
    const more = await look(await begin(client, { scope: 'email phone' }), person.access_token)
    expect(more.body).toMatchObject({ scope: 'email phone' })
    const url = `/user/oauth/grants?client_id=${client.client_id}`
    expect((await app.call({ method: 'DELETE', url, token: person.access_token })).status).toBe(204)
    const after = await look(await begin(client, { scope: 'email' }), person.access_token)
    expect(after.body).toMatchObject({ scope: 'email' })
  })
})

describe('A code', () => {
  test.each([
    [{ code: 'x' }, 'invalid_grant'],
    [{ code: '' }, 'invalid_request'],
    [{ code_verifier: '' }, 'invalid_grant'],
    [{ code_verifier: `${VERIFIER}x` }, 'invalid_grant'],
    [{ redirect_uri: 'https://app.example.com/other' }, 'invalid_grant'],
    [{ resource: 'https://api.example.com/' }, 'invalid_grant'],
    [{ grant_type: '' }, 'invalid_request'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
  ])('is worth nothing with %j', async (fields, error) => {
    const client = await register()
    const { status, body } = await exchange(client, await consent(client, await app.signUp()), fields)
    expect({ status, error: body.error }).toEqual({ status: 400, error })
    expect(body.access_token).toBeUndefined()
  })

  test('is worth nothing to an app that cannot prove that it is the one', async () => {
    const client = await register()
    const other = await register()
    const code = await consent(client, await app.signUp())
    const wrong = await exchange({ ...client, client_secret: other.client_secret }, code)
    expect(wrong).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(wrong.headers['www-authenticate']).toContain('Basic')
    expect(await exchange(other, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const fields = { grant_type: 'authorization_code', code, code_verifier: VERIFIER, client_id: client.client_id }
    expect((await ask(fields)).body.error).toBe('invalid_client')
    expect((await ask({ ...fields, client_secret: client.client_secret })).body.error).toBe('invalid_client')
    const both = await ask({ ...fields, client_secret: client.client_secret }, basic(client))
    expect(both.body.error).toBe('invalid_request')
    expect((await exchange(client, code)).status).toBe(200)
  })

  test('is worth nothing after five minutes, or to somebody banned since', async () => {
    const client = await register()
    const late = await consent(client, await app.signUp())
    world.nowMs += 300_001
    expect((await exchange(client, late)).body.error_description).toBe('Authorization code has expired')
    const person = await app.signUp()
    const code = await consent(client, person)
    await admin.call('PUT', `/admin/users/${person.user.id}`, { ban_duration: '1h' })
    expect((await exchange(client, code)).body.error_description).toBe('User is banned')
  })

  test('is used once; a second use ends what the first has begun', async () => {
    const client = await register()
    const person = await app.signUp()
    const code = await consent(client, person)
    const first = await exchange(client, code)
    expect(first.status).toBe(200)
    expect((await exchange(client, code)).body.error).toBe('invalid_grant')
    const refresh = await ask({ grant_type: 'refresh_token', refresh_token: first.body.refresh_token }, basic(client))
    expect(refresh.body.error).toBe('invalid_grant')
    const own = await app.call({ method: 'GET', url: '/user', token: person.access_token })
    expect(own.status).toBe(200)
  })

  test('is used once by ten that come at the same time', async () => {
    const client = await register()
    const code = await consent(client, await app.signUp())
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(client, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('is kept as a hash', async () => {
    const client = await register()
    const code = await consent(client, await app.signUp())
    const rows = await world.db.pool.query(sql`
      select authorization_code from auth.oauth_authorizations where client_id = ${client.client_id}
    `)
    expect(JSON.stringify(rows)).not.toContain(code)
  })

  test('gives the app tokens that say which app it is and what it may know', async () => {
    const client = await register()
    const person = await app.signUp()
    const { status, headers, body } = await exchange(client, await consent(client, person, { nonce: 'a nonce' }))
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('no-store')
    expect(body).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'openid email' })
    expect(body.user).toBeUndefined()
    expect(decodeJwt(body.access_token)).toMatchObject({
      sub: person.user.id,
      client_id: client.client_id,
      scope: 'openid email',
      role: 'authenticated',
      amr: [{ method: 'oauth_provider/authorization_code' }],
    })
    expect(decodeJwt(body.id_token ?? '')).toMatchObject({
      sub: person.user.id,
      aud: client.client_id,
      nonce: 'a nonce',
      email_verified: true,
    })
  })

  test('gives no ID token without the scope for it, and nothing to refresh with to an app that may not', async () => {
    const client = await register({ grant_types: ['authorization_code'] })
    const { body } = await exchange(client, await consent(client, await app.signUp(), { scope: '' }))
    expect(body.scope).toBe('email')
    expect(body.id_token).toBeUndefined()
    expect(body.refresh_token).toBeUndefined()
  })
})

describe('An app that was granted access', () => {
  test('cannot use its ID token to act as the person', async () => {
    const client = await register()
    const { body } = await exchange(client, await consent(client, await app.signUp()))
    await expect(app.auth.verifyToken(body.id_token ?? '')).rejects.toMatchObject({ code: 'bad_jwt' })
  })

  test('cannot grant itself more, or see whom else the person trusts', async () => {
    const client = await register()
    const { body } = await exchange(client, await consent(client, await app.signUp()))
    const id = await begin(client, { scope: 'phone profile' })
    const token = body.access_token
    for (const answer of [
      await look(id, token),
      await decide(id, token),
      await app.call({ method: 'GET', url: '/user/oauth/grants', token }),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } })
    }
  })

  test('refreshes for itself only, and only as itself', async () => {
    const client = await register()
    const other = await register()
    const person = await app.signUp()
    const { body } = await exchange(client, await consent(client, person))
    const fields = { grant_type: 'refresh_token', refresh_token: body.refresh_token }
    expect((await ask({ ...fields, refresh_token: '' }, basic(client))).body.error).toBe('invalid_request')
    expect((await ask({ ...fields, refresh_token: 'x' }, basic(client))).body.error).toBe('invalid_grant')
    expect((await ask(fields, basic(other))).body.error).toBe('invalid_grant')
    expect((await ask({ ...fields, scope: 'phone' }, basic(client))).body.error).toBe('invalid_scope')
    expect((await app.refresh(body.refresh_token)).status).toBe(400)
    const own = await ask({ grant_type: 'refresh_token', refresh_token: person.refresh_token }, basic(client))
    expect(own.body.error).toBe('invalid_grant')
    const next = await ask(fields, basic(client))
    expect(next).toMatchObject({ status: 200, body: { scope: 'openid email' } })
    expect(decodeJwt(next.body.access_token)).toMatchObject({ client_id: client.client_id, scope: 'openid email' })
  })

  test('learns of the person what its scopes say', async () => {
    const client = await register()
    const person = await app.signUp('grace@example.org')
    const token = async (scope: string) =>
      (await exchange(client, await consent(client, person, { scope }))).body.access_token
    const info = async (scope: string) =>
      (await app.call({ method: 'GET', url: '/oauth/userinfo', token: await token(scope) })).body
    expect(await info('openid')).toEqual({ sub: person.user.id })
    expect(await info('openid email')).toEqual({
      sub: person.user.id,
      email: 'grace@example.org',
      email_verified: true,
    })
    expect(await info('openid profile')).toMatchObject({ name: 'grace@example.org' })
    expect((await app.call({ method: 'GET', url: '/oauth/userinfo' })).status).toBe(401)
  })

  test('loses it when the person takes it back', async () => {
    const client = await register()
    const person = await app.signUp()
    const { body } = await exchange(client, await consent(client, person))
    const token = person.access_token
    const unused = await consent(client, person)
    const grants = await app.call({ method: 'GET', url: '/user/oauth/grants', token })
    expect(grants.body).toMatchObject([{ client: { id: client.client_id }, scopes: ['openid', 'email'] }])
    const url = `/user/oauth/grants?client_id=${client.client_id}`
    expect((await app.call({ method: 'DELETE', url, token })).status).toBe(204)
    expect(await app.call({ method: 'DELETE', url, token })).toMatchObject({
      status: 404,
      body: { code: 'oauth_consent_not_found' },
    })
    expect((await app.call({ method: 'GET', url: '/user/oauth/grants', token })).body).toEqual([])
    expect((await exchange(client, unused)).body.error).toBe('invalid_grant')
    const refresh = await ask({ grant_type: 'refresh_token', refresh_token: body.refresh_token }, basic(client))
    expect(refresh.body.error).toBe('invalid_grant')
  })
})
