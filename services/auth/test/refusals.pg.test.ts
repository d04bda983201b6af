import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { InjectOptions } from 'fastify'
import { sql } from '@holdfast/postgres'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from './open-auth-world.ts'

let world: AuthWorld
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp()
})

beforeEach(() => {
  world.nowMs = Date.now()
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

describe('refusals', () => {
  const post = (url: string, payload?: object | string) => ({
    method: 'POST' as const,
    url,
    ...(payload === undefined ? {} : { payload }),
  })
  const scenarios: readonly (readonly [string, InjectOptions, number, string])[] = [
    ['signing up without a password', post('/signup', { email: 'a@b.org' }), 400, 'validation_failed'],
    [
      'signing up with a short password',
      post('/signup', { email: 'a@b.org', password: '12345' }),
      422,
      'weak_password',
    ],
    [
      'signing up with 73 bytes',
      post('/signup', { email: 'a@b.org', password: 'a'.repeat(73) }),
      400,
      'validation_failed',
    ],
    [
      'signing up with a NUL',
      post('/signup', { email: 'a@b.org', password: 'secret\0secret' }),
      400,
      'validation_failed',
    ],
    ['signing up with no address', post('/signup', { email: 'nobody', password: PASSWORD }), 400, 'validation_failed'],
    [
      'signing up with both',
      post('/signup', { email: 'a@b.org', phone: '1555', password: PASSWORD }),
      400,
      'validation_failed',
    ],
    [
      'signing up by phone',
      post('/signup', { phone: '+15551234', password: PASSWORD }),
      400,
      'phone_provider_disabled',
    ],
    ['signing up without an identifier', post('/signup', { data: {} }), 422, 'anonymous_provider_disabled'],
    [
      'metadata that no token can carry',
      post('/signup', { email: 'a@b.org', password: PASSWORD, data: { text: 'x'.repeat(5000) } }),
      400,
      'validation_failed',
    ],
    [
      'signing in without an identifier',
      post('/token?grant_type=password', { password: 'x' }),
      400,
      'validation_failed',
    ],
    [
      'signing in as a stranger',
      post('/token?grant_type=password', { email: 'no@one.org', password: 'x' }),
      400,
      'invalid_credentials',
    ],
    [
      'signing in by phone',
      post('/token?grant_type=password', { phone: '1555', password: 'x' }),
      422,
      'phone_provider_disabled',
    ],
    ['an unknown grant', post('/token?grant_type=magic', {}), 400, 'invalid_credentials'],
    ['no grant', post('/token', {}), 400, 'invalid_credentials'],
    ['refreshing with nothing', post('/token?grant_type=refresh_token', {}), 400, 'validation_failed'],
    [
      'refreshing with an invention',
      post('/token?grant_type=refresh_token', { refresh_token: "x' or true --" }),
      400,
      'refresh_token_not_found',
    ],
    ['an address that is a number', post('/signup', { email: 7, password: PASSWORD }), 400, 'bad_json'],
    ['no body', post('/signup'), 400, 'bad_json'],
    ['a code for an unknown address', post('/otp', { email: 'a@b.org', create_user: false }), 422, 'otp_disabled'],
    ['another provider', { method: 'GET', url: '/authorize?provider=github' }, 400, 'validation_failed'],
    ['a user without a token', { method: 'GET', url: '/user' }, 401, 'no_authorization'],
    ['signing out without a token', post('/logout'), 401, 'no_authorization'],
    ['an endpoint of later work', { method: 'GET', url: '/factors' }, 404, 'not_found'],
  ]

  test.each(scenarios)('%s', async (_title, request, status, code) => {
    const answer = await app.call(request)
    expect(answer).toMatchObject({ status, body: { code }, headers: { 'x-supabase-api-version': '2024-01-01' } })
    expect(answer.headers['x-sb-error-code']).toBe(code)
  })

  test('name the rules that a password breaks', async () => {
    const { body } = await app.call(post('/signup', { email: 'a@b.org', password: 'abc' }))
    expect(body).toMatchObject({ weak_password: { reasons: ['length'] } })
  })

  test('have the form of before 2024 for clients of before 2024', async () => {
    const answer = await app.callUnversioned({ url: '/user' })
    expect(answer.body).toEqual({
      code: 401,
      error_code: 'no_authorization',
      msg: 'This endpoint requires a valid Bearer token',
    })
    expect(answer.headers).not.toHaveProperty('x-supabase-api-version')
  })

  test('of a body that is not JSON, and of one that is too long', async () => {
    const headers = { 'content-type': 'application/json' }
    expect(await app.call({ ...post('/signup', '{"email":'), headers })).toMatchObject({
      status: 400,
      body: { code: 'bad_json' },
    })
    const long = JSON.stringify({ email: 'x'.repeat(70_000) })
    expect(await app.call({ ...post('/signup', long), headers })).toMatchObject({ status: 413 })
  })

  test('of a token come in the words that auth-js knows', async () => {
    const { access_token: token } = await app.signUp()
    expect(await app.call({ url: '/user', token: `${token}x` })).toMatchObject({
      status: 403,
      body: { code: 'bad_jwt' },
    })
    world.nowMs += 3_601_000
    expect(await app.call({ url: '/user', token })).toMatchObject({ status: 403, body: { code: 'bad_jwt' } })
    expect(await app.call({ url: '/user', token: app.auth.apiKeys.anon })).toMatchObject({
      status: 403,
      body: { code: 'bad_jwt', message: 'invalid claim: missing sub claim' },
    })
  })

  test('say the same of an unknown address, a wrong password and an account without one', async () => {
    await app.signUp('known@example.org')
    await app.signUp('passwordless@example.org')
    await world.db.pool.execute(
      sql`update auth.users set encrypted_password = '' where email = 'passwordless@example.org'`,
    )
    const answers = await Promise.all(
      ['known@example.org', 'passwordless@example.org', 'unknown@example.org'].map((email) =>
        app.call(post('/token?grant_type=password', { email, password: 'wrong password' })),
      ),
    )
    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({
        status: 400,
        body: { code: 'invalid_credentials', message: 'Invalid login credentials' },
      })
    }
  })

  test('tell about a ban only who knows the password, and end what the person holds', async () => {
    const { user, access_token: token, refresh_token: refreshToken } = await app.signUp('banned@example.org')
    await world.db.pool.execute(
      sql`update auth.users set banned_until = now() + interval '1 day' where id = ${user.id}`,
    )
    const signIn = (password: string) =>
      app.call(post('/token?grant_type=password', { email: 'banned@example.org', password }))
    expect(await signIn('wrong')).toMatchObject({ status: 400, body: { code: 'invalid_credentials' } })
    expect(await signIn(PASSWORD)).toMatchObject({ status: 400, body: { code: 'user_banned' } })
    expect(await app.refresh(refreshToken)).toMatchObject({ status: 400, body: { code: 'user_banned' } })
    expect(await app.call({ url: '/user', token })).toMatchObject({ status: 403, body: { code: 'user_banned' } })
  })
})
