import { createHmac } from 'node:crypto'
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createOpaqueKeys, mintApiKey, mintApiKeys } from './api-keys.ts'
import { importVerificationKeys, parseJwtSecret } from './jwt-secret.ts'
import type { SigningKeys } from './signing-keys.ts'
import { createTokenVerifier, type TokenVerifierOptions, type VerifyToken } from './verify-token.ts'

// Pins that a token is accepted only if one of our keys for its algorithm signed it, whatever its header says. No other code
// checks signatures, so a flaw here affects every service.

const SECRET = 'a secret for tests, which is long enough'
const KID = '11111111-1111-4111-8111-111111111111'
const NOW_S = 1_800_000_000
const ORIGIN = { secret: new TextEncoder().encode(SECRET), issuedAtS: NOW_S }
const USER = {
  sub: '22222222-2222-4222-8222-222222222222',
  role: 'authenticated',
  aud: 'authenticated',
  iat: NOW_S,
  exp: NOW_S + 3600,
}

let privateKey: CryptoKey
let publicKey: CryptoKey
let foreignKey: CryptoKey
let options: TokenVerifierOptions
let verify: VerifyToken
let nowMs: number

beforeAll(async () => {
  const ours = await generateKeyPair('ES256', { extractable: true })
  privateKey = ours.privateKey
  publicKey = ours.publicKey
  foreignKey = (await generateKeyPair('ES256')).privateKey
})

beforeEach(async () => {
  nowMs = NOW_S * 1000
  const keys: SigningKeys = {
    current: { kid: KID, algorithm: 'ES256', privateKey },
    verificationKey: (kid, algorithm) => (kid === KID && algorithm === 'ES256' ? publicKey : undefined),
    jwks: { keys: [] },
    generation: 0,
    reload: async () => undefined,
    [Symbol.dispose]: () => undefined,
    bornAtS: NOW_S,
  }
  options = {
    keys,
    signedBy: new WeakMap(),
    secretKeys: await importVerificationKeys(parseJwtSecret(SECRET).keys),
    expRequired: false,
    rolesGeneration: () => 0,
    claimsOfOpaqueKey: createOpaqueKeys(ORIGIN),
    isRefusedRole: (role) => ['', 'postgres', 'none'].includes(role),
    audiences: ['authenticated', 'reports'],
    clock: { now: () => nowMs },
  }
  verify = createTokenVerifier(options)
})

function signed(claims: object, header: object = {}, key: CryptoKey | Uint8Array = privateKey): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid: KID, typ: 'JWT', ...header }).sign(key)
}

