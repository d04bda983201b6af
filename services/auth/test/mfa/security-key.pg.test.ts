import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createSoftwareAuthenticator,
  type CreationOptions,
  type Deviations,
  type RequestOptions,
  type SoftwareAuthenticator,
} from '@holdfast/test-support'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'

const ORIGIN = 'http://localhost:54321'

let world: AuthWorld
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp({ mfaWebAuthnEnrollEnabled: true, mfaWebAuthnVerifyEnabled: true })
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

interface Asked {
  readonly id: string
  readonly type: string
  readonly expires_at: number
  readonly webauthn: {
    readonly type: 'create' | 'request'
    readonly credential_options: { readonly publicKey: CreationOptions & RequestOptions }
  }
}

async function newPerson() {
  const email = `${randomUUID()}@example.org`
  const { access_token: token } = await app.signUp(email)
  return { email, token }
}

function post(token: string, url: string, payload: object = {}) {
  return app.call({ method: 'POST', url, payload, token })
}

async function enroll(token: string, name = 'key'): Promise<string> {
  const enrolled = await post(token, '/factors', { factor_type: 'webauthn', friendly_name: name })
  expect(enrolled).toMatchObject({ status: 200, body: { type: 'webauthn', friendly_name: name } })
  return (enrolled.body as unknown as { id: string }).id
}

async function ask(token: string, factorId: string): Promise<Asked> {
  const { status, body } = await post(token, `/factors/${factorId}/challenge`, { factorId })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body as unknown as Asked
}

function answer(key: SoftwareAuthenticator, asked: Asked, deviations?: Deviations): object {
  const { type, credential_options: options } = asked.webauthn
  const response =
    type === 'create' ? key.create(options.publicKey, deviations) : key.get(options.publicKey, deviations)
  return { challenge_id: asked.id, webauthn: { type, credential_response: response } }
}

async function verify(token: string, factorId: string, payload: object) {
  return post(token, `/factors/${factorId}/verify`, payload)
}

/** A person with a key that counts, signed in again without it. */
async function newOwner() {
  const person = await newPerson()
  const key = createSoftwareAuthenticator({ origin: ORIGIN })
  const factorId = await enroll(person.token)
  const verified = await verify(person.token, factorId, answer(key, await ask(person.token, factorId)))
  expect(verified).toMatchObject({ status: 200 })
  const again = await app.signIn(person.email, PASSWORD)
  return { ...person, key, factorId, token: again.body.access_token ?? '' }
}

function claimsOf(token = ''): { aal: string; amr: { method: string }[] } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as never
}

const failed = { status: 422, body: { code: 'mfa_verification_failed' } }

describe('a security key', () => {
  test('is made for the site, and raises the session that made it', async () => {
    const { token } = await newPerson()
    const factorId = await enroll(token)
    const asked = await ask(token, factorId)
    expect(asked).toMatchObject({
      type: 'webauthn',
      webauthn: { type: 'create', credential_options: { publicKey: { rp: { id: 'localhost' }, attestation: 'none' } } },
    })
    expect(asked.expires_at).toBe(Math.floor(world.nowMs / 1000) + 300)
    const key = createSoftwareAuthenticator({ origin: ORIGIN })
    const verified = await verify(token, factorId, answer(key, asked))
    expect(verified.status).toBe(200)
    expect(claimsOf(verified.body.access_token)).toMatchObject({ aal: 'aal2' })
    expect(claimsOf(verified.body.access_token).amr.map((entry) => entry.method)).toContain('mfa/webauthn')
  })

  test('raises a later session by a signature', async () => {
    const { token, key, factorId } = await newOwner()
    const asked = await ask(token, factorId)
    expect(asked.webauthn).toMatchObject({
      type: 'request',
      credential_options: { publicKey: { rpId: 'localhost', allowCredentials: [{ type: 'public-key' }] } },
    })
    const verified = await verify(token, factorId, answer(key, asked))
    expect(verified.status).toBe(200)
    expect(claimsOf(verified.body.access_token)).toMatchObject({ aal: 'aal2' })
  })

  test('answers a challenge once', async () => {
    const { token, key, factorId } = await newOwner()
    const payload = answer(key, await ask(token, factorId))
    expect((await verify(token, factorId, payload)).status).toBe(200)
    expect(await verify(token, factorId, payload)).toMatchObject({
      status: 422,
      body: { code: 'mfa_factor_not_found' },
    })
  })

  test.each<[string, Deviations]>([
    ['another page', { origin: 'http://localhost:1' }],
    ['another domain', { rpId: 'example.org' }],
    ['another challenge', { challenge: 'AAAA' }],
    ['a counter that does not grow', { counter: 1 }],
  ])('is refused with %s, and the challenge is gone', async (_what, deviations) => {
    const { token, key, factorId } = await newOwner()
    const asked = await ask(token, factorId)
    expect(await verify(token, factorId, answer(key, asked, deviations))).toMatchObject(failed)
    expect((await verify(token, factorId, answer(key, asked))).status).toBe(422)
  })

  test('of another user is refused', async () => {
    const { token, factorId } = await newOwner()
    const eve = await newOwner()
    const asked = await ask(token, factorId)
    const evesAnswer = eve.key.get({ challenge: asked.webauthn.credential_options.publicKey.challenge })
    const payload = { challenge_id: asked.id, webauthn: { type: 'request', credential_response: evesAnswer } }
    expect(await verify(token, factorId, payload)).toMatchObject(failed)
  })

  test('is not replaced by one that was begun before', async () => {
    const { token } = await newPerson()
    const factorId = await enroll(token)
    const [first, second] = [await ask(token, factorId), await ask(token, factorId)]
    const verified = await verify(token, factorId, answer(createSoftwareAuthenticator({ origin: ORIGIN }), first))
    const late = answer(createSoftwareAuthenticator({ origin: ORIGIN }), second)
    expect(await verify(verified.body.access_token ?? '', factorId, late)).toMatchObject(failed)
  })

  test.each<[string, object | undefined, string]>([
    ['nothing', undefined, 'WebAuthn config required'],
    ['no type', { credential_response: {} }, 'WebAuthn type must be create or request'],
    ['no response', { type: 'create' }, 'credential_response required'],
  ])('is refused with %s', async (_what, webauthn, message) => {
    const { token } = await newPerson()
    const factorId = await enroll(token)
    const asked = await ask(token, factorId)
    expect(await verify(token, factorId, { challenge_id: asked.id, webauthn })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message },
    })
  })

  test.each<unknown>([{}, { id: 1 }, { id: 'AA', rawId: 'AA', type: 'public-key', response: null }, []])(
    'is refused with %j for an answer',
    async (response) => {
      const { token } = await newPerson()
      const factorId = await enroll(token)
      const asked = await ask(token, factorId)
      const payload = { challenge_id: asked.id, webauthn: { type: 'create', credential_response: response } }
      expect(await verify(token, factorId, payload)).toMatchObject(failed)
    },
  )
})
