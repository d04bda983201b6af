import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { countMessages, readMail } from '../mailbox.ts'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'

let world: AuthWorld
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp({ siteUrl: 'https://app.example.org', emailEnableConfirmations: true })
})

beforeEach(() => {
  world.nowMs += 10_000
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

const post = (url: string, payload: object) => app.call({ method: 'POST', url, payload })
const verify = (payload: object) => post('/verify', payload)
const newEmail = () => `${randomUUID()}@example.org`

async function signUp(email: string) {
  expect(await post('/signup', { email, password: PASSWORD })).toMatchObject({ status: 200 })
  return readMail(world, email)
}

async function readTokens(email: string) {
  return world.db.pool.query(sql`
    select users.recovery_token, token.token_type::text as type
      from auth.users as users join auth.one_time_tokens as token on token.user_id = users.id
     where users.email = ${email}
  `)
}

describe('recovery', () => {
  test.each([
    [{}, 'Password recovery requires an email'],
    [{ email: 'nonsense' }, 'Unable to validate email address: invalid format'],
  ])('for %j is refused', async (payload, message) => {
    expect(await post('/recover', payload)).toMatchObject({ status: 400, body: { code: 'validation_failed', message } })
  })

  test('signs in by link or code, to set a new password', async () => {
    const email = newEmail()
    await verify({ type: 'signup', token_hash: (await signUp(email)).tokenHash })
    for (const by of ['link', 'code']) {
      world.nowMs += 2_000
      expect(await post('/recover', { email })).toMatchObject({ status: 200, body: {} })
      const { tokenHash, token, kind } = await readMail(world, email)
      expect(kind).toBe('recovery')
      expect(await readTokens(email)).toMatchObject([{ recovery_token: tokenHash, type: 'recovery_token' }])
      let accessToken: string | undefined
      if (by === 'link') {
        const { headers } = await app.call({ url: `/verify?type=recovery&token=${tokenHash}` })
        const fragment = new URLSearchParams(new URL(String(headers['location'])).hash.slice(1))
        expect(fragment.get('type')).toBe('recovery')
        accessToken = fragment.get('access_token') ?? ''
      } else {
        accessToken = (await verify({ type: 'recovery', token, email })).body.access_token
      }
      const password = `new password by ${by}`
      expect(await app.call({ method: 'PUT', url: '/user', token: accessToken, payload: { password } })).toMatchObject({
        status: 200,
      })
      expect(await app.signIn(email, password)).toMatchObject({ status: 200 })
    }
  })

  test('confirms an address that never was, because the mail arrived', async () => {
    const email = newEmail()
    await signUp(email)
    world.nowMs += 1
    await post('/recover', { email })
    const { tokenHash } = await readMail(world, email)
    expect(await verify({ type: 'recovery', token_hash: tokenHash })).toMatchObject({
      status: 200,
      body: { user: { email_confirmed_at: expect.any(String) } },
    })
  })

  test('is off with mail', async () => {
    const off = await world.openApp({ emailEnableSignup: false })
    expect(await off.call({ method: 'POST', url: '/recover', payload: { email: newEmail() } })).toMatchObject({
      status: 400,
      body: { code: 'email_provider_disabled', message: 'Email logins are disabled' },
    })
  })

  test('of a deleted account or one of an organisation sends nothing', async () => {
    const deleted = newEmail()
    const managed = newEmail()
    for (const email of [deleted, managed])
      await verify({ type: 'signup', token_hash: (await signUp(email)).tokenHash })
    await world.db.pool.execute(sql`update auth.users set deleted_at = now() where email = ${deleted}`)
    await world.db.pool.execute(sql`update auth.users set is_sso_user = true where email = ${managed}`)
    for (const email of [deleted, managed]) {
      const before = await countMessages(world, email)
      expect(await post('/recover', { email })).toMatchObject({ status: 200 })
      expect(await countMessages(world, email)).toBe(before)
    }
  })
})
