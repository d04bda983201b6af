import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { type AuthApp, type AuthWorld, JWT_SECRET, openAuthWorld } from '../open-auth-world.ts'
import { type Jwks, openSigningKeys } from '../../src/tokens/signing-keys.ts'

const MINUTE_MS = 60_000

let world: AuthWorld
let app: AuthApp
let adminKey: string

beforeEach(async () => {
  world = await openAuthWorld()
  app = await world.openApp()
  adminKey = app.auth.apiKeys.serviceRole
})

afterEach(async () => {
  await world[Symbol.asyncDispose]()
})

/** As `supabase gen signing-key` writes it. */
async function ecosystemKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, use: 'sig', key_ops: ['sign', 'verify'], alg: 'ES256', ext: true }
}

const admin = (method: 'GET' | 'POST' | 'DELETE', path = '', payload?: object) =>
  app.call({ method, url: `/admin/signing-keys${path}`, token: adminKey, ...(payload ? { payload } : {}) })

const statuses = (body: object): string[] =>
  (body as { keys: { status: string }[] }).keys.map(({ status }) => status).toSorted()

describe('rotating the signing key', () => {
  test('publishes a key, lets it sign, and goes on believing the one before', async () => {
    const { access_token: old } = await app.signUp()
    expect(statuses((await admin('POST', '', {})).body)).toEqual(['current', 'standby'])
    // Whoever fetched the keys now has the new one already.
    const seen = app.auth.jwks()
    world.nowMs += 21 * MINUTE_MS
    expect(statuses((await admin('POST', '/rotate', {})).body)).toEqual(['current', 'previous'])
    const { access_token: fresh } = await app.signUp()
    expect(decodeProtectedHeader(fresh).kid).not.toBe(decodeProtectedHeader(old).kid)
    await expect(app.auth.verifyToken(old)).resolves.toMatchObject({ role: 'authenticated' })
    await expect(
      jwtVerify(fresh, createLocalJWKSet(seen as { keys: [] }), { currentDate: new Date(world.nowMs) }),
    ).resolves.toBeDefined()
  })

  test('waits until everybody who keeps the keys has seen the new one, unless it is urgent', async () => {
    expect(await admin('POST', '/rotate', {})).toMatchObject({ status: 409, body: { code: 'conflict' } })
    await admin('POST', '', {})
    world.nowMs += 19 * MINUTE_MS
    expect(await admin('POST', '/rotate', {})).toMatchObject({ status: 409, headers: { 'retry-after': '60' } })
    expect((await admin('POST', '/rotate', { at_once: true })).status).toBe(200)
  })

  test('ends with revoking, which refuses what the key has signed even if it was verified a moment ago', async () => {
    const { access_token: old } = await app.signUp()
    await app.auth.verifyToken(old)
    const kid = decodeProtectedHeader(old).kid
    expect(await admin('DELETE', `/${kid}`)).toMatchObject({ status: 409 })
    await admin('POST', '', {})
    await admin('POST', '/rotate', { at_once: true })
    expect(statuses((await admin('DELETE', `/${kid}`)).body)).toEqual(['current', 'revoked'])
    await expect(app.auth.verifyToken(old)).rejects.toMatchObject({ code: 'bad_jwt' })
    expect(app.auth.jwks().keys.map((key) => key.kid)).not.toContain(kid)
  })

  test('is seen by the other servers of the database', async () => {
    const other = await world.openApp()
    await admin('POST', '', {})
    await admin('POST', '/rotate', { at_once: true })
    const { access_token: token } = await app.signUp()
    await expect.poll(() => other.auth.verifyToken(token).catch(() => undefined), { timeout: 60_000 }).toBeDefined()
    expect(decodeProtectedHeader((await other.signUp()).access_token).kid).toBe(decodeProtectedHeader(token).kid)
  })

  test('ends with revoking, also while the keys of a moment ago are still on their way', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    let isHeld = false
    const { pool } = world.db
    const slow: Pool = {
      ...pool,
      async query(query) {
        const rows = await pool.query(query)
        if (isHeld) {
          isHeld = false
          await held
        }
        return rows as never
      },
    }
    using keys = await openSigningKeys(slow, { now: () => world.nowMs }, silentLogger, { path: undefined })
    const { kid } = keys.current
    await admin('POST', '', {})
    await admin('POST', '/rotate', { at_once: true })
    isHeld = true
    const before = keys.reload()
    await expect.poll(() => isHeld).toBe(false)
    await admin('DELETE', `/${kid}`)
    const after = keys.reload()
    // Turns enough for the second to overtake the first, if it can.
    for (let turn = 0; turn < 20; turn++) await pool.query(sql`select 1`)
    release()
    await Promise.all([before, after])
    expect(keys.jwks.keys.map((key) => key.kid)).not.toContain(kid)
  })

  test('is for administrators', async () => {
    const { access_token: token } = await app.signUp()
    expect(await app.call({ url: '/admin/signing-keys', token })).toMatchObject({
      status: 403,
      body: { code: 'not_admin' },
    })
    expect(await app.call({ url: '/admin/signing-keys' })).toMatchObject({ status: 401 })
  })

  test('never shows a private part', async () => {
    await admin('POST', '', { algorithm: 'RS256' })
    const { body } = await admin('GET')
    expect(JSON.stringify([body, app.auth.jwks()])).not.toMatch(/"(d|p|q|dp|dq|qi|k|private_jwk)":/)
  })
})

