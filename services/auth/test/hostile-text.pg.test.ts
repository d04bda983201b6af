import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthApp, type AuthWorld, openAuthWorld } from './open-auth-world.ts'

let world: AuthWorld
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp()
})
afterAll(() => world[Symbol.asyncDispose]())

const NUL = 'a\0b'

test.each([
  ['/token?grant_type=refresh_token', { refresh_token: NUL }],
  ['/token?grant_type=password', { email: `${NUL}@example.org`, password: 'x' }],
  ['/token?grant_type=password', { phone: NUL, password: 'x' }],
  ['/token?grant_type=pkce', { auth_code: NUL, code_verifier: NUL }],
  ['/signup', { email: 'nul@example.org', password: 'correct horse battery', data: { name: NUL } }],
  ['/otp', { email: `${NUL}@example.org` }],
  ['/recover', { email: `${NUL}@example.org` }],
  ['/verify', { type: 'email', token_hash: NUL }],
  ['/verify', { type: 'email', email: `${NUL}@example.org`, token: NUL }],
])('NUL in a request to %s is the fault of the request: %j', async (url, payload) => {
  const { status } = await app.call({ method: 'POST', url, payload })
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
})

test('half an emoji, as of a text that was cut, is refused in words, and a whole one is kept', async () => {
  const { access_token: token } = await app.signUp()
  const halves = [{ data: { name: 'Ann \ud83d' } }, { data: { '\udc18': 1 } }, { data: { name: '\udc18\ud83d' } }]
  for (const payload of halves) {
    expect(await app.call({ method: 'PUT', url: '/user', token, payload })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message: expect.stringContaining('surrogate pair') as string },
    })
  }
  const escaped = '{"data":{"name":"Ann \\ud83d\\udc18"}}'
  const headers = { 'content-type': 'application/json' }
  expect(await app.call({ method: 'PUT', url: '/user', token, payload: escaped, headers })).toMatchObject({
    status: 200,
    body: { user_metadata: { name: 'Ann 🐘' } },
  })
})

test.each(['1e400', '-1E+309', '[{"a":2e308}]', '9'.repeat(400)])(
  'the number %s, which would become null, is refused',
  async (number) => {
    const { access_token: token } = await app.signUp()
    const headers = { 'content-type': 'application/json' }
    for (const [method, url] of [
      ['PUT', '/user'],
      ['POST', '/signup'],
    ] as const) {
      const payload = `{"email":"${crypto.randomUUID()}@example.org","password":"correct horse battery","data":{"n":${number}}}`
      expect(await app.call({ method, url, token, payload, headers })).toMatchObject({
        status: 400,
        body: { code: 'bad_json', message: expect.stringContaining('double-precision') as string },
      })
    }
  },
)

test.each(['1e308', '1.5e-400', '"1e400"', '1234567890123456789'])('the value %s is kept', async (value) => {
  const { access_token: token } = await app.signUp()
  const headers = { 'content-type': 'application/json' }
  const payload = `{"data":{"n":${value}}}`
  expect(await app.call({ method: 'PUT', url: '/user', token, payload, headers })).toMatchObject({
    status: 200,
    body: { user_metadata: { n: JSON.parse(value) as unknown } },
  })
})
