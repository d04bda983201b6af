import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HoldfastError } from '@holdfast/foundation'
import { sql } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { type AuthService, openAuth } from './auth.ts'
import { authMigrations } from './migrations.ts'
import type { AuthOptions } from './options.ts'

const JWT_SECRET = 'a secret for tests, which is long enough'
const PASSWORD = 'correct horse battery'

interface Session {
  readonly access_token: string
  readonly refresh_token: string
  readonly user: { readonly id: string; readonly user_metadata: object }
}

let db: TestDatabase
let auth: AuthService
let app: FastifyInstance
let nowMs: number
let people = 0

/** The service behind a gateway that does no more than it must. */
async function openApp(options: Partial<AuthOptions>): Promise<{ auth: AuthService; app: FastifyInstance }> {
  const auth = await openAuth({
    pool: db.pool,
    jwtSecret: JWT_SECRET,
    baseUrl: 'http://127.0.0.1:54321',
    options: { passwordHashCost: 4, ...options },
    clock: { now: () => nowMs },
  })
  const app = Fastify()
  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', async (request) => {
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const claims = token === undefined ? { role: 'anon' } : await auth.verifyToken(token)
    request.caller = { role: claims.role ?? 'anon', claims, userId: claims.sub, expiresAtS: claims.exp }
  })
  await app.register(auth.routes, { prefix: '/auth/v1' })
  return { auth, app }
}

beforeAll(async () => {
  db = await openTestDatabase({ migrations: [authMigrations] })
})

beforeEach(async () => {
  nowMs = Date.now()
  ;({ auth, app } = await openApp({}))
})

afterAll(async () => {
  await app.close()
  await db[Symbol.asyncDispose]()
})

async function call(request: InjectOptions & { token?: string }, on = app) {
  const { token, ...rest } = request
  const headers = {
    'x-supabase-api-version': '2024-01-01',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...rest.headers,
  }
  const response = await on.inject({ ...rest, url: `/auth/v1${String(rest.url)}`, headers })
  return {
    status: response.statusCode,
    headers: response.headers,
    body: response.body === '' ? undefined : response.json(),
  }
}

async function signUp(email = `person${++people}@example.org`): Promise<Session> {
  const { status, body } = await call({ method: 'POST', url: '/signup', payload: { email, password: PASSWORD } })
  expect(status).toBe(200)
  return body as Session
}