describe('algorithms', () => {
  const verify = async (token: string): Promise<string | undefined> => (await app.auth.verifyToken(token)).sub

  test('RS256, ES256 and HS256 are believed side by side', async () => {
    const first = await app.signUp()
    await admin('POST', '', { algorithm: 'RS256' })
    await admin('POST', '/rotate', { at_once: true })
    const second = await app.signUp()
    expect([first, second].map(({ access_token: token }) => decodeProtectedHeader(token).alg)).toEqual([
      'ES256',
      'RS256',
    ])
    const shared = await new SignJWT({ sub: second.user.id, role: 'authenticated' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(Math.floor(world.nowMs / 1000) + 60)
      .sign(new TextEncoder().encode(JWT_SECRET))
    expect(await Promise.all([first.access_token, second.access_token, shared].map(verify))).toEqual([
      first.user.id,
      second.user.id,
      second.user.id,
    ])
  })

  test('the key of another project is taken over with its name, and its tokens with it', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = { ...(await exportJWK(privateKey)), kid: 'theirs', alg: 'ES256' }
    const token = await new SignJWT({ sub: 'somebody', role: 'authenticated' })
      .setProtectedHeader({ alg: 'ES256', kid: 'theirs' })
      .setExpirationTime(Math.floor(world.nowMs / 1000) + 60)
      .sign(privateKey)
    await expect(app.auth.verifyToken(token)).rejects.toMatchObject({ code: 'bad_jwt' })
    expect((await admin('POST', '', { private_jwk: jwk })).status).toBe(200)
    expect(await verify(token)).toBe('somebody')
    const published = (app.auth.jwks() as Jwks).keys.find(({ kid }) => kid === 'theirs')
    expect(Object.keys(published ?? {}).toSorted()).toEqual(['alg', 'crv', 'key_ops', 'kid', 'kty', 'use', 'x', 'y'])
    expect(await admin('POST', '', { private_jwk: jwk })).toMatchObject({ status: 409 })
  })

  test('a key in the form that the ecosystem writes is taken, whatever it says that it is for', async () => {
    const jwk = await ecosystemKey('generated')
    expect((await admin('POST', '', { private_jwk: jwk })).status).toBe(200)
    await admin('POST', '/rotate', { at_once: true })
    const { access_token: token } = await app.signUp()
    expect(decodeProtectedHeader(token).kid).toBe('generated')
    expect((app.auth.jwks() as Jwks).keys.find(({ kid }) => kid === 'generated')).toMatchObject({
      use: 'sig',
      key_ops: ['verify'],
    })
  })

  test.each([
    { kty: 'oct', k: 'c2VjcmV0' },
    { kty: 'EC', crv: 'P-384', d: 'x' },
    { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' },
    { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'z' },
    {},
  ])('%j is no key to sign with', async (jwk) => {
    expect(await admin('POST', '', { private_jwk: jwk })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    })
  })
})

describe('keys of a file', () => {
  const inFile = async (content: string): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-keys-'))
    folders.push(folder)
    await writeFile(join(folder, 'keys.json'), content)
    return join(folder, 'keys.json')
  }
  const openWith = async (...keys: JWK[]): Promise<AuthApp> =>
    world.openApp({ signingKeysPath: await inFile(JSON.stringify(keys)) })
  const kidOf = async (by: AuthApp) => decodeProtectedHeader((await by.signUp()).access_token).kid
  const folders: string[] = []
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

  test('sign and verify from the next start, and the key of before goes on verifying', async () => {
    const { access_token: old } = await app.signUp()
    const [first, second] = [await ecosystemKey('first'), await ecosystemKey('second')]
    const other = await openWith(first, second)
    expect(await kidOf(other)).toBe('first')
    await expect(other.auth.verifyToken(old)).resolves.toMatchObject({ role: 'authenticated' })
    expect(await kidOf(await openWith(second, first))).toBe('second')
    expect((other.auth.jwks() as Jwks).keys.map(({ kid }) => kid)).toEqual(expect.arrayContaining(['first', 'second']))
  })

  test('without a name have the same one at every start', async () => {
    const { kid: _, ...jwk } = await ecosystemKey('none')
    const kid = await kidOf(await openWith(jwk))
    expect(await kidOf(await openWith(jwk))).toBe(kid)
  })

  test('that are new under the name of another key are refused, since that one would go on signing', async () => {
    await openWith(await ecosystemKey('main'))
    const again = await ecosystemKey('main')
    await expect(openWith(again)).rejects.toThrow('signingKeysPath: another key is called main')
    await expect(openWith(await ecosystemKey('twice'), await ecosystemKey('twice'))).rejects.toThrow('called twice')
    expect(await kidOf(await openWith(await ecosystemKey('next')))).toBe('next')
  })

  test('that were revoked do not come back', async () => {
    const jwk = await ecosystemKey('gone')
    await openWith(jwk)
    await openWith(await ecosystemKey('next'))
    expect((await admin('DELETE', '/gone')).status).toBe(200)
    await expect(openWith(jwk)).rejects.toThrow('signingKeysPath: the key gone was revoked')
  })

  test.each([
    ['{', 'is no JSON'],
    ['{}', 'has to be an array of private JWKs'],
    ['[]', 'has to be an array of private JWKs'],
    ['[1]', 'has to be an array of private JWKs (item 0)'],
    ['[{"kty":"oct","k":"c2VjcmV0"}]', 'item 0: The key has to be a private JWK for ES256 or RS256'],
    ['[{"kty":"EC","crv":"P-256","d":"secret"}]', 'item 0: The key has to be a private JWK'],
  ])('%s are refused with the option, and without what stands in them', async (content, reason) => {
    const path = await inFile(content)
    const error: unknown = await world.openApp({ signingKeysPath: path }).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain(`signingKeysPath: ${path} ${reason}`)
    expect(String(error)).not.toContain('secret')
    expect(error).toMatchObject({ code: 'option_invalid' })
    await expect(world.openApp({ signingKeysPath: `${path}.none` })).rejects.toThrow('cannot be read')
  })
})

describe('roles of administrators', () => {
  const mint = (role: string): Promise<string> =>
    new SignJWT({ role })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(Math.floor(world.nowMs / 1000) + 60)
      .sign(new TextEncoder().encode(JWT_SECRET))

  test('supabase_admin is believed where accounts are administered, and nowhere else', async () => {
    const token = await mint('supabase_admin')
    await expect(app.auth.verifyAdminToken(token)).resolves.toMatchObject({ role: 'supabase_admin' })
    await expect(app.auth.verifyToken(token)).rejects.toMatchObject({ code: 'token_role_refused' })
  })

  test.each(['postgres', 'authenticator', 'pg_read_all_data', 'supabase_auth_admin'])(
    '%s is believed nowhere',
    async (role) => {
      const token = await mint(role)
      await expect(app.auth.verifyAdminToken(token)).rejects.toMatchObject({ code: 'token_role_refused' })
    },
  )
})
