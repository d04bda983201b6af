import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import {
  createSoftwareAuthenticator,
  type CreationOptions,
  type Deviations,
  type RequestOptions,
  type SoftwareAuthenticator,
} from '@holdfast/test-support'
import { type AuthApp, type AuthWorld, openAuthWorld } from '../open-auth-world.ts'
import type { AuthOptions } from '../../src/options/auth-options.ts'

const ORIGIN = 'http://localhost:54321'

let world: AuthWorld
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp()
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

interface Person {
  readonly id: string
  readonly email: string
  readonly token: string
}

interface Asked<T> {
  readonly challenge_id: string
  readonly expires_at: number
  readonly options: T
}

interface Passkey {
  readonly id: string
  readonly friendly_name?: string
  readonly created_at: string
  readonly last_used_at?: string
}

async function newPerson(): Promise<Person> {
  const email = `${randomUUID()}@example.org`
  const { user, access_token: token } = await app.signUp(email)
  return { id: user.id, email, token }
}

function newKey(synced = false): SoftwareAuthenticator {
  return createSoftwareAuthenticator({ origin: ORIGIN, synced })
}

async function ask<T>(url: string, token?: string): Promise<Asked<T>> {
  const { status, body } = await app.call({ method: 'POST', url, payload: {}, token })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body as unknown as Asked<T>
}

async function register(person: Person, key: SoftwareAuthenticator, deviations?: Deviations) {
  const asked = await ask<CreationOptions>('/passkeys/registration/options', person.token)
  const payload = { challenge_id: asked.challenge_id, credential: key.create(asked.options, deviations) }
  return app.call({ method: 'POST', url: '/passkeys/registration/verify', payload, token: person.token })
}

async function signIn(key: SoftwareAuthenticator, deviations?: Deviations) {
  const asked = await ask<RequestOptions>('/passkeys/authentication/options')
  return send(asked.challenge_id, key.get(asked.options, deviations))
}

function send(challengeId: string, credential: unknown) {
  const payload = { challenge_id: challengeId, credential }
  return app.call({ method: 'POST', url: '/passkeys/authentication/verify', payload })
}

async function listOf(person: Person): Promise<Passkey[]> {
  const { body } = await app.call({ method: 'GET', url: '/passkeys', token: person.token })
  return body as unknown as Passkey[]
}

const refused = {
  status: 400,
  body: { code: 'webauthn_verification_failed', message: 'Credential verification failed' },
}

describe('making a passkey', () => {
  test('asks for one that can be found again, of a person who unlocks it', async () => {
    const ada = await newPerson()
    const asked = await ask<CreationOptions>('/passkeys/registration/options', ada.token)
    expect(asked.expires_at).toBe(Math.floor(world.nowMs / 1000) + 300)
    expect(asked.options).toMatchObject({
      rp: { id: 'localhost', name: 'Holdfast' },
      user: { id: Buffer.from(ada.id).toString('base64url'), name: ada.email, displayName: ada.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [],
    })
  })

  test('keeps it, and does not ask the same authenticator again', async () => {
    const ada = await newPerson()
    const key = newKey()
    const made = await register(ada, key)
    expect(made).toMatchObject({ status: 200, body: { friendly_name: 'Passkey', created_at: expect.any(String) } })
    expect(await listOf(ada)).toEqual([made.body])
    const again = await ask<CreationOptions>('/passkeys/registration/options', ada.token)
    expect(() => key.create(again.options)).toThrowError('previously registered')
  })

  test.each<[string, Deviations]>([
    ['another page', { origin: 'https://evil.example' }],
    ['another domain', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'AAAA' }],
    ['no user verification', { userVerified: false }],
  ])('is refused with %s', async (_what, deviations) => {
    const ada = await newPerson()
    expect(await register(ada, newKey(), deviations)).toMatchObject(refused)
    expect(await listOf(ada)).toEqual([])
  })

  test('answers its challenge once, in time, and only for who was asked', async () => {
    const ada = await newPerson()
    const eve = await newPerson()
    const verify = (asked: Asked<CreationOptions>, token: string) =>
      app.call({
        method: 'POST',
        url: '/passkeys/registration/verify',
        payload: { challenge_id: asked.challenge_id, credential: newKey().create(asked.options) },
        token,
      })
    const notFound = { status: 400, body: { code: 'webauthn_challenge_not_found' } }
    const first = await ask<CreationOptions>('/passkeys/registration/options', ada.token)
    expect(await verify(first, eve.token)).toMatchObject(notFound)
    expect((await verify(first, ada.token)).status).toBe(200)
    expect(await verify(first, ada.token)).toMatchObject(notFound)
    const second = await ask<CreationOptions>('/passkeys/registration/options', ada.token)
    world.nowMs += 301_000
    const late = { status: 400, body: { code: 'webauthn_challenge_expired' } }
    expect(await verify(second, ada.token)).toMatchObject(late)
  })

  test('of an authenticator that another user has registered is refused', async () => {
    const ada = await newPerson()
    const eve = await newPerson()
    const asked = await ask<CreationOptions>('/passkeys/registration/options', ada.token)
    const answer = newKey().create(asked.options)
    const verify = (challengeId: string, token: string, credential: object) =>
      app.call({
        method: 'POST',
        url: '/passkeys/registration/verify',
        payload: { challenge_id: challengeId, credential },
        token,
      })
    expect((await verify(asked.challenge_id, ada.token, answer)).status).toBe(200)
    const evesAsked = await ask<CreationOptions>('/passkeys/registration/options', eve.token)
    // There is no attestation, so anybody who knows the public key can register it.
    const clientData = { type: 'webauthn.create', challenge: evesAsked.options.challenge, origin: ORIGIN }
    const stolen = {
      ...answer,
      response: { ...answer.response, clientDataJSON: Buffer.from(JSON.stringify(clientData)).toString('base64url') },
    }
    expect(await verify(evesAsked.challenge_id, eve.token, stolen)).toMatchObject({
      status: 422,
      body: { code: 'webauthn_credential_exists' },
    })
  })

  test('is refused after ten', async () => {
    const ada = await newPerson()
    for (let index = 0; index < 10; index += 1) expect((await register(ada, newKey())).status).toBe(200)
    const payload = {}
    expect(
      await app.call({ method: 'POST', url: '/passkeys/registration/options', payload, token: ada.token }),
    ).toMatchObject({ status: 422, body: { code: 'too_many_passkeys' } })
  })

  test('needs the second factor of who has one, as removing does', async () => {
    const ada = await newPerson()
    const { body } = await register(ada, newKey())
    await world.db.pool.execute(sql`
      insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
      values (gen_random_uuid(), ${ada.id}, '', 'totp', 'verified', now(), now(), 'JBSWY3DPEHPK3PXP')
    `)
    const insufficient = { status: 403, body: { code: 'insufficient_aal' } }
    const url = '/passkeys/registration/options'
    expect(await app.call({ method: 'POST', url, payload: {}, token: ada.token })).toMatchObject(insufficient)
    const { id } = body as unknown as Passkey
    expect(await app.call({ method: 'DELETE', url: `/passkeys/${id}`, token: ada.token })).toMatchObject(insufficient)
  })
})

