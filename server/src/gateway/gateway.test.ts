import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { describe, expect, test } from 'vitest'
import { HoldfastError, silentLogger } from '@holdfast/foundation'
import { createHttpServer, requireCaller } from '@holdfast/http'
import { single } from './metrics/families.ts'
import { mountGateway, type GatewayOptions } from './gateway.ts'

/** Returns the caller, for any service and token; services never see an unverified token. */
const echo: FastifyPluginAsync = async (app) => {
  app.all('/*', async (request) => ({ caller: requireCaller(request) }))
}

const TOKENS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'anon-key': { role: 'anon', iat: 1 },
  'service-key': { role: 'service_role', iat: 1 },
  admin: { role: 'supabase_admin', iat: 1 },
  ada: { role: 'authenticated', sub: 'ada', exp: 2_000_000_000 },
  gone: { role: 'authenticated', sub: 'gone', exp: 2_000_000_000 },
  unknown: { role: 'authenticated', sub: 'unknown', exp: 2_000_000_000 },
  roleless: { sub: 'nobody', exp: 2_000_000_000 },
}

const ACCOUNT_RULES = {
  password: { lengthMin: 6, requirements: '' },
  codeDigits: { email: 6, phone: 6, phoneFactor: 6 },
  isEmailChangeConfirmedTwice: true,
  hasManualLinking: false,
  factors: { totp: true, phone: false, webauthn: false, recoveryCodes: true },
}
const CAPTCHA = { isShownAtSignIn: false, ofForms: 'work' } as const
const OFFERS = { hasOpenWorkspaces: false, hasMail: true, hasChannels: true, captcha: CAPTCHA, account: ACCOUNT_RULES }

async function verifyToken(token: string): Promise<Readonly<Record<string, unknown>>> {
  const claims = TOKENS[token]
  if (claims) return claims
  if (token === 'old') throw new HoldfastError('token_expired', 401, 'JWT expired')
  if (token === 'x.y.root') throw new HoldfastError('token_role_refused', 401, 'the role is refused')
  if (token === 'x.y.theirs') throw new HoldfastError('foreign_audience', 401, 'for another audience')
  throw new HoldfastError('bad_jwt', 401, 'invalid JWT')
}

const READER = { role: 'reader', lagSeconds: 0 } as const
const NOT_SERVED = { realtime: undefined, functions: undefined, mailbox: undefined }

async function open(changes: Partial<GatewayOptions> = {}) {
  const app = createHttpServer({ logger: silentLogger })
  await mountGateway(app, {
    auth: echo,
    authDiscovery: async (scope) => {
      scope.get('/.well-known/oauth-authorization-server/auth/v1', async () => ({ issuer: 'here' }))
    },
    rest: echo,
    withoutSignIn: [],
    storage: {
      routes: echo,
      keyDemandOf: (_method, path) => (path === '/open' ? 'none' : path === '/own' ? 'optional' : 'required'),
    },
    ...NOT_SERVED,
    onAnswered: () => undefined,
    metrics: { token: 'scrape', read: async () => [single('gauge', 'holdfast_database_up', 'Whether.', 1)] },
    sync: async (scope) => {
      scope.post('/sync/stream', async (request) => ({ caller: requireCaller(request) }))
      scope.get('/write-checkpoint2.json', () => Promise.reject(new Error('Connection terminated unexpectedly')))
      scope.get('/sync/v1/schema', async () => {
        throw new Error('a bug with a secret')
      })
    },
    verifyToken: async (token) => {
      if (token === 'admin') throw new HoldfastError('bad_jwt', 401, 'invalid JWT')
      return verifyToken(token)
    },
    verifyAdminToken: verifyToken,
    requireSession: async ({ sub }) => {
      if (sub === 'gone') throw new HoldfastError('session_not_found', 403, 'Session does not exist')
      if (sub === 'unknown') throw new Error('Connection terminated unexpectedly')
    },
    restRequiresSession: true,
    allowsNoKey: false,
    corsOrigins: [],
    anonymousRole: () => 'anon',
    isDatabaseUp: () => true,
    health: () => ({ database: 'up', sync: 'ready', ...READER, problem: undefined }),
    config: {
      projectName: 'Träger & Co',
      anonKey: 'anon-key',
      sample: undefined,
      pushKey: undefined,
      ...OFFERS,
      map: undefined,
    },
    appDirectory: '/nowhere',
    logger: silentLogger,
    ...changes,
  })
  return app
}

