import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { basic, openOtherApp, VERIFIER } from '../call-as-app.ts'
import { type AuthApp, type AuthWorld, openAuthWorld } from '../open-auth-world.ts'

let world: AuthWorld
let app: AuthApp
let other: Awaited<ReturnType<typeof openOtherApp>>

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp({ oauthServerEnabled: true, siteUrl: 'https://id.example.org' })
  other = await openOtherApp(app)
})

afterAll(() => world[Symbol.asyncDispose]())

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
    const client = await other.register()
    const { status, body } = await other.exchange(client, await other.consent(client, await app.signUp()), fields)
    expect({ status, error: body.error }).toEqual({ status: 400, error })
    expect(body.access_token).toBeUndefined()
  })

  test('is worth nothing to an app that cannot prove that it is the one', async () => {
    const client = await other.register()
    const stranger = await other.register()
    const code = await other.consent(client, await app.signUp())
    const wrong = await other.exchange({ ...client, client_secret: stranger.client_secret }, code)
    expect(wrong).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(wrong.headers['www-authenticate']).toContain('Basic')
    expect(await other.exchange(stranger, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const fields = { grant_type: 'authorization_code', code, code_verifier: VERIFIER, client_id: client.client_id }
    expect((await other.ask(fields)).body.error).toBe('invalid_client')
    expect((await other.ask({ ...fields, client_secret: client.client_secret })).body.error).toBe('invalid_client')
    const both = await other.ask({ ...fields, client_secret: client.client_secret }, basic(client))
    expect(both.body.error).toBe('invalid_request')
    expect((await other.exchange(client, code)).status).toBe(200)
  })

  test('is worth nothing after five minutes, or to a user banned since', async () => {
    const client = await other.register()
    const late = await other.consent(client, await app.signUp())
    world.nowMs += 300_001
    expect((await other.exchange(client, late)).body.error_description).toBe('Authorization code has expired')
    const person = await app.signUp()
    const code = await other.consent(client, person)
    await other.admin.call('PUT', `/admin/users/${person.user.id}`, { ban_duration: '1h' })
    expect((await other.exchange(client, code)).body.error_description).toBe('User is banned')
  })

  test('is used once; a second use ends what the first has begun', async () => {
    const client = await other.register()
    const person = await app.signUp()
    const code = await other.consent(client, person)
    const first = await other.exchange(client, code)
    expect(first.status).toBe(200)
    expect((await other.exchange(client, code)).body.error).toBe('invalid_grant')
    const refresh = await other.ask(
      { grant_type: 'refresh_token', refresh_token: first.body.refresh_token },
      basic(client),
    )
    expect(refresh.body.error).toBe('invalid_grant')
    const own = await app.call({ method: 'GET', url: '/user', token: person.access_token })
    expect(own.status).toBe(200)
  })

  test('is used once by ten that come at the same time', async () => {
    const client = await other.register()
    const code = await other.consent(client, await app.signUp())
    const answers = await Promise.all(Array.from({ length: 10 }, () => other.exchange(client, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('is kept as a hash', async () => {
    const client = await other.register()
    const code = await other.consent(client, await app.signUp())
    const rows = await world.db.pool.query(sql`
      select authorization_code from auth.oauth_authorizations where client_id = ${client.client_id}
    `)
    expect(JSON.stringify(rows)).not.toContain(code)
  })

  test('gives the app tokens that say which app it is and what it may know', async () => {
    const client = await other.register()
    const person = await app.signUp()
    const { status, headers, body } = await other.exchange(
      client,
      await other.consent(client, person, { nonce: 'a nonce' }),
    )
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
    const client = await other.register({ grant_types: ['authorization_code'] })
    const { body } = await other.exchange(client, await other.consent(client, await app.signUp(), { scope: '' }))
    expect(body.scope).toBe('email')
    expect(body.id_token).toBeUndefined()
    expect(body.refresh_token).toBeUndefined()
  })
})

describe('An app that was granted access', () => {
  test('cannot use its ID token to act as the person', async () => {
    const client = await other.register()
    const { body } = await other.exchange(client, await other.consent(client, await app.signUp()))
    await expect(app.auth.verifyToken(body.id_token ?? '')).rejects.toMatchObject({ code: 'bad_jwt' })
  })

  test('cannot grant itself more, or see whom else the person trusts', async () => {
    const client = await other.register()
    const { body } = await other.exchange(client, await other.consent(client, await app.signUp()))
    const id = await other.begin(client, { scope: 'phone profile' })
    const token = body.access_token
    for (const answer of [
      await other.look(id, token),
      await other.decide(id, token),
      await app.call({ method: 'GET', url: '/user/oauth/grants', token }),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } })
    }
  })

  test('reads who the person is, and changes nothing of how they sign in', async () => {
    const client = await other.register()
    const person = await app.signUp()
    const { body } = await other.exchange(client, await other.consent(client, person))
    const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
      app.call({ method, url, token: body.access_token, ...(payload ? { payload } : {}) })
    expect((await call('GET', '/user')).status).toBe(200)
    for (const answer of [
      await call('PUT', '/user', { password: 'taken over by an app' }),
      await call('GET', '/user/sessions'),
      await call('DELETE', `/user/sessions/${crypto.randomUUID()}`),
      await call('POST', '/factors', { factor_type: 'totp' }),
      await call('POST', '/passkeys/registration/options', {}),
      await call('GET', '/reauthenticate'),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } })
    }
    expect((await call('POST', '/logout?scope=global')).status).toBe(204)
    expect((await app.refresh(person.refresh_token)).status).toBe(200)
  })

  test('refreshes for itself only, and only as itself', async () => {
    const client = await other.register()
    const stranger = await other.register()
    const person = await app.signUp()
    const { body } = await other.exchange(client, await other.consent(client, person))
    const fields = { grant_type: 'refresh_token', refresh_token: body.refresh_token }
    expect((await other.ask({ ...fields, refresh_token: '' }, basic(client))).body.error).toBe('invalid_request')
    expect((await other.ask({ ...fields, refresh_token: 'x' }, basic(client))).body.error).toBe('invalid_grant')
    expect((await other.ask(fields, basic(stranger))).body.error).toBe('invalid_grant')
    expect((await other.ask({ ...fields, scope: 'phone' }, basic(client))).body.error).toBe('invalid_scope')
    expect((await app.refresh(body.refresh_token)).status).toBe(400)
    const own = await other.ask({ grant_type: 'refresh_token', refresh_token: person.refresh_token }, basic(client))
    expect(own.body.error).toBe('invalid_grant')
    const next = await other.ask(fields, basic(client))
    expect(next).toMatchObject({ status: 200, body: { scope: 'openid email' } })
    expect(decodeJwt(next.body.access_token)).toMatchObject({ client_id: client.client_id, scope: 'openid email' })
  })

  test('learns of the person what its scopes say', async () => {
    const client = await other.register()
    const person = await app.signUp('grace@example.org')
    const token = async (scope: string) =>
      (await other.exchange(client, await other.consent(client, person, { scope }))).body.access_token
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
    const client = await other.register()
    const person = await app.signUp()
    const { body } = await other.exchange(client, await other.consent(client, person))
    const token = person.access_token
    const unused = await other.consent(client, person)
    const grants = await app.call({ method: 'GET', url: '/user/oauth/grants', token })
    expect(grants.body).toMatchObject([{ client: { id: client.client_id }, scopes: ['openid', 'email'] }])
    const url = `/user/oauth/grants?client_id=${client.client_id}`
    expect((await app.call({ method: 'DELETE', url, token })).status).toBe(204)
    expect(await app.call({ method: 'DELETE', url, token })).toMatchObject({
      status: 404,
      body: { code: 'oauth_consent_not_found' },
    })
    expect((await app.call({ method: 'GET', url: '/user/oauth/grants', token })).body).toEqual([])
    expect((await other.exchange(client, unused)).body.error).toBe('invalid_grant')
    const refresh = await other.ask({ grant_type: 'refresh_token', refresh_token: body.refresh_token }, basic(client))
    expect(refresh.body.error).toBe('invalid_grant')
  })
})
