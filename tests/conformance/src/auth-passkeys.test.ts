import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@holdfast/test-support'
import { pageOf, stubBrowser } from './as-browser.ts'
import { type AuthClient, type AuthWorld, claimsOf, openAuthWorld } from './auth-world.ts'

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
afterEach(() => {
  vi.unstubAllGlobals()
})

function newKey(): SoftwareAuthenticator {
  return createSoftwareAuthenticator({ origin: pageOf(world.url), synced: true })
}

/** Registers with the two calls for apps that have their own authenticator. */
async function register({ auth }: Pick<AuthClient, 'auth'>, key: SoftwareAuthenticator) {
  const { data: asked, error } = await auth.passkey.startRegistration()
  expect(error).toBeNull()
  if (!asked) throw new Error('there is a challenge')
  const credential = key.create(asked.options)
  return auth.passkey.verifyRegistration({ challengeId: asked.challenge_id, credential })
}

/** Returns a user with a passkey, and a signed-out client. */
async function owner() {
  const client = await world.signUp()
  const key = newKey()
  const { data, error } = await register(client, key)
  expect(error).toBeNull()
  return { client, key, passkeyId: data?.id ?? '', there: world.openClient() }
}

describe('auth.registerPasskey', () => {
  test("creates a passkey with the browser's authenticator", async () => {
    const client = await world.signUp()
    stubBrowser(newKey(), pageOf(world.url))
    const { data, error } = await client.auth.registerPasskey()
    expect(error).toBeNull()
    expect(data).toMatchObject({ id: expect.any(String), friendly_name: 'Passkey', created_at: expect.any(String) })
  })

  test('refuses a second passkey on the same authenticator', async () => {
    const client = await world.signUp()
    stubBrowser(newKey(), pageOf(world.url))
    await client.auth.registerPasskey()
    const { error } = await client.auth.registerPasskey()
    expect(error).toMatchObject({ name: 'InvalidStateError' })
  })

  test('is refused on another origin', async () => {
    const client = await world.signUp()
    stubBrowser(createSoftwareAuthenticator({ origin: 'http://localhost:1' }), 'http://localhost:1')
    const { error } = await client.auth.registerPasskey()
    expect(error).toMatchObject({ code: 'webauthn_verification_failed', status: 400 })
  })
})

describe('auth.signInWithPasskey', () => {
  test('signs in without a username and emits SIGNED_IN', async () => {
    const { client, key, there } = await owner()
    stubBrowser(key, pageOf(world.url))
    const { data, error } = await there.auth.signInWithPasskey()
    expect(error).toBeNull()
    expect(data?.user?.id).toBe(client.user.id)
    expect(there.events).toContainEqual(['SIGNED_IN', client.user.id])
    expect(claimsOf(data?.session?.access_token ?? '')).toMatchObject({ aal: 'aal1', amr: [{ method: 'passkey' }] })
    expect((await there.auth.refreshSession()).error).toBeNull()
  })

  test("signs in from the browser's autofill", async () => {
    const { client, key, there } = await owner()
    stubBrowser(key, pageOf(world.url))
    const { data, error } = await there.auth.signInWithPasskey({ options: { mediation: 'conditional' } })
    expect(error).toBeNull()
    expect(data?.user?.id).toBe(client.user.id)
  })

  test('refuses a deleted passkey', async () => {
    const { client, key, passkeyId, there } = await owner()
    await client.auth.passkey.delete({ passkeyId })
    stubBrowser(key, pageOf(world.url))
    const { data, error } = await there.auth.signInWithPasskey()
    expect(error).toMatchObject({ code: 'webauthn_verification_failed' })
    expect(data).toBeNull()
    expect(there.eventNames()).not.toContain('SIGNED_IN')
  })

  test('fails without a request if the browser lacks WebAuthn', async () => {
    const { error } = await world.openClient().auth.signInWithPasskey()
    expect(error).toMatchObject({ message: 'Browser does not support WebAuthn' })
  })
})