const header = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64url')
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a request to REST or auth', () => {
  test.each(['/rest/v1/sites', '/auth/v1/user', '/rest/v1/', '/auth/v1/token?grant_type=password'])(
    'to %s without key and token gets the answer of a Supabase gateway',
    async (url) => {
      const answer = await (await open()).inject(url)
      expect(answer.statusCode).toBe(401)
      expect(answer.json()).toEqual({ message: 'No API key found in request', hint: expect.any(String) as string })
    },
  )

  test.each(['/rest/v1/sites', '/auth/v1/settings'])(
    'to %s without any key is anonymous when so configured',
    async (url) => {
      const answer = await (await open({ allowsNoKey: true })).inject(url)
      expect(answer.json()).toMatchObject({ caller: { role: 'anon' } })
      const wrong = await (await open({ allowsNoKey: true })).inject({ url, headers: { apikey: 'wrong' } })
      expect(wrong.statusCode).toBe(401)
    },
  )

  test('to REST without a role has the role that is configured for it, or is refused', async () => {
    const url = '/rest/v1/sites'
    const guest = await open({ allowsNoKey: true, anonymousRole: () => 'guest' })
    expect((await guest.inject(url)).json()).toMatchObject({ caller: { role: 'guest' } })
    expect((await guest.inject('/auth/v1/settings')).json()).toMatchObject({ caller: { role: 'anon' } })
    const none = await open({ allowsNoKey: true, anonymousRole: () => '' })
    const refused = await none.inject(url)
    expect(refused).toMatchObject({ statusCode: 401, headers: { 'www-authenticate': 'Bearer' } })
    expect(refused.json()).toMatchObject({ code: 'PGRST302', message: 'Anonymous access is disabled' })
    expect((await none.inject({ url, headers: { apikey: 'anon-key' } })).statusCode).toBe(200)
  })

  test.each(['Bearer', 'Bearer ', 'bearer   '])('to REST with the header "%s" is refused', async (authorization) => {
    const app = await open()
    const answer = await app.inject({ url: '/rest/v1/sites', headers: { apikey: 'anon-key', authorization } })
    expect(answer.statusCode).toBe(401)
    expect(answer.headers['www-authenticate']).toBe(
      'Bearer error="invalid_token", error_description="Empty JWT is sent in Authorization header"',
    )
    expect(answer.json()).toMatchObject({ code: 'PGRST301', message: 'Empty JWT is sent in Authorization header' })
  })

  test.each([
    '/auth/v1/.well-known/jwks.json',
    '/auth/v1/.well-known/openid-configuration',
    '/auth/v1/.well-known/oauth-authorization-server',
    '/auth/v1/verify?token=x',
    '/auth/v1/authorize?provider=github',
    '/auth/v1/callback?code=x',
    '/auth/v1/oauth/authorize?client_id=x',
    '/auth/v1/oauth/token',
    '/auth/v1/oauth/clients/register',
  ])('needs no key where browsers and other apps go by themselves: %s', async (url) => {
    const app = await open()
    for (const method of ['GET', 'POST'] as const) {
      const answer = await app.inject({ method, url, headers: { authorization: 'Basic YTpi' } })
      expect(answer.json()).toMatchObject({ caller: { role: 'anon' } })
    }
  })

  test('needs a key next to those', async () => {
    const app = await open()
    for (const url of ['/auth/v1/oauth/authorizations/x', '/auth/v1/oauth/userinfo', '/auth/v1/verify/x']) {
      expect((await app.inject({ url })).statusCode).toBe(401)
    }
  })

  test('finds the description of accounts where other apps look for it', async () => {
    const answer = await (await open()).inject('/.well-known/oauth-authorization-server/auth/v1')
    expect(answer.json()).toEqual({ issuer: 'here' })
    expect(answer.headers['access-control-allow-origin']).toBe('*')
  })

  test.each(['ada', 'roleless'])('with the token of a user (%s) in place of a key is refused', async (token) => {
    const answer = await (await open()).inject({ url: '/rest/v1/sites', headers: { apikey: token } })
    expect([answer.statusCode, answer.json()]).toMatchObject([401, { message: 'Invalid authentication credentials' }])
  })

  test('with a role for administration only reaches accounts, and no table', async () => {
    const app = await open()
    const headers = { apikey: 'anon-key', ...bearer('admin') }
    const accounts = await app.inject({ url: '/auth/v1/admin/users', headers })
    expect(accounts.json()).toMatchObject({ caller: { role: 'supabase_admin' } })
    expect((await app.inject({ url: '/rest/v1/sites', headers })).statusCode).toBe(401)
    expect((await app.inject({ method: 'POST', url: '/sync/stream', headers })).statusCode).toBe(401)
  })

  test.each([
    ['a key as header', { headers: { apikey: 'anon-key' } }, { role: 'anon', claims: { role: 'anon' } }],
    ['a key in the address', { query: { apikey: 'anon-key' } }, { role: 'anon' }],
    ['the key as token too', { headers: { apikey: 'anon-key', ...bearer('anon-key') } }, { role: 'anon' }],
    ['the service key', { headers: { apikey: 'service-key' } }, { role: 'service_role' }],
    [
      'key and token',
      { headers: { apikey: 'anon-key', ...bearer('ada') } },
      { role: 'authenticated', userId: 'ada', expiresAtS: 2_000_000_000 },
    ],
    [
      'the service key and a token',
      { headers: { apikey: 'service-key', ...bearer('ada') } },
      { role: 'authenticated', userId: 'ada' },
    ],
    ['a token alone', { headers: bearer('ada') }, { role: 'authenticated', userId: 'ada' }],
    ['a token without a role', { headers: bearer('roleless') }, { role: 'anon', userId: 'nobody' }],
  ])('with %s runs as whom that says', async (_, request, caller) => {
    const app = await open()
    for (const url of ['/rest/v1/sites', '/auth/v1/user']) {
      const answer = await app.inject({ url, ...request })
      expect(answer.statusCode).toBe(200)
      expect(answer.json<{ caller: unknown }>().caller).toMatchObject(caller)
    }
  })

  test.each([
    ['wrong', 'Double check the API key that the client sends as `apikey`.'],
    ['x.y.root', 'the role is refused'],
  ])('with the key "%s" is refused, whatever the token: %s', async (apikey, hint) => {
    const answer = await (await open()).inject({ url: '/rest/v1/sites', headers: { apikey, ...bearer('ada') } })
    expect([answer.statusCode, answer.json()]).toEqual([401, { message: 'Invalid authentication credentials', hint }])
  })

  test.each([
    ['wrong', 'PGRST301', 'Expected 3 parts in JWT; got 1'],
    ['a.b', 'PGRST301', 'Expected 3 parts in JWT; got 2'],
    ['a.b.c', 'PGRST301', 'JWT cryptographic operation failed'],
    [`${header({ alg: 'none', typ: 'JWT' })}.e30.`, 'PGRST301', 'Wrong or unsupported encoding algorithm'],
    [`${header({ alg: 'HS256', typ: 'JWT' })}.e30.eA`, 'PGRST301', 'No suitable key or wrong key type'],
    ['old', 'PGRST303', 'JWT expired'],
    ['x.y.theirs', 'PGRST303', 'JWT not in audience'],
    ['x.y.root', 'PGRST303', 'the role is refused'],
  ])('with the token "%s" gets %s from REST: %s', async (token, code, message) => {
    const answer = await (
      await open()
    ).inject({ url: '/rest/v1/sites', headers: { apikey: 'anon-key', ...bearer(token) } })
    expect(answer.statusCode).toBe(401)
    expect(answer.json()).toMatchObject({ code, message })
    expect(answer.headers['www-authenticate']).toBe(`Bearer error="invalid_token", error_description="${message}"`)
  })

  test('with an old token may still get a new one, but not act as the person', async () => {
    const app = await open()
    const headers = { apikey: 'anon-key', ...bearer('old') }
    const refresh = await app.inject({ method: 'POST', url: '/auth/v1/token?grant_type=refresh_token', headers })
    expect(refresh.json<{ caller: unknown }>().caller).toMatchObject({ role: 'anon' })
    for (const url of ['/auth/v1/user', '/auth/v1/logout', '/auth/v1/factors/1/verify']) {
      expect((await app.inject({ url, headers })).json()).toMatchObject({ code: 'token_expired' })
    }
  })

  test('for published files needs nothing', async () => {
    const app = await open()
    expect((await app.inject('/auth/v1/.well-known/jwks.json')).statusCode).toBe(200)
    expect((await app.inject('/auth/v1/health')).statusCode).toBe(200)
    expect((await app.inject('/auth/v1/settings')).statusCode).toBe(401)
  })
})

