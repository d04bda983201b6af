import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { basic, openOtherApp, REDIRECT_URI } from '../call-as-app.ts'
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
    const token = url.startsWith('/admin') ? other.admin.key : undefined
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
    const { status, body } = await other.admin.call('POST', '/admin/oauth/clients', payload)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' })
    expect(body.message).toContain(message)
  })

  test('tells the secret once and keeps only its hash', async () => {
    const client = await other.register()
    const { body } = await other.admin.call('GET', `/admin/oauth/clients/${client.client_id}`)
    expect(body).toMatchObject({ client_name: 'Another app', client_type: 'confidential' })
    expect(body['client_secret']).toBeUndefined()
    const [row] = await world.db.pool.query(sql`
      select client_secret_hash from auth.oauth_clients where id = ${client.client_id}
    `)
    expect(JSON.stringify(row)).not.toContain(client.client_secret)
  })

  test('gives an app without a server no secret', async () => {
    const client = await other.register({ token_endpoint_auth_method: 'none' })
    expect(client).toMatchObject({ client_type: 'public' })
    expect(client.client_secret).toBeUndefined()
    const url = `/admin/oauth/clients/${client.client_id}/regenerate_secret`
    expect((await other.admin.call('POST', url)).status).toBe(400)
  })

  test('is open to apps themselves where that is switched on', async () => {
    await using open = await world.openApp({ oauthServerEnabled: true, oauthServerAllowDynamicRegistration: true })
    const payload = { redirect_uris: [REDIRECT_URI] }
    const answer = await open.call({ method: 'POST', url: '/oauth/clients/register', payload })
    expect(answer).toMatchObject({ status: 201, body: { registration_type: 'dynamic' } })
  })

  test('is not for ever', async () => {
    const client = await other.register()
    const person = await app.signUp()
    const { body } = await other.exchange(client, await other.consent(client, person))
    expect((await other.admin.call('DELETE', `/admin/oauth/clients/${client.client_id}`)).status).toBe(204)
    expect((await other.admin.call('GET', `/admin/oauth/clients/${client.client_id}`)).status).toBe(404)
    const refresh = await other.ask({ grant_type: 'refresh_token', refresh_token: body.refresh_token }, basic(client))
    expect(refresh).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    const user = await app.call({ method: 'GET', url: '/user', token: body.access_token })
    expect(user).toMatchObject({ status: 403, body: { code: 'session_not_found' } })
  })
})
