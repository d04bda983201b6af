import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthApp, type AuthWorld, openAuthWorld } from '../open-auth-world.ts'

const LIFETIME_S = 600

let world: AuthWorld
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp()
})

afterAll(() => world[Symbol.asyncDispose]())

const use = (key: string | undefined) =>
  app.call({ method: 'POST', url: '/verify', payload: { type: 'magiclink', token_hash: key } })

async function openKey(): Promise<{ readonly email: string; readonly key: string | undefined }> {
  const email = `${crypto.randomUUID()}@example.org`
  await app.signUp(email)
  return { email, key: await app.auth.issueSignInKey(email, LIFETIME_S) }
}

describe('A key for whoever started the server', () => {
  test('signs in once', async () => {
    const { email, key } = await openKey()
    expect(await use(key)).toMatchObject({ status: 200, body: { user: { email }, access_token: expect.any(String) } })
    expect(await use(key)).toMatchObject({ status: 403, body: { code: 'otp_expired' } })
  })

  test('is worth nothing after its time, though links of mails are good for longer', async () => {
    const [early, late] = [await openKey(), await openKey()]
    world.nowMs += (LIFETIME_S - 1) * 1_000
    expect(await use(early.key)).toMatchObject({ status: 200 })
    world.nowMs += 2_000
    expect(await use(late.key)).toMatchObject({ status: 403, body: { code: 'otp_expired' } })
  })

  test('takes the place of the one before', async () => {
    const { email, key } = await openKey()
    const next = await app.auth.issueSignInKey(email, LIFETIME_S)
    expect(await use(key)).toMatchObject({ status: 403, body: { code: 'otp_expired' } })
    expect(await use(next)).toMatchObject({ status: 200 })
  })

  test('is none without an account', async () => {
    expect(await app.auth.issueSignInKey('nobody@example.org', LIFETIME_S)).toBeUndefined()
  })
})
