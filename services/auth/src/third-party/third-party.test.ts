import { randomUUID } from 'node:crypto'
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createProviderNetwork } from '../external/provider-network.ts'
import { ISSUER_KEYS_AGE_MS_MAX, ISSUER_KEYS_FRESH_MS, ISSUER_KEYS_MAX, ISSUER_KEYS_PAUSE_MS } from '../limits.ts'
import { defaultAuthOptions } from '../options/auth-options.ts'
import { openHttpListener } from '../../test/open-http-listener.ts'
import { readThirdPartyIssuers, type ThirdPartyIssuer } from './issuers.ts'
import { createThirdPartyTokens, type ThirdPartyTokens } from './verify-third-party.ts'

// Pins that a token of another issuer is accepted only if signed with a published key of that issuer, for this audience, and with a permitted
// role; and that an issuer's host cannot slow down other users.

const ONE = 'https://one.example.com'
const OTHER = 'https://other.example.com/pool'
const NOW_S = 1_800_000_000
const KID = 'one-key'

interface Pair {
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
}

let one: Pair
let other: Pair
let rsa: Pair
let nowMs: number
/** Published documents by address. Other addresses cannot be read. */
let published: Map<string, unknown>
let asked: string[]
/** Blocks reads until resolved. */
let gate: Promise<void>
let tokens: ThirdPartyTokens

beforeAll(async () => {
  one = await generateKeyPair('ES256', { extractable: true })
  other = await generateKeyPair('ES256', { extractable: true })
  rsa = await generateKeyPair('RS256', { extractable: true })
})

beforeEach(async () => {
  nowMs = NOW_S * 1000
  asked = []
  gate = Promise.resolve()
  published = new Map<string, unknown>()
  await publish(ONE, [await jwk(one, KID, 'ES256'), await jwk(rsa, 'one-rsa', 'RS256')])
  await publish(OTHER, [await jwk(other, 'other-key', 'ES256')])
  tokens = open()
})

async function jwk({ publicKey }: Pair, kid: string, alg: string): Promise<JWK> {
  return { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }
}

async function publish(issuer: string, keys: readonly unknown[]): Promise<void> {
  published.set(`${issuer}/.well-known/openid-configuration`, { issuer, jwks_uri: `${issuer}/keys` })
  published.set(`${issuer}/keys`, { keys })
}

function open(issuers: readonly Partial<ThirdPartyIssuer>[] = [{ url: ONE }, { url: OTHER }]): ThirdPartyTokens {
  const opened = createThirdPartyTokens({
    issuers: issuers.map((issuer) => ({ name: 'Workos', url: ONE, audiences: [], ...issuer })),
    isRefusedRole: (role) => ['', 'service_role', 'postgres', 'supabase_admin'].includes(role),
    clock: { now: () => nowMs },
    logger: silentLogger,
    openNetwork: () => ({
      async getJson(url) {
        asked.push(url)
        await gate
        if (!published.has(url)) throw new Error(`${url} answered 404`)
        return published.get(url)
      },
    }),
  })
  if (!opened) throw new Error('no issuer is configured')
  return opened
}

const CLAIMS = { iss: ONE, sub: 'auth0|6f', aud: 'app', role: 'authenticated', iat: NOW_S, exp: NOW_S + 3600 }

function signed(
  claims: Readonly<Record<string, unknown>> = {},
  header: object = {},
  key: CryptoKey | Uint8Array = one.privateKey,
): Promise<string> {
  const payload = { ...CLAIMS, ...claims }
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: KID, typ: 'JWT', ...header }).sign(key)
}

/** Returns the error code, `accepted`, or `not theirs`. */
async function judge(token: string, by = tokens): Promise<string> {
  const verifying = by.verify(token)
  if (!verifying) return 'not theirs'
  return verifying.then(
    () => 'accepted',
    (error: { code?: string }) => error.code ?? String(error),
  )
}