function refresh(token: string, on = app) {
  return call({ method: 'POST', url: '/token?grant_type=refresh_token', payload: { refresh_token: token } }, on)
}

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
    ['signing up as nobody', post('/signup', { data: {} }), 422, 'anonymous_provider_disabled'],
    [
      'metadata that no token can carry',
      post('/signup', { email: 'a@b.org', password: PASSWORD, data: { text: 'x'.repeat(5000) } }),
      400,
      'validation_failed',
    ],
    ['signing in as nobody', post('/token?grant_type=password', { password: 'x' }), 400, 'validation_failed'],
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
    ['a code by mail', post('/otp', { email: 'a@b.org' }), 422, 'otp_disabled'],
    ['another provider', { method: 'GET', url: '/authorize?provider=github' }, 400, 'validation_failed'],
    ['a user without a token', { method: 'GET', url: '/user' }, 401, 'no_authorization'],
    ['signing out without a token', post('/logout'), 401, 'no_authorization'],
    ['an endpoint of later work', { method: 'GET', url: '/factors' }, 404, 'not_found'],
  ]

  test.each(scenarios)('%s', async (_title, request, status, code) => {
    const answer = await call(request)
    expect(answer).toMatchObject({ status, body: { code }, headers: { 'x-supabase-api-version': '2024-01-01' } })
    expect(answer.headers['x-sb-error-code']).toBe(code)
  })

  test('name the rules that a password breaks', async () => {
    const { body } = await call(post('/signup', { email: 'a@b.org', password: 'abc' }))
    expect(body).toMatchObject({ weak_password: { reasons: ['length'] } })
  })

  test('have the form of before 2024 for clients of before 2024', async () => {
    const response = await app.inject({ method: 'GET', url: '/auth/v1/user' })
    expect(response.json()).toEqual({
      code: 401,
      error_code: 'no_authorization',
      msg: 'This endpoint requires a valid Bearer token',
    })
    expect(response.headers['x-supabase-api-version']).toBeUndefined()
  })

  test('of a body that is not JSON, and of one that is too long', async () => {
    const headers = { 'content-type': 'application/json' }
    expect(await call({ ...post('/signup', '{"email":'), headers })).toMatchObject({
      status: 400,
      body: { code: 'bad_json' },
    })
    const long = JSON.stringify({ email: 'x'.repeat(70_000) })
    expect(await call({ ...post('/signup', long), headers })).toMatchObject({ status: 413 })
  })

  test('of a token come in the words that auth-js knows', async () => {
    const { access_token: token } = await signUp()
    expect(await call({ url: '/user', token: `${token}x` })).toMatchObject({ status: 403, body: { code: 'bad_jwt' } })
    nowMs += 3_601_000
    expect(await call({ url: '/user', token })).toMatchObject({ status: 403, body: { code: 'bad_jwt' } })
    expect(await call({ url: '/user', token: await auth.mintApiKey('anon') })).toMatchObject({
      status: 403,
      body: { code: 'bad_jwt', message: 'invalid claim: missing sub claim' },
    })
  })

  test('say the same of an unknown address, a wrong password and an account without one', async () => {
    await signUp('known@example.org')
    await signUp('passwordless@example.org')
    await db.pool.execute(sql`update auth.users set encrypted_password = '' where email = 'passwordless@example.org'`)
    const answers = await Promise.all(
      ['known@example.org', 'passwordless@example.org', 'unknown@example.org'].map((email) =>
        call(post('/token?grant_type=password', { email, password: 'wrong password' })),
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
    const { user, access_token: token, refresh_token: refreshToken } = await signUp('banned@example.org')
    await db.pool.execute(sql`update auth.users set banned_until = now() + interval '1 day' where id = ${user.id}`)
    const signIn = (password: string) =>
      call(post('/token?grant_type=password', { email: 'banned@example.org', password }))
    expect(await signIn('wrong')).toMatchObject({ status: 400, body: { code: 'invalid_credentials' } })
    expect(await signIn(PASSWORD)).toMatchObject({ status: 400, body: { code: 'user_banned' } })
    expect(await refresh(refreshToken)).toMatchObject({ status: 400, body: { code: 'user_banned' } })
    expect(await call({ url: '/user', token })).toMatchObject({ status: 403, body: { code: 'user_banned' } })
  })
})

describe('signing up', () => {
  test('runs the triggers of the project, and fails whole when one refuses', async () => {
    await db.pool.execute(sql`create table public.members (id uuid primary key references auth.users, email text)`)
    await db.pool.execute(sql`
      create function public.admit() returns trigger language plpgsql security definer set search_path = '' as $$
      begin
        if new.email like '%@refused.org' then raise exception 'not you'; end if;
        insert into public.members (id, email) values (new.id, new.email);
        return new;
      end $$
    `)
    await db.pool.execute(
      sql`create trigger admit after insert on auth.users for each row execute function public.admit()`,
    )
    const { user } = await signUp('member@example.org')
    expect(await db.pool.query(sql`select id from public.members`)).toEqual([{ id: user.id }])

    const refused = await call({
      method: 'POST',
      url: '/signup',
      payload: { email: 'a@refused.org', password: PASSWORD },
    })
    expect(refused).toMatchObject({
      status: 500,
      body: { code: 'unexpected_failure', message: 'Database error saving new user' },
    })
    expect(JSON.stringify(refused.body)).not.toContain('not you')
    expect(await db.pool.query(sql`select id from auth.users where email = 'a@refused.org'`)).toEqual([])
    await db.pool.execute(sql`drop trigger admit on auth.users`)
  })

  test('gives an address one account, however many ask at once', async () => {
    const payload = { email: 'Race@Example.org', password: PASSWORD }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call({ method: 'POST', url: '/signup', payload })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, body } of answers) {
      if (status !== 200) expect({ status, body }).toMatchObject({ status: 422, body: { code: 'user_already_exists' } })
    }
  })

  test('answers alike for a new and a known address where addresses have to be confirmed', async () => {
    const { app: strict } = await openApp({ emailAutoconfirm: false })
    const payload = { email: 'waiting@example.org', password: PASSWORD, data: { name: 'W' } }
    const first = await call({ method: 'POST', url: '/signup', payload }, strict)
    const second = await call({ method: 'POST', url: '/signup', payload }, strict)
    expect(first.status).toBe(200)
    expect(second.status).toBe(200)
    expect(Object.keys(second.body as object)).toEqual(Object.keys(first.body as object))
    expect(first.body).toMatchObject({ email: 'waiting@example.org', identities: [{ provider: 'email' }] })
    expect(JSON.stringify(first.body)).not.toContain('access_token')
    const [user] = await db.pool.query(sql`select id::text from auth.users where email = 'waiting@example.org'`)
    expect(first.body).toMatchObject({ id: (user as { id: string }).id })

    const signIn = () => call({ method: 'POST', url: '/token?grant_type=password', payload }, strict)
    expect(await signIn()).toMatchObject({ status: 400, body: { code: 'email_not_confirmed' } })
    await db.pool.execute(sql`update auth.users set email_confirmed_at = now() where email = 'waiting@example.org'`)
    expect(await signIn()).toMatchObject({ status: 200 })
    await strict.close()
  })

  test('can be switched off, and on for phones', async () => {
    const { app: closed } = await openApp({ signUpEnabled: false })
    const payload = { email: 'late@example.org', password: PASSWORD }
    expect(await call({ method: 'POST', url: '/signup', payload }, closed)).toMatchObject({
      status: 422,
      body: { code: 'signup_disabled' },
    })
    await closed.close()

    const { app: phones } = await openApp({ phoneSignInEnabled: true })
    const phone = { phone: '+1 555 123 4567', password: PASSWORD }
    expect(await call({ method: 'POST', url: '/signup', payload: phone }, phones)).toMatchObject({
      status: 200,
      body: { user: { phone: '15551234567', email: '', app_metadata: { provider: 'phone' } } },
    })
    expect(await call({ method: 'POST', url: '/token?grant_type=password', payload: phone }, phones)).toMatchObject({
      status: 200,
    })
    expect(await call({ url: '/settings' }, phones)).toMatchObject({
      body: { external: { phone: true }, phone_autoconfirm: true },
    })
    await phones.close()
  })
})