describe('the token of a session that has ended', () => {
  const headers = { apikey: 'anon-key', ...bearer('gone') }

  test('is refused by REST and sync in their words, and left to the accounts service', async () => {
    const app = await open()
    const rest = await app.inject({ url: '/rest/v1/sites', headers })
    expect([rest.statusCode, rest.json()]).toMatchObject([401, { code: 'PGRST303', details: 'session_not_found' }])
    expect(rest.headers['www-authenticate']).toContain('invalid_token')
    const sync = await app.inject({ method: 'POST', url: '/sync/stream', headers })
    expect([sync.statusCode, sync.json()]).toMatchObject([
      401,
      { error: { code: 'PSYNC_S2101', details: 'session_not_found' } },
    ])
    expect((await app.inject({ url: '/auth/v1/user', headers })).statusCode).toBe(200)
  })

  test('is taken by REST until it expires where that is configured', async () => {
    const app = await open({ restRequiresSession: false })
    expect((await app.inject({ url: '/rest/v1/sites', headers })).statusCode).toBe(200)
    expect((await app.inject({ method: 'POST', url: '/sync/stream', headers })).statusCode).toBe(401)
  })

  test('is not let in while Postgres cannot be asked', async () => {
    const app = await open()
    const unknown = { apikey: 'anon-key', ...bearer('unknown') }
    expect((await app.inject({ url: '/rest/v1/sites', headers: unknown })).statusCode).toBe(503)
    expect((await app.inject({ method: 'POST', url: '/sync/stream', headers: unknown })).statusCode).toBe(503)
  })
})