describe('a token is accepted', () => {
  test('that a published key of its issuer has signed, with any subject', async () => {
    expect(await tokens.verify(await signed({ user_name: 'Mina' }))).toMatchObject({
      sub: 'auth0|6f',
      user_name: 'Mina',
    })
    expect(await judge(await signed({}, { alg: 'RS256', kid: 'one-rsa' }, rsa.privateKey))).toBe('accepted')
    expect(await judge(await signed({}, { typ: 'at+jwt', cat: 'cl_B7d4PD111AAA' }))).toBe('accepted')
    expect(await judge(await signed({ session_id: randomUUID(), iat: NOW_S + 5, nbf: NOW_S + 20 }))).toBe('accepted')
  })

  test('again and again without another look at the keys', async () => {
    const token = await signed()
    for (let times = 0; times < 5; times += 1) expect(await judge(token)).toBe('accepted')
    expect(asked).toHaveLength(4)
    const claims = await tokens.verify(token)
    expect(claims && tokens.isTheirs(claims)).toBe(true)
    // An issuer claim in our own token does not make it theirs.
    expect(tokens.isTheirs({ ...claims })).toBe(false)
    expect(tokens.isTheirs({ iss: 'http://127.0.0.1:54321/auth/v1' })).toBe(false)
  })

  test('of an issuer that writes its name with a slash, and only so', async () => {
    published.set(`${ONE}/.well-known/openid-configuration`, { issuer: `${ONE}/`, jwks_uri: `${ONE}/keys` })
    const strict = open()
    expect(await judge(await signed({ iss: `${ONE}/` }), strict)).toBe('accepted')
    expect(await judge(await signed(), strict)).toBe('bad_jwt')
  })
})