describe('a refresh token', () => {
  test('is exchanged once for the next one', async () => {
    const first = await signUp()
    const second = await refresh(first.refresh_token)
    expect(second).toMatchObject({
      status: 200,
      body: { token_type: 'bearer', expires_in: 3600, user: { id: first.user.id } },
    })
    expect(second.body.refresh_token).not.toBe(first.refresh_token)
    expect((await refresh(second.body.refresh_token)).status).toBe(200)
  })

  test('gives two tabs that refresh at once the same next one, round after round', async () => {
    let current = (await signUp()).refresh_token
    for (let round = 0; round < 60; round++) {
      const answers = await Promise.all([refresh(current), refresh(current)])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      const [one, two] = answers.map(({ body }) => body.refresh_token as string)
      expect(one).toBe(two)
      current = one ?? ''
    }
    const [{ active } = { active: 0 }] = await db.pool.query<{ active: number }>(sql`
      select count(*)::int4 as active from auth.refresh_tokens
       where not revoked and session_id = (select session_id from auth.refresh_tokens where token = ${current})
    `)
    expect(active).toBe(1)
  })

  test('of long ago still gives the newest one when that was made from it, because the answer may have been lost', async () => {
    const first = await signUp()
    const lost = await refresh(first.refresh_token)
    nowMs += 24 * 3_600_000
    expect(await refresh(first.refresh_token)).toMatchObject({
      status: 200,
      body: { refresh_token: lost.body.refresh_token },
    })
  })

  test('older than the newest may be used again within the reuse interval', async () => {
    const first = await signUp()
    const second = await refresh(first.refresh_token)
    const third = await refresh(second.body.refresh_token)
    nowMs += 10_000
    expect(await refresh(first.refresh_token)).toMatchObject({
      status: 200,
      body: { refresh_token: third.body.refresh_token },
    })
  })

  test('older than the newest ends the whole family after the interval, the newest included, at once', async () => {
    const first = await signUp()
    const second = await refresh(first.refresh_token)
    const third = await refresh(second.body.refresh_token)
    nowMs += 10_001
    for (const token of [
      first.refresh_token,
      third.body.refresh_token,
      second.body.refresh_token,
      first.refresh_token,
    ]) {
      expect(await refresh(token)).toMatchObject({ status: 400, body: { code: 'refresh_token_already_used' } })
    }
    const entries = await db.pool.query(sql`
      select payload ->> 'action' as action from auth.audit_log_entries where payload ->> 'actor_id' = ${first.user.id} order by created_at
    `)
    expect(entries).toContainEqual({ action: 'token_revoked' })
  })

  test('of one session survives the end of another', async () => {
    const first = await signUp('two@example.org')
    const payload = { email: 'two@example.org', password: PASSWORD }
    const other = await call({ method: 'POST', url: '/token?grant_type=password', payload })
    await call({ method: 'POST', url: '/logout?scope=local', token: other.body.access_token as string })
    expect((await refresh(other.body.refresh_token)).body).toMatchObject({ code: 'refresh_token_not_found' })
    expect((await refresh(first.refresh_token)).status).toBe(200)
  })

  test('is worth nothing after the end of its session, also when both happen at once', async () => {
    for (let round = 0; round < 20; round++) {
      const session = await signUp()
      const [, refreshed] = await Promise.all([
        call({ method: 'POST', url: '/logout', token: session.access_token }),
        refresh(session.refresh_token),
      ])
      const latest = (refreshed.body.refresh_token as string | undefined) ?? session.refresh_token
      expect(await refresh(latest)).toMatchObject({ status: 400, body: { code: 'refresh_token_not_found' } })
    }
  })

  test('is refused when its session has run out', async () => {
    const session = await signUp()
    await db.pool.execute(sql`
      update auth.sessions set not_after = ${new Date(nowMs + 1000).toISOString()} where user_id = ${session.user.id}
    `)
    const next = await refresh(session.refresh_token)
    expect(next.status).toBe(200)
    nowMs += 1000
    expect(await refresh(next.body.refresh_token)).toMatchObject({ status: 400, body: { code: 'session_expired' } })
  })
})

