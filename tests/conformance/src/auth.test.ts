import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AuthChangeEvent, createClient, type Session, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { authMigrations, openAuth } from '@holdfast/auth'
import { silentLogger } from '@holdfast/foundation'
import { createHttpServer } from '@holdfast/http'
import {
  applyMigrations,
  createPool,
  openEmbeddedCluster,
  platformMigrations,
  type Pool,
  sql,
} from '@holdfast/postgres'

// The unmodified client decides what is right: each test uses supabase-js as its documentation does, and looks at what it makes of the
// answers (results, typed errors, events), because apps are written against those and not against the wire.

const PASSWORD = 'correct horse battery'
const JWT_SECRET = 'a secret for tests, which is long enough'

interface Server {
  readonly url: string
  readonly anonKey: string
  readonly serviceRoleKey: string
  readonly jwtSecret: string
  /** As the superuser: for what only time or an administrator does. */
  readonly pool: Pool
  close(): Promise<void>
}

let server: Server
const clients: SupabaseClient[] = []

beforeAll(async () => {
  server = await openServer()
})

afterEach(async () => {
  for (const client of clients.splice(0)) await client.auth.stopAutoRefresh()
})

afterAll(async () => {
  await server.close()
})

async function openServer(): Promise<Server> {
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-auth-'))
  const cluster = await openEmbeddedCluster({
    dataDir,
    port: 0,
    logger: silentLogger,
    durable: false,
    settings: { fsync: 'off', synchronous_commit: 'off' },
  })
  const pool = createPool({ url: cluster.adminUrl, applicationName: 'conformance', connectionsMax: 10 })
  await applyMigrations({ pool, sources: [platformMigrations, authMigrations], logger: silentLogger })
  const app = createHttpServer({ logger: silentLogger })
  const auth = await openAuth({
    pool,
    jwtSecret: JWT_SECRET,
    baseUrl: 'http://127.0.0.1:54321',
    options: { passwordHashCost: 4 },
  })
  app.addHook('onRequest', async (request) => {
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const claims = await auth.verifyToken(bearer ?? String(request.headers['apikey']))
    request.caller = { role: claims.role ?? 'anon', claims, userId: claims.sub, expiresAtS: claims.exp }
  })
  await app.register(auth.routes, { prefix: '/auth/v1' })
  return {
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
    anonKey: await auth.mintApiKey('anon'),
    serviceRoleKey: await auth.mintApiKey('service_role'),
    jwtSecret: JWT_SECRET,
    pool,
    async close() {
      await app.close()
      await auth[Symbol.asyncDispose]()
      await pool[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** A browser tab of its own: memory for storage, and a record of what it asked and was told. */
function openClient(options: { autoRefreshToken?: boolean; stored?: Map<string, string> } = {}) {
  const stored = options.stored ?? new Map<string, string>()
  const storageKey = `session-${randomUUID()}` // clients of one process that share a key talk to each other
  const requests: string[] = []
  const events: [AuthChangeEvent, string | undefined][] = []
  const supabase = createClient(server.url, server.anonKey, {
    auth: {
      autoRefreshToken: options.autoRefreshToken ?? false,
      persistSession: true,
      detectSessionInUrl: false,
      storageKey,
      storage: {
        getItem: (key) => stored.get(key.replace(storageKey, 'session')) ?? null,
        setItem: (key, value) => void stored.set(key.replace(storageKey, 'session'), value),
        removeItem: (key) => void stored.delete(key.replace(storageKey, 'session')),
      },
    },
    global: {
      fetch: (input, init) => {
        requests.push(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`)
        return fetch(input, init)
      },
    },
  })
  supabase.auth.onAuthStateChange((event, session) => void events.push([event, session?.user.id]))
  clients.push(supabase)
  return { supabase, auth: supabase.auth, stored, requests, events }
}

async function signedIn(email = `${randomUUID()}@example.org`) {
  const client = openClient()
  const { data, error } = await client.auth.signUp({ email, password: PASSWORD })
  expect(error).toBeNull()
  if (!data.session || !data.user) throw new Error('signing up gives a session')
  return { ...client, email, session: data.session, user: data.user }
}

/** Makes the client believe that its access token is about to end. */
function expireSoon(stored: Map<string, string>): void {
  const session = JSON.parse(stored.get('session') ?? '{}') as Session
  stored.set('session', JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) + 10 }))
}

async function letPass(seconds: number, userId: string): Promise<void> {
  await server.pool.execute(sql`
    update auth.refresh_tokens set updated_at = updated_at - make_interval(secs => ${seconds}) where user_id = ${userId}
  `)
}

describe('signUp', () => {
  test('creates an account and a session, with everything that the types promise', async () => {
    const { auth, events } = openClient()
    const email = `Ada.${randomUUID()}@Example.org`
    const { data, error } = await auth.signUp({ email, password: PASSWORD, options: { data: { name: 'Ada' } } })
    expect(error).toBeNull()
    const lower = email.toLowerCase()
    expect(data.session).toMatchObject({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refresh_token: expect.stringMatching(/^\w{12,}$/),
      token_type: 'bearer',
      expires_in: 3600,
      expires_at: expect.closeTo(Date.now() / 1000 + 3600, -1),
    })
    const { user } = data
    expect(user).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      aud: 'authenticated',
      role: 'authenticated',
      email: lower,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { name: 'Ada', email: lower, email_verified: true, phone_verified: false, sub: user?.id },
      is_anonymous: false,
    })
    expect(user?.identities).toEqual([
      {
        identity_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        id: user?.id,
        user_id: user?.id,
        provider: 'email',
        email: lower,
        identity_data: { sub: user?.id, email: lower, email_verified: false, phone_verified: false },
        last_sign_in_at: expect.any(String),
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    for (const time of [
      user?.created_at,
      user?.updated_at,
      user?.last_sign_in_at,
      user?.email_confirmed_at,
      user?.confirmed_at,
    ]) {
      expect(Date.parse(time ?? '')).toBeCloseTo(Date.now(), -5)
    }
    expect(JSON.stringify(data)).not.toContain('encrypted_password')
    expect(events).toContainEqual(['SIGNED_IN', user?.id])
  })

  test.each([
    [
      'an address that has an account',
      () => signedIn().then(({ email }) => ({ email, password: PASSWORD })),
      422,
      'user_already_exists',
    ],
    ['no address', async () => ({ email: 'nobody', password: PASSWORD }), 400, 'validation_failed'],
    ['an empty password', async () => ({ email: 'a@example.org', password: '' }), 400, 'validation_failed'],
    ['a phone number', async () => ({ phone: '+15551234567', password: PASSWORD }), 400, 'phone_provider_disabled'],
  ])('refuses %s', async (_title, credentials, status, code) => {
    const { auth, events } = openClient()
    const { data, error } = await auth.signUp(await credentials())
    expect(error).toMatchObject({ name: 'AuthApiError', status, code })
    expect(data).toEqual({ user: null, session: null })
    expect(events.map(([event]) => event)).not.toContain('SIGNED_IN')
  })

  test('refuses a weak password with its reasons', async () => {
    const { auth } = openClient()
    const { error } = await auth.signUp({ email: 'weak@example.org', password: 'abc' })
    expect(error).toMatchObject({
      name: 'AuthWeakPasswordError',
      status: 422,
      code: 'weak_password',
      reasons: ['length'],
    })
  })

  test.each([
    ['signInAnonymously', (auth: SupabaseClient['auth']) => auth.signInAnonymously(), 'anonymous_provider_disabled'],
    ['signInWithOtp', (auth: SupabaseClient['auth']) => auth.signInWithOtp({ email: 'a@example.org' }), 'otp_disabled'],
  ])('is the only way in: %s says that it is switched off', async (_title, attempt, code) => {
    const { error } = await attempt(openClient().auth)
    expect(error).toMatchObject({ name: 'AuthApiError', status: 422, code })
  })
})

describe('signInWithPassword', () => {
  test('signs in, whatever the case of the address, and tells the subscribers', async () => {
    const { email, user } = await signedIn()
    const { auth, events } = openClient()
    const { data, error } = await auth.signInWithPassword({ email: email.toUpperCase(), password: PASSWORD })
    expect(error).toBeNull()
    expect(data.user?.id).toBe(user.id)
    expect(data.session?.user.identities).toHaveLength(1)
    expect(data).not.toHaveProperty('weak_password')
    expect(events.map(([event]) => event)).toEqual(['INITIAL_SESSION', 'SIGNED_IN'])
  })

  test.each([
    ['a wrong password', (email: string) => ({ email, password: 'wrong' })],
    ['an unknown address', () => ({ email: 'unknown@example.org', password: PASSWORD })],
    ['SQL for an address', () => ({ email: "' or 1=1 --", password: PASSWORD })],
    ['an empty password', (email: string) => ({ email, password: '' })],
  ])('refuses %s without saying what was wrong', async (_title, credentials) => {
    const { email } = await signedIn()
    const { auth } = openClient()
    const { data, error } = await auth.signInWithPassword(credentials(email))
    expect(error).toMatchObject({
      name: 'AuthApiError',
      status: 400,
      code: 'invalid_credentials',
      message: 'Invalid login credentials',
    })
    expect(data).toEqual({ user: null, session: null })
  })
})

describe('the session', () => {
  test('is restored from storage with INITIAL_SESSION and no request', async () => {
    const { stored, user } = await signedIn()
    const { auth, events, requests } = openClient({ stored })
    const { data } = await auth.getSession()
    expect(data.session?.user.id).toBe(user.id)
    await expect.poll(() => events).toContainEqual(['INITIAL_SESSION', user.id])
    expect(requests).toEqual([])
  })

  test('is refreshed by refreshSession, with other tokens for the same person', async () => {
    const { auth, session, events, user } = await signedIn()
    const { data, error } = await auth.refreshSession()
    expect(error).toBeNull()
    expect(data.session?.refresh_token).not.toBe(session.refresh_token)
    expect(data.session?.user).toMatchObject({ id: user.id, email: user.email })
    expect(events.at(-1)).toEqual(['TOKEN_REFRESHED', user.id])
  })

  test('is refreshed by getSession when it is about to end', async () => {
    const { auth, stored, session, events } = await signedIn()
    expireSoon(stored)
    const { data } = await auth.getSession()
    expect(data.session?.refresh_token).not.toBe(session.refresh_token)
    expect(data.session?.expires_at).toBeGreaterThan(Date.now() / 1000 + 3000)
    expect(events.map(([event]) => event)).toContain('TOKEN_REFRESHED')
  })

  test('is refreshed by itself when it is about to end', async () => {
    const { stored, session } = await signedIn()
    expireSoon(stored)
    const { auth, events } = openClient({ stored, autoRefreshToken: true })
    await expect.poll(() => events.map(([event]) => event), { timeout: 5000 }).toContain('TOKEN_REFRESHED')
    await auth.stopAutoRefresh()
    expect((JSON.parse(stored.get('session') ?? '{}') as Session).refresh_token).not.toBe(session.refresh_token)
  })

  test('is taken over by setSession', async () => {
    const { session, user } = await signedIn()
    const { auth } = openClient()
    const { data, error } = await auth.setSession(session)
    expect(error).toBeNull()
    expect(data.user?.id).toBe(user.id)
  })

  test('keeps its identity, method and level in the claims over a refresh', async () => {
    const { auth, session } = await signedIn()
    const before = await auth.getClaims(session.access_token)
    const { data } = await auth.refreshSession()
    const after = await auth.getClaims(data.session?.access_token)
    expect(after.data?.claims.session_id).toBe(before.data?.claims.session_id)
    expect(after.data?.claims.amr).toEqual(before.data?.claims.amr)
  })

  test('is refused to a refresh token that was never issued', async () => {
    const { error } = await openClient().auth.refreshSession({ refresh_token: 'abcdefghijkl' })
    expect(error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'refresh_token_not_found' })
  })
})

describe('two tabs', () => {
  test('that refresh the same token at once both live, round after round', async () => {
    const first = await signedIn()
    const second = openClient()
    await second.auth.setSession(first.session)
    let token = first.session.refresh_token
    for (let round = 0; round < 60; round++) {
      const answers = await Promise.all([
        first.auth.refreshSession({ refresh_token: token }),
        second.auth.refreshSession({ refresh_token: token }),
      ])
      for (const { data, error } of answers) {
        expect(error, `round ${round}`).toBeNull()
        expect(data.session?.user.id).toBe(first.user.id)
      }
      token = answers[round % 2]?.data.session?.refresh_token ?? ''
    }
    for (const { auth } of [first, second]) {
      expect((await auth.getUser()).error).toBeNull()
      expect((await auth.refreshSession()).error).toBeNull()
    }
  })

  test('one of which holds a token of long ago are both signed out, because somebody may have copied it', async () => {
    const { auth, session, user } = await signedIn()
    const thief = openClient()
    await auth.refreshSession()
    await auth.refreshSession()
    await letPass(11, user.id)
    const { error } = await thief.auth.refreshSession({ refresh_token: session.refresh_token })
    expect(error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'refresh_token_already_used' })
    expect((await auth.refreshSession()).error).toMatchObject({ code: 'refresh_token_already_used' })
  })

  test('one of which lost the answer to its refresh goes on with the next token', async () => {
    const { auth, session, user } = await signedIn()
    const { data: lost } = await openClient().auth.refreshSession({ refresh_token: session.refresh_token })
    await letPass(3600, user.id)
    const { data, error } = await auth.refreshSession({ refresh_token: session.refresh_token })
    expect(error).toBeNull()
    expect(data.session?.refresh_token).toBe(lost.session?.refresh_token)
  })
})

describe('signOut', () => {
  /** Somebody with three devices. */
  async function threeDevices() {
    const here = await signedIn()
    const others = [openClient(), openClient()]
    for (const { auth } of others) await auth.signInWithPassword({ email: here.email, password: PASSWORD })
    const alive = async () => {
      const answers = await Promise.all([here, ...others].map(({ auth }) => auth.refreshSession()))
      return answers.map(({ error }) => error === null)
    }
    return { here, alive }
  }

  test.each([
    ['global', [false, false, false]],
    ['local', [false, true, true]],
    ['others', [true, false, false]],
  ] as const)('with scope %s ends the sessions that it names', async (scope, expected) => {
    const { here, alive } = await threeDevices()
    expect(await here.auth.signOut({ scope })).toEqual({ error: null })
    expect(await alive()).toEqual(expected)
    expect(here.stored.has('session')).toBe(scope === 'others')
    expect(here.events.some(([event]) => event === 'SIGNED_OUT')).toBe(scope !== 'others')
  })

  test('makes the access token useless where sessions are looked up, although it has not expired', async () => {
    const { auth, session } = await signedIn()
    await auth.signOut()
    const { data, error } = await openClient().auth.getUser(session.access_token)
    expect(error).toMatchObject({ name: 'AuthSessionMissingError' })
    expect(data).toEqual({ user: null })
  })

  test('is no error when the session had ended already', async () => {
    const { auth, stored, user } = await signedIn()
    await server.pool.execute(sql`delete from auth.sessions where user_id = ${user.id}`)
    expect(await auth.signOut()).toEqual({ error: null })
    expect(stored.has('session')).toBe(false)
  })

  test('refuses a scope that there is not', async () => {
    const { session } = await signedIn()
    const response = await fetch(`${server.url}/auth/v1/logout?scope=everyone`, {
      method: 'POST',
      headers: { apikey: server.anonKey, authorization: `Bearer ${session.access_token}` },
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error_code: 'validation_failed' })
  })
})

describe('getUser', () => {
  test('gives the user as they are now, not as they were when the token was made', async () => {
    const { auth, user } = await signedIn()
    await server.pool.execute(sql`update auth.users set raw_app_meta_data = '{"team":"north"}' where id = ${user.id}`)
    const { data, error } = await auth.getUser()
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ id: user.id, app_metadata: { team: 'north' } })
  })

  test('is refused for an account that was deleted', async () => {
    const { auth, user } = await signedIn()
    await server.pool.execute(sql`delete from auth.users where id = ${user.id}`)
    expect((await auth.getUser()).error).toMatchObject({ status: 403, code: 'user_not_found' })
  })

  test('is refused for an API key', async () => {
    for (const key of [server.anonKey, server.serviceRoleKey]) {
      expect((await openClient().auth.getUser(key)).error).toMatchObject({ status: 403, code: 'bad_jwt' })
    }
  })
})

describe('updateUser', () => {
  test('changes the metadata and tells the subscribers', async () => {
    const { auth, user, events } = await signedIn()
    const { data, error } = await auth.updateUser({ data: { name: 'Ada', tall: true } })
    expect(error).toBeNull()
    expect(data.user?.user_metadata).toMatchObject({ name: 'Ada', tall: true })
    expect(events.at(-1)).toEqual(['USER_UPDATED', user.id])
    const { data: session } = await auth.refreshSession()
    const { data: claims } = await auth.getClaims(session.session?.access_token)
    expect(claims?.claims.user_metadata).toMatchObject({ name: 'Ada', tall: true })
  })

  test('changes the password and signs out the other devices', async () => {
    const here = await signedIn()
    const there = openClient()
    await there.auth.signInWithPassword({ email: here.email, password: PASSWORD })
    expect((await here.auth.updateUser({ password: 'a better password' })).error).toBeNull()
    expect((await there.auth.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' })
    expect((await here.auth.getUser()).error).toBeNull()
    const again = await openClient().auth.signInWithPassword({ email: here.email, password: 'a better password' })
    expect(again.error).toBeNull()
  })

  test('changes the address, to one that signs in', async () => {
    const { auth, email } = await signedIn()
    const next = `${randomUUID()}@example.org`
    const { data, error } = await auth.updateUser({ email: next })
    expect(error).toBeNull()
    expect(data.user?.email).toBe(next)
    expect((await openClient().auth.signInWithPassword({ email: next, password: PASSWORD })).error).toBeNull()
    expect((await openClient().auth.signInWithPassword({ email, password: PASSWORD })).error).toMatchObject({
      code: 'invalid_credentials',
    })
  })

  test('refuses what cannot be', async () => {
    const { email: taken } = await signedIn()
    const { auth, events } = await signedIn()
    const before = events.length
    const code = async (attributes: Parameters<typeof auth.updateUser>[0]) => (await auth.updateUser(attributes)).error
    expect(await code({ password: PASSWORD })).toMatchObject({ status: 422, code: 'same_password' })
    expect(await code({ password: '123' })).toMatchObject({ name: 'AuthWeakPasswordError', reasons: ['length'] })
    expect(await code({ email: taken })).toMatchObject({ status: 422, code: 'email_exists' })
    expect(await code({ email: 'nobody' })).toMatchObject({ status: 400, code: 'validation_failed' })
    expect(events).toHaveLength(before)
    expect((await openClient().auth.updateUser({ data: {} })).error).toMatchObject({ name: 'AuthSessionMissingError' })
  })
})

describe('getClaims', () => {
  test('verifies the token in the client with the published key, asking for nothing else', async () => {
    const { auth, requests, session, user, email } = await signedIn()
    requests.length = 0
    const { data, error } = await auth.getClaims()
    expect(error).toBeNull()
    expect(data?.header).toEqual({ alg: 'ES256', typ: 'JWT', kid: expect.any(String) })
    const nowS = expect.closeTo(Date.now() / 1000, -2) as number
    expect(data?.claims).toEqual({
      iss: expect.stringMatching(/^http:\/\/.*\/auth\/v1$/),
      sub: user.id,
      aud: 'authenticated',
      exp: session.expires_at,
      iat: nowS,
      email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: user.user_metadata,
      role: 'authenticated',
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: nowS }],
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      is_anonymous: false,
    })
    expect(requests).toEqual(['GET /auth/v1/.well-known/jwks.json'])
    await auth.getClaims()
    expect(requests).toHaveLength(1)
  })

  test('tells a changed token from a genuine one', async () => {
    const { auth, session } = await signedIn()
    const { error } = await auth.getClaims(withClaims(session.access_token, { role: 'service_role' }))
    expect(error).toMatchObject({ name: 'AuthInvalidJwtError' })
  })

  test('finds keys that may be kept for ten minutes and have no private part', async () => {
    const response = await fetch(`${server.url}/auth/v1/.well-known/jwks.json`, { headers: { apikey: server.anonKey } })
    expect(response.headers.get('cache-control')).toBe('public, max-age=600')
    const { keys } = (await response.json()) as { keys: object[] }
    expect(keys).toHaveLength(1)
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'crv', 'key_ops', 'kid', 'kty', 'use', 'x', 'y'])
  })
})

describe('a token is refused', () => {
  const attacks: readonly (readonly [string, (token: string) => Promise<string> | string])[] = [
    ['without a signature', (token) => forge({ alg: 'none' }, claimsOf(token), () => '')],
    [
      'signed with the published key as if it were the secret',
      async (token) => {
        const { keys } = (await (
          await fetch(`${server.url}/auth/v1/.well-known/jwks.json`, { headers: { apikey: server.anonKey } })
        ).json()) as { keys: object[] }
        return forge({ alg: 'HS256', kid: kidOf(token) }, claimsOf(token), hmac(JSON.stringify(keys[0])))
      },
    ],
    [
      'signed with a guessed secret',
      (token) => forge({ alg: 'HS256' }, claimsOf(token), hmac('super-secret-jwt-token')),
    ],
    [
      "signed with somebody else's key",
      (token) => forge({ alg: 'ES256', kid: kidOf(token) }, claimsOf(token), foreignSignature),
    ],
    [
      'that names a key that there is not',
      (token) => forge({ alg: 'ES256', kid: randomUUID() }, claimsOf(token), foreignSignature),
    ],
    ['that was changed', (token) => withClaims(token, { sub: randomUUID() })],
    [
      'that has expired',
      (token) => forge({ alg: 'HS256' }, { ...claimsOf(token), exp: 1_700_000_000 }, hmac(server.jwtSecret)),
    ],
    [
      'that never expires',
      (token) => forge({ alg: 'HS256' }, { ...claimsOf(token), exp: undefined }, hmac(server.jwtSecret)),
    ],
    [
      'with the role postgres, although the signature is right',
      (token) => forge({ alg: 'HS256' }, { ...claimsOf(token), role: 'postgres' }, hmac(server.jwtSecret)),
    ],
  ]

  test.each(attacks)('%s', async (_title, attack) => {
    const { session } = await signedIn()
    const { data, error } = await openClient().auth.getUser(await attack(session.access_token))
    expect(error).toMatchObject({ name: 'AuthApiError', status: 403, code: 'bad_jwt' })
    expect(data).toEqual({ user: null })
  })

  test('and one that is signed with the secret of an older project is not', async () => {
    const { session, user } = await signedIn()
    const token = forge({ alg: 'HS256', typ: 'JWT' }, claimsOf(session.access_token), hmac(server.jwtSecret))
    expect((await openClient().auth.getUser(token)).data.user?.id).toBe(user.id)
  })
})

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function forge(header: object, claims: object, signature: (input: string) => string): string {
  const input = `${part(header)}.${part(claims)}`
  return `${input}.${signature(input)}`
}

function hmac(secret: string): (input: string) => string {
  return (input) => createHmac('sha256', secret).update(input).digest('base64url')
}

function foreignSignature(input: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
}

function kidOf(token: string): string {
  return (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid
}

function withClaims(token: string, claims: object): string {
  const [header, , signature] = token.split('.')
  return `${header}.${part({ ...claimsOf(token), ...claims })}.${signature}`
}