describe('auth.passkey.startRegistration', () => {
  test('returns options for a passkey of this site', async () => {
    const { auth, email, user } = await world.signUp()
    const { data, error } = await auth.passkey.startRegistration()
    expect(error).toBeNull()
    expect(data).toMatchObject({
      challenge_id: expect.any(String),
      options: {
        rp: { id: 'localhost' },
        user: { name: email, id: Buffer.from(user.id).toString('base64url') },
        authenticatorSelection: { residentKey: 'required' },
      },
    })
    expect((data?.expires_at ?? 0) - Date.now() / 1000).toBeGreaterThan(290)
  })

  test('requires a session', async () => {
    const { error } = await world.openClient().auth.passkey.startRegistration()
    expect(error).toMatchObject({ name: 'AuthSessionMissingError' })
  })
})

describe('auth.passkey.verifyRegistration', () => {
  test('stores the passkey, once per challenge', async () => {
    const { auth } = await world.signUp()
    const { data: asked } = await auth.passkey.startRegistration()
    if (!asked) throw new Error('there is a challenge')
    const answer = { challengeId: asked.challenge_id, credential: newKey().create(asked.options) }
    expect((await auth.passkey.verifyRegistration(answer)).error).toBeNull()
    expect((await auth.passkey.verifyRegistration(answer)).error).toMatchObject({
      code: 'webauthn_challenge_not_found',
      status: 400,
    })
  })
})

describe('auth.passkey.startAuthentication', () => {
  test('returns options for any passkey of this site', async () => {
    const { data, error } = await world.openClient().auth.passkey.startAuthentication()
    expect(error).toBeNull()
    expect(data).toMatchObject({ challenge_id: expect.any(String), options: { rpId: 'localhost' } })
    expect(data?.options.allowCredentials ?? []).toEqual([])
  })
})

describe('auth.passkey.verifyAuthentication', () => {
  test('signs in, once per challenge', async () => {
    const { client, key, there } = await owner()
    const { data: asked } = await there.auth.passkey.startAuthentication()
    if (!asked) throw new Error('there is a challenge')
    const answer = { challengeId: asked.challenge_id, credential: key.get(asked.options) }
    const { data, error } = await there.auth.passkey.verifyAuthentication(answer)
    expect(error).toBeNull()
    expect(data?.user?.id).toBe(client.user.id)
    expect((await there.auth.passkey.verifyAuthentication(answer)).error).toMatchObject({
      code: 'webauthn_challenge_not_found',
    })
  })

  test("is refused with another user's handle", async () => {
    const { key, there } = await owner()
    const { client: other } = await owner()
    const { data: asked } = await there.auth.passkey.startAuthentication()
    if (!asked) throw new Error('there is a challenge')
    const credential = key.get(asked.options, { userHandle: Buffer.from(other.user.id).toString('base64url') })
    const answer = { challengeId: asked.challenge_id, credential }
    expect((await there.auth.passkey.verifyAuthentication(answer)).error).toMatchObject({
      code: 'webauthn_verification_failed',
    })
  })
})

describe('auth.passkey.list', () => {
  test('lists passkeys and when they were last used', async () => {
    const { client, key, passkeyId, there } = await owner()
    expect((await client.auth.passkey.list()).data).toEqual([
      { id: passkeyId, friendly_name: 'Passkey', created_at: expect.any(String) },
    ])
    stubBrowser(key, pageOf(world.url))
    await there.auth.signInWithPasskey()
    vi.unstubAllGlobals()
    expect((await client.auth.passkey.list()).data).toMatchObject([{ last_used_at: expect.any(String) }])
  })
})

describe('auth.passkey.update', () => {
  test("renames a passkey, but not another user's", async () => {
    const { client, passkeyId } = await owner()
    const { data, error } = await client.auth.passkey.update({ passkeyId, friendlyName: 'My phone' })
    expect(error).toBeNull()
    expect(data).toMatchObject({ id: passkeyId, friendly_name: 'My phone' })
    const eve = await world.signUp()
    expect((await eve.auth.passkey.update({ passkeyId, friendlyName: 'Mine' })).error).toMatchObject({ status: 404 })
  })
})

describe('auth.passkey.delete', () => {
  test("deletes a passkey, but not another user's", async () => {
    const { client, passkeyId } = await owner()
    const eve = await world.signUp()
    expect((await eve.auth.passkey.delete({ passkeyId })).error).toMatchObject({ status: 404 })
    expect(await client.auth.passkey.delete({ passkeyId })).toEqual({ data: null, error: null })
    expect((await client.auth.passkey.list()).data).toEqual([])
  })
})