/** Builds a token by hand, for headers that no proper library writes. */
function forged(header: object, claims: object, sign: (input: string) => string): string {
  const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${input}.${sign(input)}`
}

function hmac(secret: string): (input: string) => string {
  return (input) => createHmac('sha256', secret).update(input).digest('base64url')
}

describe('a genuine token', () => {
  test('of our own key gives its claims', async () => {
    expect(await verify(await signed(USER))).toMatchObject(USER)
  })

  test('signed with the secret gives its claims', async () => {
    expect(await verify(forged({ alg: 'HS256', typ: 'JWT' }, USER, hmac(SECRET)))).toMatchObject(USER)
  })

  test('without a role or subject is let through, for the gateway to run as anon', async () => {
    expect(await verify(await signed({ exp: NOW_S + 60 }))).toEqual({ exp: NOW_S + 60 })
  })

  test.each(['anon', 'service_role'] as const)('may be the API key of %s, the same at every start', async (role) => {
    const key = await mintApiKey(role, ORIGIN)
    expect(key).toBe(await mintApiKey(role, ORIGIN))
    expect(await verify(key)).toEqual({ iss: 'supabase', role, iat: NOW_S, exp: NOW_S + 315_360_000 })
  })

  test('may be an API key of the newer form, with the same claims', async () => {
    const { publishable, secret } = await mintApiKeys(ORIGIN)
    expect(await mintApiKeys(ORIGIN)).toMatchObject({ publishable, secret })
    expect(publishable).toMatch(/^sb_publishable_[\w-]{22}_[\w-]{8}$/)
    expect(secret).toMatch(/^sb_secret_[\w-]{22}_[\w-]{8}$/)
    expect(await verify(publishable)).toMatchObject({ iss: 'supabase', role: 'anon' })
    expect(await verify(secret)).toMatchObject({ iss: 'supabase', role: 'service_role' })
    nowMs += 316_000_000_000
    await expect(verify(secret)).rejects.toMatchObject({ code: 'token_expired' })
  })

  test('that looks like an API key of the newer form and is none is refused', async () => {
    const { secret } = await mintApiKeys(ORIGIN)
    const foreign = await mintApiKeys({
      ...ORIGIN,
      secret: new TextEncoder().encode(`${SECRET} of another project`),
    })
    for (const text of [foreign.secret, secret.slice(0, -1), `${secret}x`, secret.toUpperCase(), 'sb_secret_', 'sb_']) {
      await expect(verify(text)).rejects.toMatchObject({ code: 'bad_jwt' })
    }
  })

  test('may be an API key without an end', async () => {
    expect(await verify(forged({ alg: 'HS256' }, { role: 'anon' }, hmac(SECRET)))).toEqual({ role: 'anon' })
  })

  test('is refused the moment it expires, although it was verified before', async () => {
    const token = await signed(USER)
    nowMs = (USER.exp - 1) * 1000
    await verify(token)
    nowMs = USER.exp * 1000
    await expect(verify(token)).rejects.toMatchObject({ code: 'token_expired', status: 401 })
    await expect(verify(token)).rejects.toMatchObject({ code: 'token_expired' })
  })
})

const attacks: readonly (readonly [string, () => string | Promise<string>])[] = [
  ['nothing', () => ''],
  ['noise', () => 'not.a.token'],
  ['two parts', async () => (await signed(USER)).split('.').slice(0, 2).join('.')],
  ['an encrypted form', async () => `${await signed(USER)}.a.b`],
  ['no signature and alg none', () => forged({ alg: 'none', kid: KID }, USER, () => '')],
  ['alg None', () => forged({ alg: 'None', kid: KID }, USER, () => '')],
  ['an empty signature', async () => (await signed(USER)).replace(/[^.]+$/, '')],
  [
    'HS256 with our public key as PEM for the secret',
    async () => {
      const pem = await exportSPKI(publicKey)
      return forged({ alg: 'HS256', kid: KID, typ: 'JWT' }, USER, hmac(pem))
    },
  ],
  [
    'HS256 with our public key as JWK for the secret',
    async () => {
      const jwk = JSON.stringify(await exportJWK(publicKey))
      return forged({ alg: 'HS256', kid: KID, typ: 'JWT' }, USER, hmac(jwk))
    },
  ],
  ['HS256 with an empty secret', () => forged({ alg: 'HS256' }, USER, hmac(''))],
  [
    'HS384 with the right secret',
    () => forged({ alg: 'HS384' }, USER, (input) => createHmac('sha384', SECRET).update(input).digest('base64url')),
  ],
  ["another user's key under our kid", () => signed(USER, {}, foreignKey)],
  ['an unknown kid', () => signed(USER, { kid: 'other' })],
  ['no kid', () => signed(USER, { kid: undefined })],
  [
    'RS256 named over our ES256 key',
    async () => {
      const [, payload, signature] = (await signed(USER)).split('.')
      const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: KID })).toString('base64url')
      return `${header}.${payload}.${signature}`
    },
  ],
  [
    'its own key in the header',
    async () => {
      const pair = await generateKeyPair('ES256', { extractable: true })
      return signed(USER, { jwk: await exportJWK(pair.publicKey) }, pair.privateKey)
    },
  ],
  ['a jku, although the signature is ours', () => signed(USER, { jku: 'https://attacker.example/jwks.json' })],
  ['an x5u, although the signature is ours', () => signed(USER, { x5u: 'https://attacker.example/cert' })],
  ['a crit extension', () => forged({ alg: 'HS256', crit: ['exp'], exp: 1 }, USER, hmac(SECRET))],
  ['another typ', () => signed(USER, { typ: 'dpop+jwt' })],
  [
    'claims changed after signing',
    async () => {
      const [header, , signature] = (await signed(USER)).split('.')
      const claims = Buffer.from(JSON.stringify({ ...USER, role: 'service_role' })).toString('base64url')
      return `${header}.${claims}.${signature}`
    },
  ],
  [
    'a signature with one bit flipped',
    async () => {
      const token = await signed(USER)
      const [head, body, signature = ''] = token.split('.')
      const bytes = Buffer.from(signature, 'base64url')
      bytes[10] = (bytes[10] ?? 0) ^ 1
      return `${head}.${body}.${bytes.toString('base64url')}`
    },
  ],
  ['a subject that is a number', () => signed({ ...USER, sub: 7 })],
  ['no end, but a subject', () => signed({ ...USER, exp: undefined })],
  ['no end, and the subject of an API key', () => signed({ role: 'service_role', sub: USER.sub })],
  ['an end that is text', () => forged({ alg: 'HS256' }, { ...USER, exp: String(USER.exp) }, hmac(SECRET))],
  ['a beginning that is still to come', () => signed({ ...USER, nbf: NOW_S + 60 })],
  ['more than 8 KiB', () => signed({ ...USER, user_metadata: { text: 'a'.repeat(8 * 1024) } })],
]

describe('a genuine token is refused for its role, and told so, with', () => {
  test.each([
    ['the role postgres', 'postgres'],
    ['the role none, which Postgres takes for the login role', 'none'],
    ['an empty role', ''],
    ['a role that is a list', ['authenticated', 'service_role']],
  ])('%s', async (_title, role) => {
    const refused = {
      code: 'token_role_refused',
      status: 401,
      message: expect.not.stringContaining('postgres') as string,
    }
    await expect(verify(await signed({ ...USER, role }))).rejects.toMatchObject(refused)
    const other = forged({ alg: 'HS256' }, { ...USER, role }, hmac('another secret of thirty-two letters'))
    await expect(verify(other)).rejects.toMatchObject({ code: 'bad_jwt' })
  })
})

describe('a token is refused with', () => {
  test.each(attacks)('%s', async (_title, make) => {
    const token = await make()
    await expect(verify(token)).rejects.toMatchObject({ code: 'bad_jwt', status: 401 })
    await expect(verify(token)).rejects.toMatchObject({ code: 'bad_jwt', status: 401 })
  })

  test('an end in the past', async () => {
    const token = await signed({ ...USER, exp: NOW_S - 1 })
    await expect(verify(token)).rejects.toMatchObject({ code: 'token_expired', status: 401 })
  })

  test('any one of its characters changed', async () => {
    const token = await signed(USER)
    for (let position = 0; position < token.length; position++) {
      const changed = `${token.slice(0, position)}${token[position] === 'x' ? 'y' : 'x'}${token.slice(position + 1)}`
      await expect(verify(changed), changed).rejects.toMatchObject({ code: 'bad_jwt' })
    }
  })

  test('the same signature spelled with other spare bits', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const token = await signed(USER)
    const last = alphabet.indexOf(token.at(-1) ?? '')
    for (let spare = 1; spare < 16; spare++) {
      const respelled = `${token.slice(0, -1)}${alphabet[last + spare]}`
      await expect(verify(respelled), respelled).rejects.toMatchObject({ code: 'bad_jwt' })
    }
    expect(await verify(token)).toMatchObject(USER)
  })
})

describe('the audience of a token', () => {
  test.each([undefined, null, 'authenticated', 'reports', ['reports'], ['another', 'authenticated']])(
    'may be %j',
    async (aud) => {
      expect(await verify(await signed({ ...USER, aud }))).toMatchObject({ sub: USER.sub })
    },
  )

  test.each(['another', '', 'Authenticated', [], ['another']])('may not be %j', async (aud) => {
    const token = forged({ alg: 'HS256', typ: 'JWT' }, { ...USER, aud }, hmac(SECRET))
    await expect(verify(token)).rejects.toMatchObject({ code: 'foreign_audience', status: 401 })
    await expect(verify(token)).rejects.toMatchObject({ code: 'foreign_audience' })
  })

  test('of a key is checked like any other', async () => {
    const key = forged({ alg: 'HS256', typ: 'JWT' }, { role: 'service_role', aud: 'another' }, hmac(SECRET))
    await expect(verify(key)).rejects.toMatchObject({ code: 'foreign_audience' })
  })
})

test('the verified tokens that are remembered are bounded', async () => {
  const first = forged({ alg: 'HS256' }, { ...USER, n: -1 }, hmac(SECRET))
  const before = await verify(first)
  expect(await verify(first)).toBe(before)
  for (let n = 0; n < 4100; n++) await verify(forged({ alg: 'HS256' }, { ...USER, n }, hmac(SECRET)))
  expect(await verify(first)).not.toBe(before)
})

describe('the claims of a token are refused, and it is said why:', () => {
  test.each([
    ['exp_missing', { exp: undefined }],
    ['exp_not_number', { exp: String(USER.exp) }],
    ['nbf_not_number', { nbf: 'now' }],
    ['nbf_future', { nbf: NOW_S + 31 }],
    ['iat_not_number', { iat: {} }],
    ['iat_future', { iat: NOW_S + 31 }],
    ['aud_malformed', { aud: 7 }],
    ['aud_malformed', { aud: { 0: 'authenticated' } }],
    ['aud_malformed', { aud: [['authenticated']] }],
    ['aud_malformed', { aud: ['authenticated', 7] }],
  ])('%s', async (detail, claims) => {
    const token = await new SignJWT({ ...USER, ...(claims as object) })
      .setProtectedHeader({ alg: 'ES256', kid: KID })
      .sign(privateKey)
    await expect(verify(token)).rejects.toMatchObject({ code: 'bad_jwt', status: 401, detail })
  })

  test('clocks may differ by half a minute', async () => {
    expect(await verify(await signed({ ...USER, nbf: NOW_S + 30, iat: NOW_S + 30 }))).toMatchObject({ sub: USER.sub })
  })
})

describe('a token without an end', () => {
  const endless = { sub: USER.sub, role: 'authenticated' }

  test('is accepted if it is signed with the secret', async () => {
    expect(await verify(forged({ alg: 'HS256' }, endless, hmac(SECRET)))).toEqual(endless)
    expect(await verify(forged({ alg: 'HS256' }, { ...endless, exp: null }, hmac(SECRET)))).toMatchObject(endless)
  })

  test('is refused where ends are required, unless it is an API key', async () => {
    const strict = createTokenVerifier({ ...options, expRequired: true })
    const refused = strict(forged({ alg: 'HS256' }, endless, hmac(SECRET)))
    await expect(refused).rejects.toMatchObject({ code: 'bad_jwt', detail: 'exp_missing' })
    expect(await strict(forged({ alg: 'HS256' }, { role: 'anon' }, hmac(SECRET)))).toEqual({ role: 'anon' })
  })
})

describe('a JWK set as the secret', () => {
  test('verifies with each of its keys, and with no other', async () => {
    const other = await generateKeyPair('RS256', { extractable: true })
    const k = Buffer.from(SECRET).toString('base64url')
    const set = {
      keys: [
        { kty: 'oct', k, alg: 'HS256', kid: 'shared' },
        { ...(await exportJWK(other.publicKey)), kid: 'theirs', use: 'sig', key_ops: ['verify'] },
      ],
    }
    const secretKeys = await importVerificationKeys(parseJwtSecret(JSON.stringify(set)).keys)
    const verifySet = createTokenVerifier({ ...options, secretKeys })
    expect(await verifySet(forged({ alg: 'HS256' }, USER, hmac(SECRET)))).toMatchObject(USER)
    expect(await verifySet(await signed(USER, { alg: 'RS256', kid: 'theirs' }, other.privateKey))).toMatchObject(USER)
    expect(await verifySet(await signed(USER))).toMatchObject(USER)
    for (const kid of ['shared', KID, 'unknown']) {
      const token = signed(USER, { alg: 'RS256', kid }, other.privateKey)
      await expect(verifySet(await token)).rejects.toMatchObject({ code: 'bad_jwt' })
    }
    const asSecret = forged({ alg: 'HS256', kid: 'theirs' }, USER, hmac(JSON.stringify(set.keys[1])))
    await expect(verifySet(asSecret)).rejects.toMatchObject({ code: 'bad_jwt' })
  })

  test('may be one key, whose bytes are the secret; a text in braces that is none is a text', () => {
    const k = Buffer.from(SECRET).toString('base64url')
    expect(Buffer.from(parseJwtSecret(JSON.stringify({ kty: 'oct', k })).signing ?? []).toString()).toBe(SECRET)
    const text = `{${SECRET}}`
    expect(Buffer.from(parseJwtSecret(text).signing ?? []).toString()).toBe(text)
  })

  test.each([
    [{ kty: 'oct', k: 'c2hvcnQ' }],
    [{ kty: 'oct', k: 'A'.repeat(64), alg: 'HS512' }],
    [{ kty: 'EC', crv: 'P-521', x: 'A', y: 'A' }],
    [{ keys: [{ kty: 'OKP' }] }],
    [{ keys: [null] }],
  ])('is refused as %j', (jwk) => {
    expect(() => parseJwtSecret(JSON.stringify(jwk))).toThrow(expect.objectContaining({ code: 'jwt_secret_invalid' }))
  })
})

test('roles that are refused from now on are so for tokens that were verified before', async () => {
  const refused = new Set<string>()
  let rolesGeneration = 0
  const judge = createTokenVerifier({
    ...options,
    isRefusedRole: (role) => refused.has(role),
    rolesGeneration: () => rolesGeneration,
  })
  const token = await signed(USER)
  await judge(token)
  refused.add(USER.role)
  rolesGeneration += 1
  await expect(judge(token)).rejects.toMatchObject({ code: 'token_role_refused' })
})
