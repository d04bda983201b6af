import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AuthApp, type AuthWorld, openAuthWorld } from '../open-auth-world.ts'
import { APP_CLIENT_ID, type OidcProvider, openOidcProvider } from '../open-oidc-provider.ts'
import { openSigningProvider, type SigningProvider } from '../open-signing-provider.ts'
import { makeKnown, openRealClient } from '../visit-provider.ts'

let world: AuthWorld
let app: AuthApp
let google: SigningProvider
let certified: OidcProvider

beforeAll(async () => {
  world = await openAuthWorld()
  google = await openSigningProvider({ audience: 'ios-app' })
  certified = await openOidcProvider()
  app = await world.openApp({
    externalGoogleEnabled: true,
    externalGoogleClientId: 'holdfast,ios-app',
    externalGoogleUrl: google.url,
    enableManualLinking: true,
    enableAnonymousSignIns: true,
  })
  await makeKnown(app, certified, { acceptable_client_ids: [APP_CLIENT_ID] })
})
beforeEach(() => {
  world.nowMs = Date.now()
  google.claims = { email: `${crypto.randomUUID()}@example.org`, email_verified: true, sub: crypto.randomUUID() }
})
afterAll(async () => {
  await google[Symbol.asyncDispose]()
  await certified[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const hashOf = (nonce: string): string => createHash('sha256').update(nonce).digest('hex')
const post = (payload: object, token?: string) =>
  app.call({ method: 'POST', url: '/token?grant_type=id_token', payload, token })

describe('an ID token is refused', () => {
  test.each<readonly [string, Readonly<Record<string, unknown>>, object, string, string | undefined]>([
    ['of another issuer', { iss: 'https://evil.example.org' }, {}, 'bad_jwt', 'Bad ID token'],
    ['for another app', { aud: 'other' }, {}, 'unexpected_audience', 'Unacceptable audience in id_token: [other]'],
    ['for two apps, used by the other', { aud: ['ios-app', 'x'], azp: 'x' }, {}, 'unexpected_audience', undefined],
    ['that is over', { exp: 1 }, {}, 'bad_jwt', 'Bad ID token'],
    ['without an end', { exp: undefined }, {}, 'bad_jwt', 'Bad ID token'],
    ['without a person', { sub: undefined }, {}, 'bad_jwt', 'Bad ID token'],
    ['with another nonce', { nonce: hashOf('a') }, { nonce: 'b' }, 'bad_jwt', 'Nonces mismatch'],
    ['whose nonce was not given', { nonce: hashOf('a') }, {}, 'validation_failed', undefined],
    ['with the plain nonce', { nonce: 'a' }, { nonce: 'a' }, 'bad_jwt', 'Nonces mismatch'],
    ['that has none of the nonce given', {}, { nonce: 'a' }, 'validation_failed', undefined],
    [
      'of another access token',
      { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' },
      { access_token: 'x' },
      'bad_jwt',
      'Bad ID token',
    ],
  ])('%s', async (_name, claims, body, code, message) => {
    const answer = await post({ provider: 'google', id_token: await google.sign(claims), ...body })
    expect(answer).toMatchObject({ status: 400, body: { code, ...(message === undefined ? {} : { message }) } })
  })

  test('without a signature, or signed by another key', async () => {
    await using other = await openSigningProvider({ audience: 'ios-app' })
    const forged = await other.sign({ iss: google.issuer, sub: 'x' })
    const [header = '', payload = ''] = (await google.sign({})).split('.')
    const none = `${Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')}.${payload}.`
    for (const token of [forged, none, `${header}.${payload}.AAAA`, 'no token']) {
      expect(await post({ provider: 'google', id_token: token })).toMatchObject({
        status: 400,
        body: { code: 'bad_jwt', message: 'Bad ID token' },
      })
    }
  })

  test.each([
    [{ provider: 'google' }, 'validation_failed', 'id_token required'],
    [{ id_token: 'x' }, 'validation_failed', 'provider or client_id and issuer required'],
    [{ id_token: 'x', provider: 'nowhere' }, 'validation_failed', 'Custom OIDC provider "nowhere" not allowed'],
    [{ id_token: 'x', provider: 'github' }, 'validation_failed', 'Custom OIDC provider "github" not allowed'],
    [{ id_token: 'x', provider: 'custom:none' }, 'validation_failed', 'Custom provider "custom:none" not found'],
  ])('%j', async (payload, code, message) => {
    expect(await post(payload)).toMatchObject({ status: 400, body: { code, message } })
  })

  test('of a provider that is switched off', async () => {
    const off = await world.openApp({ externalGoogleUrl: google.url })
    const payload = { provider: 'google', id_token: await google.sign({}) }
    expect(await off.call({ method: 'POST', url: '/token?grant_type=id_token', payload })).toMatchObject({
      status: 400,
      body: { code: 'provider_disabled', message: `Provider (issuer "${google.issuer}") is not enabled` },
    })
  })

  test('for linking without a signed-in user', async () => {
    const payload = { provider: 'google', id_token: await google.sign({}), link_identity: true }
    expect((await post(payload)).status).toBe(401)
  })
})

test('an ID token signs in, bound to its access token and nonce, also named by issuer', async () => {
  const accessToken = 'ya29'
  const atHash = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url')
  const idToken = await google.sign({ nonce: hashOf('once'), at_hash: atHash })
  const first = await post({ provider: 'google', id_token: idToken, access_token: accessToken, nonce: 'once' })
  expect(first).toMatchObject({ status: 200, body: { user: { app_metadata: { provider: 'google' } } } })
  const again = await post({ issuer: google.issuer, client_id: 'ios-app', id_token: await google.sign({}) })
  expect(again.body.user?.id).toBe(first.body.user?.id)
})

test('skipNonceCheck takes a token whose nonce the app never saw', async () => {
  const lenient = await world.openApp({
    externalGoogleEnabled: true,
    externalGoogleClientId: 'ios-app',
    externalGoogleUrl: google.url,
    externalGoogleSkipNonceCheck: true,
  })
  const payload = { provider: 'google', id_token: await google.sign({ nonce: 'unknown' }) }
  expect((await lenient.call({ method: 'POST', url: '/token?grant_type=id_token', payload })).status).toBe(200)
})

describe('the real client with a certified provider', () => {
  test('signs in with a token that the app got itself', async () => {
    certified.people.set('ada', { email: 'ada@id-token.example.org', email_verified: true })
    const { idToken, accessToken } = await certified.issueTokens('ada', 'only once')
    const client = await openRealClient(app)
    const credentials = { provider: 'custom:oidc' as const, token: idToken, access_token: accessToken }
    const wrong = await client.auth.signInWithIdToken({ ...credentials, nonce: 'guessed' })
    expect(wrong.error).toMatchObject({ status: 400, message: 'Nonces mismatch' })
    const { data, error } = await client.auth.signInWithIdToken({ ...credentials, nonce: 'only once' })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email: 'ada@id-token.example.org', app_metadata: { provider: 'custom:oidc' } })
  })

  test('makes an account of an anonymous one by linking', async () => {
    certified.people.set('bob', { email: 'bob@id-token.example.org', email_verified: true })
    const client = await openRealClient(app)
    const anonymous = await client.auth.signInAnonymously()
    const { idToken } = await certified.issueTokens('bob')
    const { data, error } = await client.auth.linkIdentity({ provider: 'custom:oidc', token: idToken })
    expect(error).toBeNull()
    expect(data).toMatchObject({ user: { email: 'bob@id-token.example.org', is_anonymous: false } })
    expect((data as { user: { id: string } }).user.id).toBe(anonymous.data.user?.id)
  })
})
