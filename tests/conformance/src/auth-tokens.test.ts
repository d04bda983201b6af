import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthWorld, claimsOf, openAuthWorld } from './auth-world.ts'

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

async function publishedKeys(): Promise<Response> {
  return fetch(`${world.url}/auth/v1/.well-known/jwks.json`, { headers: { apikey: world.anonKey } })
}

describe('auth.getClaims', () => {
  test('verifies the token in the client with the published key, its only request', async () => {
    const { auth, requests, session, user, email } = await world.signUp()
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

  test('fetches keys that are cached for ten minutes and have no private part', async () => {
    const response = await publishedKeys()
    expect(response.headers.get('cache-control')).toBe('public, max-age=600')
    const { keys } = (await response.json()) as { keys: object[] }
    expect(keys).not.toHaveLength(0)
    for (const key of keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'key_ops', 'kid', 'kty', 'use', 'x', 'y'])
    }
  })

  test('asks the server about a token signed with a legacy JWT secret', async () => {
    const { auth, session, requests } = await world.signUp()
    const token = forge({ alg: 'HS256', typ: 'JWT' }, claimsOf(session.access_token), hmac(world.jwtSecret))
    requests.length = 0
    const { data, error } = await auth.getClaims(token)
    expect(error).toBeNull()
    expect(data?.claims.sub).toBe(session.user.id)
    expect(requests).toEqual(['GET /auth/v1/user'])
  })

  test('returns null without an error if no user is signed in', async () => {
    expect(await world.openClient().auth.getClaims()).toEqual({ data: null, error: null })
  })

  describe('refused', () => {
    test('refuses a tampered token', async () => {
      const { auth, session } = await world.signUp()
      const { error } = await auth.getClaims(withClaims(session.access_token, { role: 'service_role' }))
      expect(error).toMatchObject({ name: 'AuthInvalidJwtError', status: 400 })
    })

    test('refuses an expired token', async () => {
      const { auth, session } = await world.signUp()
      const { error } = await auth.getClaims(withClaims(session.access_token, { exp: 1_700_000_000 }))
      expect(error).toMatchObject({ name: 'AuthInvalidJwtError', message: 'JWT has expired' })
    })
  })
})

describe('access tokens', () => {
  const attacks: readonly (readonly [string, (token: string) => Promise<string> | string])[] = [
    ['without a signature', (token) => forge({ alg: 'none' }, claimsOf(token), () => '')],
    [
      'signed with the published key as if it were the secret',
      async (token) => {
        const { keys } = (await (await publishedKeys()).json()) as { keys: object[] }
        return forge({ alg: 'HS256', kid: kidOf(token) }, claimsOf(token), hmac(JSON.stringify(keys[0])))
      },
    ],
    [
      'signed with a guessed secret',
      (token) => forge({ alg: 'HS256' }, claimsOf(token), hmac('super-secret-jwt-token')),
    ],
    [
      "signed with another user's key",
      (token) => forge({ alg: 'ES256', kid: kidOf(token) }, claimsOf(token), foreignSignature),
    ],
    [
      'with an unknown key ID',
      (token) => forge({ alg: 'ES256', kid: randomUUID() }, claimsOf(token), foreignSignature),
    ],
    ['that were tampered with', (token) => withClaims(token, { sub: randomUUID() })],
    [
      'that have expired',
      (token) => forge({ alg: 'HS256' }, { ...claimsOf(token), exp: 1_700_000_000 }, hmac(world.jwtSecret)),
    ],
    [
      'with the role postgres and a valid signature',
      (token) => forge({ alg: 'HS256' }, { ...claimsOf(token), role: 'postgres' }, hmac(world.jwtSecret)),
    ],
  ]

  test('signed with a legacy JWT secret are accepted', async () => {
    const { session, user } = await world.signUp()
    const token = forge({ alg: 'HS256', typ: 'JWT' }, claimsOf(session.access_token), hmac(world.jwtSecret))
    expect((await world.openClient().auth.getUser(token)).data.user?.id).toBe(user.id)
  })

  test('signed with a legacy JWT secret need no expiry, as in GoTrue', async () => {
    const { session, user } = await world.signUp()
    const claims = { ...claimsOf(session.access_token), exp: undefined }
    const token = forge({ alg: 'HS256', typ: 'JWT' }, claims, hmac(world.jwtSecret))
    expect((await world.openClient().auth.getUser(token)).data.user?.id).toBe(user.id)
  })

  describe('refused', () => {
    test.each(attacks)('%s are refused', async (_title, attack) => {
      const { session } = await world.signUp()
      const { data, error } = await world.openClient().auth.getUser(await attack(session.access_token))
      expect(error).toMatchObject({ name: 'AuthApiError', status: 403, code: 'bad_jwt' })
      expect(data).toEqual({ user: null })
    })
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

function kidOf(token: string): string {
  return (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid
}

function withClaims(token: string, claims: object): string {
  const [header, , signature] = token.split('.')
  return `${header}.${part({ ...claimsOf(token), ...claims })}.${signature}`
}