describe('a token is refused', () => {
  test('whose header asks for another algorithm: the public key is no secret', async () => {
    const pem = new TextEncoder().encode(await exportSPKI(rsa.publicKey))
    const text = new TextEncoder().encode(JSON.stringify(await jwk(one, KID, 'ES256')))
    for (const secret of [pem, text]) {
      for (const alg of ['HS256', 'HS384', 'HS512']) {
        const token = await signed({}, { alg, kid: 'one-rsa' }, secret.length < 64 ? new Uint8Array(64) : secret)
        // Only the project's secret signs such tokens, so they belong to the verifier of our own.
        expect(await judge(token)).toBe('not theirs')
      }
    }
    const [, payload] = (await signed()).split('.')
    for (const alg of ['none', 'None', 'NONE', '', undefined, 'ES256K', 'dir']) {
      const header = Buffer.from(JSON.stringify({ alg, kid: KID })).toString('base64url')
      expect(await judge(`${header}.${payload}.`)).toMatch(/bad_jwt/)
    }
  })

  test('that an oct key among the published ones would verify', async () => {
    const secret = new Uint8Array(64).fill(7)
    const oct = { kty: 'oct', k: Buffer.from(secret).toString('base64url'), kid: 'oct' }
    await publish(ONE, [oct])
    tokens = open([{ url: ONE }])
    for (const alg of ['HS256', 'HS512']) {
      expect(await judge(await signed({}, { alg, kid: 'oct' }, secret))).toBe('not theirs')
    }
  })

  test('of one issuer that the keys of another have signed, whatever key it names', async () => {
    expect(await judge(await signed({ iss: OTHER }))).toBe('bad_jwt')
    expect(await judge(await signed({ iss: OTHER }, { kid: 'other-key' }))).toBe('bad_jwt')
    expect(await judge(await signed({}, { kid: 'other-key' }, other.privateKey))).toBe('bad_jwt')
    expect(await judge(await signed({}, {}, other.privateKey))).toBe('bad_jwt')
    await publish(OTHER, [await jwk(other, KID, 'ES256')])
    tokens = open()
    expect(await judge(await signed({ iss: OTHER }))).toBe('bad_jwt')
    expect(await judge(await signed({}, {}, other.privateKey))).toBe('bad_jwt')
    expect(await judge(await signed({ iss: OTHER }, {}, other.privateKey))).toBe('accepted')
  })

  test('that names an unknown issuer', async () => {
    const strangers = [
      'https://evil.example.com',
      'http://one.example.com',
      'https://one.example.com.evil.example',
      'https://one.example.com//',
      'https://ONE.example.com',
      'https://one.example.com/pool',
      '',
    ]
    for (const iss of strangers) expect(await judge(await signed({ iss })), iss).toBe('not theirs')
    expect(await judge(await signed({ iss: [ONE] }))).toBe('not theirs')
    expect(await judge('x')).toBe('not theirs')
    expect(asked.filter((url) => url.includes('evil'))).toEqual([])
  })

  test('that brings or points to a key of its own', async () => {
    const own = await generateKeyPair('ES256', { extractable: true })
    const key = await exportJWK(own.publicKey)
    for (const header of [
      { jwk: key },
      { jku: 'https://evil.example.com/keys' },
      { x5u: 'https://evil.example.com' },
    ]) {
      expect(await judge(await signed({}, header, own.privateKey))).toBe('bad_jwt')
      expect(await judge(await signed({}, header))).toBe('bad_jwt')
    }
    expect(await judge(await signed({}, { typ: 'logout+jwt' }))).toBe('bad_jwt')
    expect(asked.filter((url) => url.includes('evil'))).toEqual([])
  })

  test('that is too old, for later, or without an end or a subject', async () => {
    expect(await judge(await signed({ exp: NOW_S }))).toBe('token_expired')
    expect(await judge(await signed({ exp: NOW_S - 3600 }))).toBe('token_expired')
    expect(await judge(await signed({ exp: undefined }))).toBe('bad_jwt')
    expect(await judge(await signed({ exp: 'tomorrow' }))).toBe('bad_jwt')
    expect(await judge(await signed({ nbf: NOW_S + 300 }))).toBe('bad_jwt')
    for (const sub of [undefined, '', 7, 'x'.repeat(256)]) expect(await judge(await signed({ sub }))).toBe('bad_jwt')
    const token = await signed({ exp: NOW_S + 60 })
    expect(await judge(token)).toBe('accepted')
    nowMs += 60_000
    expect(await judge(token)).toBe('token_expired')
  })

  test('that is for another audience', async () => {
    const strict = open([{ url: ONE, audiences: ['app', 'web'] }])
    expect(await judge(await signed(), strict)).toBe('accepted')
    expect(await judge(await signed({ aud: ['x', 'web'] }), strict)).toBe('accepted')
    expect(await judge(await signed({ aud: undefined, client_id: 'app' }), strict)).toBe('accepted')
    const others = [
      { aud: 'other' },
      { aud: ['x'] },
      { aud: undefined },
      { aud: [['app']] },
      { aud: 'other', client_id: 'app' },
    ]
    for (const claims of others) expect(await judge(await signed(claims), strict)).toBe('foreign_audience')
  })

  test('with no role, or one that row-level security does not hold', async () => {
    for (const role of [undefined, null, '', 7, ['authenticated'], 'service_role', 'supabase_admin', 'postgres']) {
      expect(await judge(await signed({ role })), String(role)).toBe('token_role_refused')
    }
  })
})

