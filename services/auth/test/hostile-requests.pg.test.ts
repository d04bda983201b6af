import fc from 'fast-check'
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Logger } from '@holdfast/foundation'
import { runsOf, seedOf } from '@holdfast/test-support'
import { JWT_SECRET, PASSWORD, type AuthWorld, openAuthWorld } from './open-auth-world.ts'
import { openAuth, type AuthService } from '../src/auth.ts'
import { parseSigningSecret } from '../src/tokens/jwt-secret.ts'

/*
 * Whatever is sent to whichever address of the accounts service, by whomever: an error is the fault of the request.
 *
 * `HOLDFAST_AUTH_RUNS` sets how many requests are tried and `HOLDFAST_AUTH_SEED` repeats a run; a failure prints its seed.
 */
const RUNS = runsOf(400, { variable: 'HOLDFAST_AUTH_RUNS', least: 250 })
const SEED = seedOf('HOLDFAST_AUTH_SEED')

interface Target {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  /** Names that its body and its query have, as its schema declares them. */
  readonly bodyFields: readonly string[]
  readonly queryFields: readonly string[]
}

let world: AuthWorld
let auth: AuthService
let app: FastifyInstance
const targets: Target[] = []
const failures: string[] = []
const tokens: Record<'stranger' | 'person' | 'operator', string | undefined> = {
  stranger: undefined,
  person: undefined,
  operator: undefined,
}

beforeAll(async () => {
  world = await openAuthWorld()
  const logger: Logger = {
    log: (level, message, fields) => void (level === 'error' && failures.push(`${message} ${JSON.stringify(fields)}`)),
  }
  auth = await openAuth({
    pool: world.db.pool,
    jwtSecret: parseSigningSecret(JWT_SECRET),
    baseUrl: 'http://127.0.0.1:54321',
    options: { passwordHashCost: 4, enableAnonymousSignIns: true, mfaRecoveryCodesEnrollEnabled: true },
    clock: { now: () => Date.now() },
    logger,
  })
  app = Fastify()
  app.addHook('onRoute', noteRoute)
  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', async (request) => {
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const claims = token === undefined ? { role: 'anon' } : await auth.verifyAdminToken(token)
    request.caller = { role: claims.role ?? 'anon', claims, userId: claims.sub, expiresAtS: claims.exp }
  })
  await app.register(auth.routes, { prefix: '/auth/v1' })
  tokens.operator = auth.apiKeys.serviceRole
})
afterAll(async () => {
  await app?.close()
  await auth?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

function noteRoute({ method, url, schema }: RouteOptions): void {
  for (const one of [method].flat()) {
    if (one === 'HEAD' || one === 'OPTIONS' || one === 'TRACE') continue
    targets.push({
      method: one as Target['method'],
      url,
      bodyFields: fieldsOf(schema?.body),
      queryFields: fieldsOf(schema?.querystring),
    })
  }
}

/** The names of all objects in a JSON schema. */
function fieldsOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const {
    properties = {},
    anyOf = [],
    allOf = [],
  } = schema as {
    readonly properties?: Readonly<Record<string, unknown>>
    readonly anyOf?: readonly unknown[]
    readonly allOf?: readonly unknown[]
  }
  return [...new Set([...Object.keys(properties), ...[...anyOf, ...allOf].flatMap(fieldsOf)])]
}

async function signUp(): Promise<string> {
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: '/auth/v1/signup',
    payload: { email: `${crypto.randomUUID()}@example.org`, password: PASSWORD },
  })
  expect(statusCode, body).toBe(200)
  return (JSON.parse(body) as { access_token: string }).access_token
}

/** Text that some layer may choke on. */
const hostileText = fc.constantFrom(
  '',
  'a\0b',
  '\0',
  '\uD800',
  'x\uDFFFy',
  '%00',
  '%',
  "'; select 1; --",
  '\\u0000',
  '../../..',
  '{{.Token}}',
  '__proto__',
  'x'.repeat(5_000),
  '9'.repeat(400),
  '-1',
  'NaN',
  '1e999',
  '\r\nx-more: 1',
  '😀'.repeat(100),
)