describe('signing in with a passkey', () => {
  test('needs no name, and gives a session at aal1', async () => {
    const ada = await newPerson()
    const key = newKey()
    await register(ada, key)
    const asked = await ask<RequestOptions>('/passkeys/authentication/options')
    expect(asked.options).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
    expect(asked.options).not.toHaveProperty('allowCredentials')
    const signedIn = await send(asked.challenge_id, key.get(asked.options))
    expect(signedIn).toMatchObject({ status: 200, body: { user: { id: ada.id } } })
    const claims: unknown = JSON.parse(
      Buffer.from(signedIn.body.access_token?.split('.')[1] ?? '', 'base64url').toString(),
    )
    expect(claims).toMatchObject({ sub: ada.id, aal: 'aal1', amr: [{ method: 'passkey' }] })
    expect(await listOf(ada)).toMatchObject([{ last_used_at: new Date(world.nowMs).toISOString() }])
    expect((await app.refresh(signedIn.body.refresh_token)).status).toBe(200)
  })

  test('works again and again, with a counter and without one', async () => {
    for (const synced of [true, false]) {
      const ada = await newPerson()
      const key = newKey(synced)
      await register(ada, key)
      for (let time = 0; time < 3; time += 1) expect((await signIn(key)).status).toBe(200)
    }
  })

  test.each<[string, Deviations]>([
    ['another page', { origin: 'http://localhost:1' }],
    ['another domain', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'AAAA' }],
    ['no user verification', { userVerified: false }],
    ['a counter that did not grow', { counter: 1 }],
    ["another user's name", { userHandle: Buffer.from(randomUUID()).toString('base64url') }],
    ['no name', { userHandle: '' }],
  ])('is refused with %s', async (_what, deviations) => {
    const ada = await newPerson()
    const key = newKey()
    await register(ada, key)
    expect(await signIn(key, deviations)).toMatchObject(refused)
    expect((await signIn(key)).status).toBe(200)
  })

  test("is refused with one person's passkey and another's name", async () => {
    const ada = await newPerson()
    const eve = await newPerson()
    const key = newKey()
    await register(eve, key)
    await register(ada, newKey())
    const userHandle = Buffer.from(ada.id).toString('base64url')
    expect(await signIn(key, { userHandle })).toMatchObject(refused)
  })

  test('is refused with a signature of another key', async () => {
    const ada = await newPerson()
    const [key, other] = [newKey(), newKey()]
    await register(ada, key)
    await register(ada, other)
    const asked = await ask<RequestOptions>('/passkeys/authentication/options')
    const answer = key.get(asked.options)
    const { signature } = other.get(asked.options).response
    const forged = { ...answer, response: { ...answer.response, signature } }
    expect(await send(asked.challenge_id, forged)).toMatchObject(refused)
  })

  test('answers a challenge once, also when asked twice at once', async () => {
    const ada = await newPerson()
    const key = newKey(true)
    await register(ada, key)
    const asked = await ask<RequestOptions>('/passkeys/authentication/options')
    const answer = key.get(asked.options)
    const both = await Promise.all([send(asked.challenge_id, answer), send(asked.challenge_id, answer)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400])
    expect(await send(asked.challenge_id, answer)).toMatchObject({
      status: 400,
      body: { code: 'webauthn_challenge_not_found' },
    })
  })

  test('answers a challenge in time', async () => {
    const ada = await newPerson()
    const key = newKey()
    await register(ada, key)
    const asked = await ask<RequestOptions>('/passkeys/authentication/options')
    world.nowMs += 301_000
    expect(await send(asked.challenge_id, key.get(asked.options))).toMatchObject({
      status: 400,
      body: { code: 'webauthn_challenge_expired' },
    })
  })

  test('takes no challenge of a registration', async () => {
    const ada = await newPerson()
    const key = newKey()
    await register(ada, key)
    const asked = await ask<CreationOptions>('/passkeys/registration/options', ada.token)
    expect(await send(asked.challenge_id, key.get({ challenge: asked.options.challenge }))).toMatchObject({
      body: { code: 'webauthn_challenge_not_found' },
    })
  })

  test('lets no user in who is banned, not confirmed or gone', async () => {
    const ada = await newPerson()
    const key = newKey()
    await register(ada, key)
    const set = (change: ReturnType<typeof sql>) =>
      world.db.pool.execute(sql`update auth.users set ${change} where id = ${ada.id}`)
    await set(sql`banned_until = ${new Date(world.nowMs + 60_000).toISOString()}::timestamptz`)
    expect(await signIn(key)).toMatchObject({ status: 403, body: { code: 'user_banned' } })
    await set(sql`banned_until = null, email_confirmed_at = null`)
    expect(await signIn(key)).toMatchObject({ status: 403, body: { code: 'email_not_confirmed' } })
    await set(sql`email_confirmed_at = now(), deleted_at = now()`)
    expect(await signIn(key)).toMatchObject(refused)
  })

  test.each<[object, string]>([
    [{}, 'challenge_id is required'],
    [{ challenge_id: randomUUID() }, 'credential is required'],
    [{ challenge_id: 'x', credential: {} }, 'challenge_id must be a valid UUID'],
  ])('is refused as %j', async (payload, message) => {
    expect(await app.call({ method: 'POST', url: '/passkeys/authentication/verify', payload })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message },
    })
  })
})

