import { createServer, type Server } from 'node:http'
import {
  isAuthApiError,
  isAuthError,
  isAuthRetryableFetchError,
  isAuthSessionMissingError,
  isAuthWeakPasswordError,
} from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthWorld, newAddress, openAuthWorld, PASSWORD } from './auth-world.ts'

// Apps distinguish errors by the client's classes. The server provides the code, the status and the API version of the response.

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld([
    '--no-rate-limit-loopback-exempt',
    '--rate-limit-sign-in-sign-ups=40',
    '--email-max-frequency=60',
    '--password-requirements=lower_upper_letters_digits',
  ])
})
afterAll(() => world[Symbol.asyncDispose]())

const GOOD = 'Correct horse 4'

function post(path: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${world.url}/auth/v1/${path}`, {
    method: 'POST',
    headers: { apikey: world.anonKey, 'content-type': 'application/json', ...headers },
    body,
  })
}

describe('errors', () => {
  test('from the server are AuthApiError with status and code', async () => {
    const { error } = await world.openClient().auth.signInWithPassword({ email: newAddress(), password: PASSWORD })
    expect(isAuthError(error) && isAuthApiError(error)).toBe(true)
    expect(error).toMatchObject({ status: 400, code: 'invalid_credentials', message: 'Invalid login credentials' })
  })

  test('for a weak password are AuthWeakPasswordError with all reasons', async () => {
    const { error } = await world.openClient().auth.signUp({ email: newAddress(), password: 'abc' })
    expect(isAuthWeakPasswordError(error)).toBe(true)
    expect(error).toMatchObject({ status: 422, code: 'weak_password', reasons: ['length', 'characters'] })
  })

  test('for a missing session are AuthSessionMissingError', async () => {
    expect(isAuthSessionMissingError((await world.openClient().auth.getUser()).error)).toBe(true)
  })

  test('for too many requests have status 429, a code and retry-after', async () => {
    const { auth } = world.openClient()
    let error: unknown = null
    for (let attempt = 0; attempt < 60 && error === null; attempt++) {
      const answer = await auth.signInWithPassword({ email: 'nobody@example.org', password: 'wrong' })
      if (answer.error?.status === 429) error = answer.error
    }
    expect(error).toMatchObject({ name: 'AuthApiError', status: 429, code: 'over_request_rate_limit' })
    const response = await post('token?grant_type=password', '{"email":"nobody@example.org","password":"wrong"}')
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('for emails sent too often have status 429 and say how long to wait', async () => {
    const email = newAddress()
    const { auth } = world.openClient()
    await world.admin.withClient((client) =>
      client.query(
        `insert into auth.users (id, aud, role, email, email_confirmed_at, created_at, updated_at)
         values (gen_random_uuid(), 'authenticated', 'authenticated', $1, now(), now(), now())`,
        [email],
      ),
    )
    expect((await auth.resetPasswordForEmail(email)).error).toBeNull()
    expect((await auth.resetPasswordForEmail(email)).error).toMatchObject({
      name: 'AuthApiError',
      status: 429,
      code: 'over_email_send_rate_limit',
      message: expect.stringMatching(/^For security purposes, you can only request this after \d+ seconds?\.$/),
    })
  })

  test('use the fields of the requested API version', async () => {
    const bad = '{"refresh_token":"abcdefghijkl"}'
    const today = await post('token?grant_type=refresh_token', bad, { 'x-supabase-api-version': '2024-01-01' })
    expect(today.headers.get('x-supabase-api-version')).toBe('2024-01-01')
    expect(await today.json()).toMatchObject({ code: 'refresh_token_not_found', message: expect.any(String) })
    const before = await post('token?grant_type=refresh_token', bad)
    expect(before.headers.get('x-supabase-api-version')).toBeNull()
    expect(await before.json()).toMatchObject({
      code: 400,
      error_code: 'refresh_token_not_found',
      msg: expect.any(String),
    })
  })

  test('for malformed JSON have the code bad_json', async () => {
    const response = await post('signup', '{"email":', { 'x-supabase-api-version': '2024-01-01' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'bad_json' })
  })

  test('for an unknown endpoint have status 404', async () => {
    const response = await post('nothing', '{}', { 'x-supabase-api-version': '2024-01-01' })
    expect(response.status).toBe(404)
  })

  test('for a request without a key have status 401', async () => {
    const response = await fetch(`${world.url}/auth/v1/user`)
    expect(response.status).toBe(401)
  })

  describe('from a gateway in front of the server', () => {
    let gateway: Server
    let url: string
    let status = 503
    beforeAll(async () => {
      gateway = createServer((_request, response) => response.writeHead(status).end('<html>no</html>'))
      await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
      url = `http://127.0.0.1:${(gateway.address() as { port: number }).port}`
    })
    afterAll(() => void gateway.close())

    test.each([502, 503, 504])('%i is AuthRetryableFetchError', async (answer) => {
      status = answer
      const client = world.openClient({ url })
      const { error } = await client.auth.signInWithPassword({ email: newAddress(), password: GOOD })
      expect(isAuthRetryableFetchError(error)).toBe(true)
      expect(error).toMatchObject({ status: answer })
    })

    test('418 without JSON is AuthUnknownError', async () => {
      status = 418
      const { error } = await world.openClient({ url }).auth.signInWithPassword({ email: newAddress(), password: GOOD })
      expect(error).toMatchObject({ name: 'AuthUnknownError' })
    })
  })
})
