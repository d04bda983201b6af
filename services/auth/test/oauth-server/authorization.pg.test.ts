import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openOtherApp, REDIRECT_URI } from '../call-as-app.ts'
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

describe('Asking a person', () => {
  test.each([
    [{ client_id: '' }, 'validation_failed'],
    [{ client_id: 'abc' }, 'oauth_client_not_found'],
    [{ client_id: crypto.randomUUID() }, 'oauth_client_not_found'],
    [{ redirect_uri: '' }, 'validation_failed'],
    [{ redirect_uri: 'https://evil.example.com/callback' }, 'validation_failed'],
    [{ redirect_uri: `${REDIRECT_URI}/../evil` }, 'validation_failed'],
  ])('never sends a browser to an address that was not registered: %j', async (parameters, code) => {
    const { client_id: clientId } = await other.register()
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
  ])('tells the app the problem with %j', async (parameters, error) => {
    const location = await other.authorize(await other.register(), parameters)
    expect(location.origin + location.pathname).toBe(REDIRECT_URI)
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      error,
      state: 'a state',
      iss: 'http://127.0.0.1:54321/auth/v1',
    })
  })

  test('refuses a parameter given twice', async () => {
    const { client_id: id } = await other.register()
    const query = new URLSearchParams({ client_id: id, redirect_uri: REDIRECT_URI, state: '1' })
    const url = `/oauth/authorize?${query.toString()}&state=2`
    const answer = await app.call({ method: 'GET', url })
    expect(String(answer.headers['location'])).toContain('error=invalid_request')
  })

  test('sends the browser to the page of consent', async () => {
    const location = await other.authorize(await other.register())
    expect(location.origin + location.pathname).toBe('https://id.example.org/oauth/consent')
    expect([...location.searchParams.keys()]).toEqual(['authorization_id'])
  })

  test('needs a signed-in user, on a page of the project', async () => {
    const id = await other.begin(await other.register())
    const { access_token: token } = await app.signUp()
    expect((await other.look(id, undefined)).status).toBe(401)
    expect((await other.decide(id, undefined)).status).toBe(401)
    expect(await other.look(id, token, { origin: 'https://evil.example.com' })).toMatchObject({
      status: 400,
      body: { message: 'unauthorized request origin' },
    })
    expect((await other.look(id, token, { origin: 'https://id.example.org' })).status).toBe(200)
  })

  test('is between the app and the first person who looks', async () => {
    const id = await other.begin(await other.register())
    const first = await app.signUp()
    const second = await app.signUp()
    expect((await other.decide(id, first.access_token)).body).toMatchObject({ code: 'oauth_authorization_not_found' })
    expect((await other.look(id, first.access_token)).status).toBe(200)
    for (const answer of [await other.look(id, second.access_token), await other.decide(id, second.access_token)]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'oauth_authorization_not_found' } })
    }
    expect((await other.decide(id, first.access_token, 'maybe')).body).toMatchObject({ code: 'validation_failed' })
    expect((await other.decide(id, first.access_token)).status).toBe(200)
    expect((await other.decide(id, first.access_token)).body).toMatchObject({ code: 'validation_failed' })
  })

  test('is over after ten minutes', async () => {
    const id = await other.begin(await other.register())
    const person = await app.signUp()
    world.nowMs += 600_001
    expect((await other.look(id, person.access_token)).body).toMatchObject({ code: 'oauth_authorization_not_found' })
  })

  test('shows who asks for what, and takes no for an answer', async () => {
    const client = await other.register({ client_uri: 'https://app.example.com/' })
    const id = await other.begin(client)
    const person = await app.signUp('ada@example.org')
    expect((await other.look(id, person.access_token)).body).toEqual({
      authorization_id: id,
      redirect_uri: REDIRECT_URI,
      client: { id: client.client_id, name: 'Another app', uri: 'https://app.example.com/', logo_uri: '' },
      user: { id: person.user.id, email: 'ada@example.org' },
      scope: 'openid email',
    })
    const answer = other.redirectOf((await other.decide(id, person.access_token, 'deny')).body)
    expect(Object.fromEntries(answer.searchParams)).toMatchObject({ error: 'access_denied', state: 'a state' })
  })

  test('happens once for the same scopes, again for more, and again once it was taken back', async () => {
    const client = await other.register()
    const person = await app.signUp()
    await other.consent(client, person, { scope: 'email profile' })
    const again = await other.look(await other.begin(client, { scope: 'email' }), person.access_token)
    expect(other.redirectOf(again.body).searchParams.get('code')).not.toBeNull()
    const more = await other.look(await other.begin(client, { scope: 'email phone' }), person.access_token)
    expect(more.body).toMatchObject({ scope: 'email phone' })
    const url = `/user/oauth/grants?client_id=${client.client_id}`
    expect((await app.call({ method: 'DELETE', url, token: person.access_token })).status).toBe(204)
    const after = await other.look(await other.begin(client, { scope: 'email' }), person.access_token)
    expect(after.body).toMatchObject({ scope: 'email' })
  })
})