describe('the host of the keys', () => {
  const read = (): number => asked.filter((url) => url === `${ONE}/keys`).length

  test('is asked once for tokens that name keys at random', async () => {
    expect(await judge(await signed())).toBe('accepted')
    nowMs += ISSUER_KEYS_PAUSE_MS
    for (let times = 0; times < 50; times += 1)
      expect(await judge(await signed({}, { kid: randomUUID() }))).toBe('bad_jwt')
    expect(read()).toBe(2)
    nowMs += ISSUER_KEYS_PAUSE_MS
    await Promise.all(Array.from({ length: 50 }, async () => judge(await signed({}, { kid: randomUUID() }))))
    expect(read()).toBe(3)
  })

  test('is asked for a key that is new, and one that is gone is forgotten', async () => {
    const old = await signed()
    expect(await judge(old)).toBe('accepted')
    await publish(ONE, [await jwk(other, 'new-key', 'ES256')])
    nowMs += ISSUER_KEYS_PAUSE_MS
    expect(await judge(await signed({}, { kid: 'new-key' }, other.privateKey))).toBe('accepted')
    expect(await judge(old)).toBe('bad_jwt')
  })

  test('is asked again behind the requests when the keys are old', async () => {
    const token = await signed({ exp: NOW_S + 36_000 })
    expect(await judge(token)).toBe('accepted')
    published.set(`${ONE}/keys`, { keys: [] })
    nowMs += ISSUER_KEYS_FRESH_MS
    expect(await judge(token)).toBe('accepted')
    await expect.poll(() => judge(token)).toBe('bad_jwt')
  })

  test('may be away for a while, but not for good', async () => {
    const token = await signed({ exp: NOW_S + 36_000 })
    expect(await judge(token)).toBe('accepted')
    published.clear()
    nowMs += ISSUER_KEYS_AGE_MS_MAX - 1
    expect(await judge(token)).toBe('accepted')
    await expect.poll(read).toBe(1)
    nowMs += ISSUER_KEYS_PAUSE_MS
    expect(await judge(token)).toBe('issuer_unavailable')
    await publish(ONE, [await jwk(one, KID, 'ES256')])
    nowMs += ISSUER_KEYS_PAUSE_MS
    expect(await judge(token)).toBe('accepted')
  })

  test('that hangs holds neither the tokens of others nor known keys', async () => {
    expect(await judge(await signed())).toBe('accepted')
    expect(await judge(await signed({ iss: OTHER }, { kid: 'other-key' }, other.privateKey))).toBe('accepted')
    let release = (): void => undefined
    gate = new Promise((resolve) => (release = resolve))
    nowMs += ISSUER_KEYS_PAUSE_MS
    let isOver = false
    const waiting = judge(await signed({}, { kid: 'unknown' })).finally(() => (isOver = true))
    expect(await judge(await signed({ extra: 1 }))).toBe('accepted')
    expect(await judge(await signed({ iss: OTHER, extra: 1 }, { kid: 'other-key' }, other.privateKey))).toBe('accepted')
    expect(isOver).toBe(false)
    release()
    expect(await waiting).toBe('bad_jwt')
  })

  test('may publish entries that are no keys, and not too many', async () => {
    const good = await jwk(one, KID, 'ES256')
    await publish(ONE, [{ kty: 'EC' }, { kty: 'XX', kid: 'x' }, good])
    expect(await judge(await signed(), open([{ url: ONE }]))).toBe('accepted')
    for (const keys of [Array.from({ length: ISSUER_KEYS_MAX + 1 }, () => good), 'none', null]) {
      published.set(`${ONE}/keys`, { keys })
      expect(await judge(await signed(), open([{ url: ONE }]))).toBe('issuer_unavailable')
    }
    published.set(`${ONE}/keys`, [])
    expect(await judge(await signed(), open([{ url: ONE }]))).toBe('issuer_unavailable')
  })

  test('may not speak in the name of another', async () => {
    published.set(`${ONE}/.well-known/openid-configuration`, { issuer: OTHER, jwks_uri: `${ONE}/keys` })
    const strict = open([{ url: ONE }])
    expect(await judge(await signed(), strict)).toBe('issuer_unavailable')
    expect(await judge(await signed({ iss: OTHER }), strict)).toBe('not theirs')
  })

  test('is not followed elsewhere, and not listened to for long', async () => {
    const keys = JSON.stringify({ keys: [await jwk(one, KID, 'ES256')] })
    await using inner = await openHttpListener(() => ({ body: keys, headers: { 'content-type': 'application/json' } }))
    for (const way of ['redirect', 'huge', 'elsewhere'] as const) {
      await using host: Awaited<ReturnType<typeof openHttpListener>> = await openHttpListener((request) => {
        const base = `http://${request.headers.host}`
        const elsewhere = way === 'elsewhere' ? 'http://internal.example.com/keys' : `${base}/keys`
        if (request.path !== '/keys') return { body: { issuer: base, jwks_uri: elsewhere } }
        return way === 'redirect'
          ? { status: 302, headers: { location: `${inner.url}/keys` } }
          : { body: `{"keys":[],"padding":"${'x'.repeat(2 * 1024 * 1024)}"}` }
      })
      const real = createThirdPartyTokens({
        issuers: [{ name: 'Workos', url: host.url, audiences: [] }],
        isRefusedRole: () => false,
        clock: { now: () => nowMs },
        logger: silentLogger,
        openNetwork: createProviderNetwork,
      })
      if (!real) throw new Error('no issuer is configured')
      expect(await judge(await signed({ iss: host.url }), real), way).toBe('issuer_unavailable')
    }
    expect(inner.requests).toEqual([])
  })
})