describe('a request to sync', () => {
  test.each(['Token', 'Bearer', 'token'])('takes the scheme %s', async (scheme) => {
    const answer = await (
      await open()
    ).inject({ method: 'POST', url: '/sync/stream', headers: { authorization: `${scheme} ada` } })
    expect(answer.json<{ caller: unknown }>().caller).toMatchObject({ userId: 'ada' })
  })

  test.each([
    [{}, 'PSYNC_S2106'],
    [{ apikey: 'anon-key' }, 'PSYNC_S2106'],
    [{ authorization: 'Basic ada' }, 'PSYNC_S2106'],
    [{ authorization: 'Token wrong' }, 'PSYNC_S2101'],
    [{ authorization: 'Token old' }, 'PSYNC_S2103'],
    [{ authorization: 'Token x.y.theirs' }, 'PSYNC_S2105'],
  ])('with %j gets the code that the SDK knows', async (headers, code) => {
    const answer = await (await open()).inject({ method: 'POST', url: '/sync/stream', headers })
    expect(answer.statusCode).toBe(401)
    expect(answer.json()).toEqual({
      error: { code, status: 401, description: expect.any(String) as string, name: 'AuthorizationError' },
    })
  })

  test('to no address of its own gets its own 404', async () => {
    const answer = await (await open()).inject({ url: '/sync/stream', headers: bearer('ada') })
    expect([answer.statusCode, answer.json<{ error: { code: string } }>().error.code]).toEqual([404, 'PSYNC_S2002'])
  })

  test('that fails says neither how nor where', async () => {
    const app = await open()
    const lost = await app.inject({ url: '/write-checkpoint2.json', headers: bearer('ada') })
    expect([lost.statusCode, lost.headers['retry-after']]).toEqual([503, '1'])
    const bug = await app.inject({ url: '/sync/v1/schema', headers: bearer('ada') })
    expect([bug.statusCode, bug.json<{ error: { code: string } }>().error.code]).toEqual([500, 'PSYNC_S2001'])
    expect(bug.body).not.toContain('secret')
  })
})

test.each([
  ['/realtime/v1/x', { message: 'no Route matched with those values' }],
  ['/nothing', { message: 'no Route matched with those values' }],
  ['/sync/v1/nothing', { error: { code: 'PSYNC_S2002' } }],
])('an address that there is not is not there whatever is sent to it (%s)', async (url, body) => {
  const app = await open()
  for (const [type, payload] of [
    ['application/json', ''],
    ['application/json', '{'],
    ['audio/none', 'x'],
  ] as const) {
    const headers = { ...bearer('ada'), 'content-type': type }
    const answer = await app.inject({ method: 'DELETE', url, headers, payload })
    expect([answer.statusCode, answer.json()]).toMatchObject([404, body])
  }
})