describe("one's own passkeys", () => {
  test('are named and removed, and no other user touches them', async () => {
    const ada = await newPerson()
    const eve = await newPerson()
    const key = newKey()
    const { body } = await register(ada, key)
    const { id } = body as unknown as Passkey
    const url = `/passkeys/${id}`
    const rename = (person: Person, name: string, to = url) =>
      app.call({ method: 'PATCH', url: to, payload: { friendly_name: name }, token: person.token })
    const notFound = { status: 404, body: { code: 'validation_failed', message: 'Passkey not found' } }
    expect(await rename(ada, 'My phone')).toMatchObject({ status: 200, body: { id, friendly_name: 'My phone' } })
    expect(await rename(ada, '')).toMatchObject({ status: 400, body: { message: 'friendly_name is required' } })
    expect(await rename(ada, 'x'.repeat(121))).toMatchObject({ status: 400 })
    expect(await rename(eve, 'Mine now')).toMatchObject(notFound)
    expect(await rename(ada, 'x', '/passkeys/no-uuid')).toMatchObject(notFound)
    expect(await app.call({ method: 'DELETE', url, token: eve.token })).toMatchObject(notFound)
    expect(await app.call({ method: 'DELETE', url, token: ada.token })).toMatchObject({ status: 204 })
    expect(await listOf(ada)).toEqual([])
    expect(await signIn(key)).toMatchObject(refused)
  })
})

test.each<[string, Partial<AuthOptions>]>([
  ['when passkeys are switched off', { passkeyEnabled: false }],
  ['at an address that passkeys cannot belong to', { siteUrl: 'http://192.0.2.1:8080' }],
])('nothing of it is there %s, and the settings say so', async (_when, options) => {
  const off = await world.openApp(options)
  for (const url of ['/passkeys/authentication/options', '/passkeys/registration/options']) {
    expect(await off.call({ method: 'POST', url, payload: {} })).toMatchObject({
      status: 404,
      body: { code: 'passkey_disabled', message: 'Passkeys are disabled' },
    })
  }
  expect((await off.call({ method: 'GET', url: '/settings' })).body).toMatchObject({ passkeys_enabled: false })
  expect((await app.call({ method: 'GET', url: '/settings' })).body).toMatchObject({ passkeys_enabled: true })
})