describe('changing oneself', () => {
  const put = (token: string, payload: object) => call({ method: 'PUT', url: '/user', token, payload })

  test('merges metadata, drops what is null, and refuses what only administrators set', async () => {
    const { access_token: token } = await signUp()
    await put(token, { data: { name: 'Ada', team: 'north' } })
    const { body } = await put(token, { data: { team: null, tall: true } })
    expect(body).toMatchObject({ user_metadata: { name: 'Ada', tall: true } })
    expect((body as Session['user']).user_metadata).not.toHaveProperty('team')
    expect(await put(token, { app_metadata: { role: 'admin' } })).toMatchObject({
      status: 403,
      body: { code: 'not_admin' },
    })
  })

  test('never lets metadata become claims of its own', async () => {
    const { access_token: token, refresh_token: refreshToken } = await signUp()
    await put(token, { data: { role: 'service_role', sub: 'x', aal: 'aal2', app_metadata: { role: 'admin' } } })
    const claims = await auth.verifyToken((await refresh(refreshToken)).body.access_token)
    expect(claims).toMatchObject({
      role: 'authenticated',
      aal: 'aal1',
      app_metadata: { provider: 'email', providers: ['email'] },
    })
  })

  test('of the password signs out the other sessions and not this one', async () => {
    const here = await signUp('password@example.org')
    const signIn = (password: string) =>
      call({ method: 'POST', url: '/token?grant_type=password', payload: { email: 'password@example.org', password } })
    const there = await signIn(PASSWORD)
    expect(await put(here.access_token, { password: PASSWORD })).toMatchObject({
      status: 422,
      body: { code: 'same_password' },
    })
    expect(await put(here.access_token, { password: 'abc' })).toMatchObject({
      status: 422,
      body: { code: 'weak_password' },
    })
    expect(await put(here.access_token, { password: 'a better password' })).toMatchObject({ status: 200 })
    expect((await refresh(there.body.refresh_token)).body).toMatchObject({ code: 'refresh_token_not_found' })
    expect(await call({ url: '/user', token: there.body.access_token as string })).toMatchObject({
      status: 403,
      body: { code: 'session_not_found' },
    })
    expect((await refresh(here.refresh_token)).status).toBe(200)
    expect((await signIn(PASSWORD)).body).toMatchObject({ code: 'invalid_credentials' })
    expect((await signIn('a better password')).status).toBe(200)
  })

  test('of the address takes one that is free, for the identity as well', async () => {
    await signUp('taken@example.org')
    const { access_token: token } = await signUp('before@example.org')
    expect(await put(token, { email: 'Taken@example.org' })).toMatchObject({
      status: 422,
      body: { code: 'email_exists' },
    })
    expect(await put(token, { email: 'After@example.org' })).toMatchObject({
      status: 200,
      body: {
        email: 'after@example.org',
        identities: [{ email: 'after@example.org', identity_data: { email: 'after@example.org' } }],
      },
    })
    expect(await signUp('before@example.org')).toBeDefined()
  })

  test('with a second factor needs it for password and address', async () => {
    const { access_token: token, user } = await signUp()
    await db.pool.execute(sql`
      insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
      values (gen_random_uuid(), ${user.id}, 'totp', 'verified', now(), now())
    `)
    expect(await put(token, { password: 'a better password' })).toMatchObject({
      status: 401,
      body: { code: 'insufficient_aal' },
    })
    expect(await put(token, { data: { name: 'Ada' } })).toMatchObject({
      status: 200,
      body: { factors: [{ factor_type: 'totp' }] },
    })
  })
})