test('while Postgres is away every API says when to come back, at once', async () => {
  const app = await open({
    isDatabaseUp: () => false,
    health: () => ({ database: 'down', sync: 'preparing', ...READER, problem: 'gone' }),
  })
  for (const url of ['/rest/v1/sites', '/auth/v1/user', '/write-checkpoint2.json', '/health']) {
    const answer = await app.inject({ url, headers: { apikey: 'anon-key', ...bearer('ada') } })
    expect([answer.statusCode, answer.headers['retry-after']], url).toEqual([503, '1'])
  }
})

test('visitors learn the public key and the name, and never the service key', async () => {
  expect((await (await open()).inject('/app/v1/config')).json()).toEqual({
    project: { name: 'Träger & Co', slug: 'trager-co' },
    pushKey: null,
    anonKey: 'anon-key',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
    sample: null,
    ...OFFERS,
    map: null,
  })
})

describe('health', () => {
  const PUBLIC = ['ok', 'project', 'version', 'min_app_version', 'database', 'sync']
  const PROBLEM = 'connect ECONNREFUSED 10.3.0.7:5432'
  const replica = { used: false, lagSeconds: 4, problem: PROBLEM }
  const troubled = (): Promise<FastifyInstance> =>
    open({ health: () => ({ database: 'up', sync: 'preparing', ...READER, replica, rowsRead: 7, problem: PROBLEM }) })

  test('tells everybody version and parts', async () => {
    const answer = await (await open()).inject('/health')
    expect(answer.json()).toMatchObject({
      ok: true,
      project: 'Träger & Co',
      database: 'up',
      sync: 'ready',
      min_app_version: expect.any(String) as string,
    })
  })

  test.each([
    ['a caller without a key', {}],
    ['the anon key', { apikey: 'anon-key' }],
    ['a person', { apikey: 'anon-key', ...bearer('ada') }],
    ['a key that is none', { apikey: 'wrong' }],
    ['an old token', bearer('old')],
  ])('tells %s nothing of what goes on inside', async (_, headers) => {
    const answer = await (await troubled()).inject({ url: '/health', headers })
    expect(answer.statusCode).toBe(200)
    expect(Object.keys(answer.json<object>())).toEqual(PUBLIC)
  })

  test.each([
    ['the service key', { apikey: 'service-key' }],
    ['the service key beside the anon key', { apikey: 'anon-key', ...bearer('service-key') }],
    ["an administrator's key", bearer('admin')],
  ])('tells %s the problem', async (_, headers) => {
    const answer = await (await troubled()).inject({ url: '/health', headers })
    expect(answer.json()).toMatchObject({ sync: 'preparing', sync_rows_read: 7, problem: PROBLEM, replica: 'avoided' })
  })
})

describe('a request to storage', () => {
  const ask = async (url: string, headers: Record<string, string> = {}) => (await open()).inject({ url, headers })

  test.each([undefined, 'wrong', 'old'])('needs no key where it is open (%s)', async (token) => {
    const answer = await ask('/storage/v1/open', token === undefined ? {} : bearer(token))
    expect(answer.json()).toMatchObject({ caller: { role: 'anon', isKeyless: true } })
  })

  test.each([{}, bearer('wrong'), bearer('old'), { apikey: 'wrong' }])(
    'ignores an invalid key where a key is optional (%j)',
    async (headers) => {
      expect((await ask('/storage/v1/own', headers)).json()).toMatchObject({
        caller: { role: 'anon', isKeyless: true },
      })
    },
  )

  test('has its caller by key or token where a key is optional', async () => {
    const byKey = (await ask('/storage/v1/own', { apikey: 'anon-key' })).json<{ caller: Record<string, unknown> }>()
    expect(byKey.caller['isKeyless']).toBeUndefined()
    expect((await ask('/storage/v1/own', bearer('ada'))).json()).toMatchObject({ caller: { userId: 'ada' } })
  })

  test.each([{}, bearer('wrong'), { apikey: 'wrong' }])(
    'is refused in its own words elsewhere (%j)',
    async (headers) => {
      expect((await ask('/storage/v1/bucket', headers)).json()).toMatchObject({
        code: 'AccessDenied',
        message: 'Invalid Compact JWS',
      })
    },
  )

  test('is refused when its session has ended', async () => {
    const answer = await ask('/storage/v1/bucket', bearer('gone'))
    expect(answer.json()).toMatchObject({ message: 'Session does not exist' })
  })
})