/** Values that are right somewhere, so that requests get past the first look. */
const plausibleText = fc.constantFrom(
  'ada@example.org',
  'a\0da@example.org',
  `${'x'.repeat(300)}@example.org`,
  '+4915112345678',
  PASSWORD,
  '123456',
  '00000000-0000-4000-8000-000000000000',
  'authenticated',
  'email',
  'sms',
  'phone',
  'signup',
  'recovery',
  'magiclink',
  'email_change',
  'totp',
  'webauthn',
  's256',
  'plain',
  'a'.repeat(43),
  'google',
  'http://localhost:3000/cb',
  'global',
  'true',
  'ES256',
  'code',
  'authorization_code',
  'refresh_token',
  'aGVsbG8',
)
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: plausibleText },
  { weight: 4, arbitrary: hostileText },
  fc.constantFrom(
    null,
    true,
    0,
    -1,
    1e308,
    2 ** 53,
    1.5,
    [],
    {},
    [[]],
    ['a\0b'],
    { a: 'b\0' },
    { 'a\0': 1 },
    { __proto__: null },
  ),
  fc.record({
    email: plausibleText,
    type: plausibleText,
    id: hostileText,
    rawId: hostileText,
    response: fc.dictionary(plausibleText, hostileText),
  }),
  fc.jsonValue(),
)

const wildCall = fc.record({
  place: fc.nat(),
  values: fc.array(fc.option(hostileValue, { freq: 4, nil: undefined }), { minLength: 24, maxLength: 24 }),
  query: fc.array(fc.oneof(plausibleText, hostileText), { minLength: 12, maxLength: 12 }),
  parameter: fc.oneof(
    { weight: 3, arbitrary: fc.constant('00000000-0000-4000-8000-000000000000') },
    { weight: 1, arbitrary: hostileText },
    { weight: 1, arbitrary: fc.string() },
  ),
  raw: fc.option(
    fc.constantFrom(
      '',
      '{',
      'null',
      '[]',
      '"a"',
      '1',
      '{"a":"\\ud800"}',
      `"${'x'.repeat(1_000_000)}"`,
      '['.repeat(30_000),
    ),
    { freq: 10 },
  ),
  as: fc.constantFrom('stranger' as const, 'person' as const, 'operator' as const),
})

test('no request to any address is answered with a failure of the server', async () => {
  expect(targets.length).toBeGreaterThan(60)
  await fc.assert(
    fc.asyncProperty(wildCall, async ({ place, values, query, parameter, raw, as }) => {
      const target = targets[place % targets.length]
      if (!target) throw new Error('no such target')
      if (as === 'person') tokens.person = await livingPerson()
      const body = Object.fromEntries(target.bodyFields.map((name, n) => [name, values[n % values.length]]))
      const search = target.queryFields.map((name, n) => `${name}=${encode(query[n % query.length] ?? '')}`).join('&')
      const url = `${target.url.replace(/:\w+|\*/g, encode(parameter.slice(0, 400)))}?${search}`
      const token = tokens[as]
      failures.length = 0
      const answer = await app.inject({
        method: target.method,
        url,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(target.method === 'GET' ? {} : { 'content-type': 'application/json' }),
          'x-supabase-api-version': '2024-01-01',
        },
        ...(target.method === 'GET' ? {} : { payload: raw ?? JSON.stringify(body) }),
      })
      const what = `${as}: ${target.method} ${url} ${answer.body} ${failures.join('\n')}`
      expect(answer.statusCode, what).toBeLessThan(500)
    }),
    { numRuns: RUNS, seed: SEED },
  )
})

/** Requests of a person may end that person's session; then another person goes on. */
async function livingPerson(): Promise<string> {
  const { person } = tokens
  if (person === undefined) return signUp()
  const { statusCode } = await app.inject({ url: '/auth/v1/user', headers: { authorization: `Bearer ${person}` } })
  return statusCode === 200 ? person : signUp()
}

/** As `encodeURIComponent`, with lone surrogates as the bytes that no UTF-8 has. */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
}