describe('the service', () => {
  test('signs with the same key after a restart, and agrees with a second server that starts with it', async () => {
    await db.pool.execute(sql`delete from auth.signing_keys`)
    const [one, two] = await Promise.all([openApp({}), openApp({})])
    expect(one.auth.jwks()).toEqual(two.auth.jwks())
    expect(one.auth.jwks().keys).toHaveLength(1)
    expect(one.auth.jwks().keys[0]).not.toHaveProperty('d')
    const { body } = await call(
      { method: 'POST', url: '/signup', payload: { email: 'restart@example.org', password: PASSWORD } },
      one.app,
    )
    const again = await openApp({})
    expect(await again.auth.verifyToken(body.access_token)).toMatchObject({ email: 'restart@example.org' })
    expect(await again.auth.mintApiKey('anon')).toBe(await one.auth.mintApiKey('anon'))
    await Promise.all([one.app.close(), two.app.close(), again.app.close()])
  })

  test('refuses the role of every superuser, whatever its name', async () => {
    await db.pool.execute(sql`create role "Boss" superuser`)
    try {
      const { auth: fresh } = await openApp({})
      const { user, refresh_token: token } = await signUp()
      await db.pool.execute(sql`update auth.users set role = 'Boss' where id = ${user.id}`)
      const { body } = await refresh(token)
      await expect(fresh.verifyToken(body.access_token)).rejects.toBeInstanceOf(HoldfastError)
    } finally {
      await db.pool.execute(sql`drop role "Boss"`)
    }
  })

  test('limits attempts by address and says when to come back', async () => {
    const { app: limited } = await openApp({
      rateLimitSignIn: 2,
      rateLimitTokenRefresh: 1,
      rateLimitLoopbackExempt: false,
    })
    const payload = { email: 'no@one.org', password: 'x' }
    const attempt = () => call({ method: 'POST', url: '/token?grant_type=password', payload }, limited)
    expect((await attempt()).status).toBe(400)
    expect((await attempt()).status).toBe(400)
    expect(await attempt()).toMatchObject({
      status: 429,
      body: { code: 'over_request_rate_limit' },
      headers: { 'retry-after': '150' },
    })
    expect((await refresh('x', limited)).status).toBe(400)
    expect((await refresh('x', limited)).status).toBe(429)
    await limited.close()
  })

  test('publishes its keys for ten minutes, says which ways to sign in there are, and is healthy', async () => {
    const jwks = await call({ url: '/.well-known/jwks.json' })
    expect(jwks).toMatchObject({ status: 200, body: { keys: [{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' }] } })
    expect(jwks.headers['cache-control']).toBe('public, max-age=600')
    expect(JSON.stringify(jwks.body)).not.toContain('"d"')
    expect(await call({ url: '/settings' })).toMatchObject({
      body: {
        external: { email: true, phone: false, github: false, anonymous_users: false },
        disable_signup: false,
        mailer_autoconfirm: true,
      },
    })
    expect(await call({ url: '/health' })).toMatchObject({ status: 200, body: { name: 'Holdfast Auth' } })
  })

  test('keeps a tampered database from issuing a token that nobody accepts', async () => {
    const { user, refresh_token: token } = await signUp()
    await db.pool.execute(sql`
      update auth.users set raw_user_meta_data = jsonb_build_object('text', repeat('x', 9000)) where id = ${user.id}
    `)
    expect(await refresh(token)).toMatchObject({ status: 500, body: { code: 'unexpected_failure' } })
    await db.pool.execute(sql`update auth.users set raw_user_meta_data = '{}' where id = ${user.id}`)
    expect((await refresh(token)).status).toBe(200)
  })
})