describe('the settings', () => {
  const OWN = 'https://api.example.com/auth/v1'
  const urlsOf = (options: object): string[] =>
    readThirdPartyIssuers({ ...defaultAuthOptions(), ...options }, OWN).map(({ url }) => url)

  test('name the issuers as the Supabase CLI does, and none by default', () => {
    expect(urlsOf({})).toEqual([])
    expect(
      urlsOf({
        thirdPartyFirebaseEnabled: true,
        thirdPartyFirebaseProjectId: 'my-project',
        thirdPartyAuth0Enabled: true,
        thirdPartyAuth0Tenant: 'acme',
        thirdPartyAuth0TenantRegion: 'us',
        thirdPartyAwsCognitoEnabled: true,
        thirdPartyAwsCognitoUserPoolId: 'us-east-1_aB3',
        thirdPartyAwsCognitoUserPoolRegion: 'us-east-1',
        thirdPartyClerkEnabled: true,
        thirdPartyClerkDomain: 'acme-7.clerk.accounts.dev',
        thirdPartyWorkosEnabled: true,
        thirdPartyWorkosIssuerUrl: 'https://api.workos.com/user_management/client_01/',
      }),
    ).toEqual([
      'https://securetoken.google.com/my-project',
      'https://acme.us.auth0.com',
      'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_aB3',
      'https://acme-7.clerk.accounts.dev',
      'https://api.workos.com/user_management/client_01',
    ])
    expect(urlsOf({ thirdPartyAuth0Enabled: true, thirdPartyAuth0Tenant: 'acme' })).toEqual(['https://acme.auth0.com'])
  })

  test('give Firebase the project as audience, since its keys sign for all projects', () => {
    const [firebase] = readThirdPartyIssuers(
      { ...defaultAuthOptions(), thirdPartyFirebaseEnabled: true, thirdPartyFirebaseProjectId: 'my-project' },
      OWN,
    )
    expect(firebase?.audiences).toEqual(['my-project'])
  })

  test('refuse what would lead elsewhere, or to ourselves', () => {
    const wrong: object[] = [
      { thirdPartyFirebaseEnabled: true },
      { thirdPartyFirebaseEnabled: true, thirdPartyFirebaseProjectId: 'a/../b' },
      { thirdPartyAuth0Enabled: true, thirdPartyAuth0Tenant: 'evil.example.com/' },
      { thirdPartyAuth0Enabled: true, thirdPartyAuth0Tenant: 'acme', thirdPartyAuth0TenantRegion: 'us.evil' },
      { thirdPartyAwsCognitoEnabled: true, thirdPartyAwsCognitoUserPoolId: 'x' },
      { thirdPartyClerkEnabled: true, thirdPartyClerkDomain: 'example.com' },
      { thirdPartyWorkosEnabled: true, thirdPartyWorkosIssuerUrl: 'http://issuer.example.com' },
      { thirdPartyWorkosEnabled: true, thirdPartyWorkosIssuerUrl: 'https://a:b@issuer.example.com' },
      { thirdPartyWorkosEnabled: true, thirdPartyWorkosIssuerUrl: 'https://issuer.example.com/?x' },
      { thirdPartyWorkosEnabled: true, thirdPartyWorkosIssuerUrl: OWN },
    ]
    for (const options of wrong) expect(() => urlsOf(options), JSON.stringify(options)).toThrow()
  })
})
