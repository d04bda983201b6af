import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthWorld, claimsOf, countMessages, newAddress, openAuthWorld, receiveMail } from './auth-world.ts'

// Sign-in with an emailed code. auth-links.test.ts covers links.

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld(['--email-max-frequency=0'])
})
afterAll(() => world[Symbol.asyncDispose]())

describe('auth.signInWithOtp', () => {
  test('emails a code to a registered user, without signing in yet', async () => {
    const { email } = await world.signUp()
    const { auth, eventNames } = world.openClient()
    const { data, error } = await auth.signInWithOtp({ email })
    expect(error).toBeNull()
    expect(data).toEqual({ user: null, session: null, messageId: undefined })
    const mail = await receiveMail(world, email, 'magic_link')
    expect(mail.code).toMatch(/^\d{6}$/)
    expect(mail.subject).not.toBe('')
    expect(eventNames()).not.toContain('SIGNED_IN')
  })

  test('creates an account for a new address, with its metadata', async () => {
    const email = newAddress()
    const { auth } = world.openClient()
    expect((await auth.signInWithOtp({ email, options: { data: { name: 'Ada' } } })).error).toBeNull()
    const { code } = await receiveMail(world, email, 'magic_link')
    const { data, error } = await auth.verifyOtp({ email, token: code, type: 'email' })
    expect(error).toBeNull()
    expect(data.user?.user_metadata).toMatchObject({ name: 'Ada' })
    expect(data.user?.email_confirmed_at).toBeDefined()
  })

  describe('refused', () => {
    test('creates no account with shouldCreateUser: false', async () => {
      const email = newAddress()
      const { error } = await world.openClient().auth.signInWithOtp({ email, options: { shouldCreateUser: false } })
      expect(error).toMatchObject({ name: 'AuthApiError', status: 422, code: 'otp_disabled' })
      expect(await countMessages(world, email)).toBe(0)
    })

    test('refuses an invalid email address', async () => {
      const { error } = await world.openClient().auth.signInWithOtp({ email: 'nobody' })
      expect(error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'validation_failed' })
    })

    test('refuses a phone number if phone sign-in is off', async () => {
      const { error } = await world.openClient().auth.signInWithOtp({ phone: '15551234567' })
      expect(error).toMatchObject({ status: 400, code: 'phone_provider_disabled' })
    })

    test('refuses credentials without email or phone, and sends no request', async () => {
      const { auth, requests } = world.openClient()
      expect((await auth.signInWithOtp({} as never)).error).toMatchObject({ name: 'AuthInvalidCredentialsError' })
      expect(requests).toEqual([])
    })
  })
})

describe('auth.verifyOtp', () => {
  async function askedForCode() {
    const { email, user } = await world.signUp()
    const client = world.openClient()
    await client.auth.signInWithOtp({ email })
    return { ...client, email, userId: user.id, ...(await receiveMail(world, email, 'magic_link')) }
  }

  test.each(['email', 'magiclink'] as const)('signs in with a code of type %s', async (type) => {
    const { auth, email, code, userId, events } = await askedForCode()
    const { data, error } = await auth.verifyOtp({ email, token: code, type })
    expect(error).toBeNull()
    expect(data.user?.id).toBe(userId)
    expect(claimsOf(data.session?.access_token ?? '')).toMatchObject({ aal: 'aal1', amr: [{ method: 'otp' }] })
    expect(events.at(-1)).toEqual(['SIGNED_IN', userId])
    expect((await auth.refreshSession()).error).toBeNull()
  })

  test("signs in with a link's token hash", async () => {
    const { auth, tokenHash = '', userId, events } = await askedForCode()
    const { data, error } = await auth.verifyOtp({ token_hash: tokenHash, type: 'magiclink' })
    expect(error).toBeNull()
    expect(data.session?.user.id).toBe(userId)
    expect(events.at(-1)).toEqual(['SIGNED_IN', userId])
  })

  describe('refused', () => {
    const expired = {
      name: 'AuthApiError',
      status: 403,
      code: 'otp_expired',
      message: 'Token has expired or is invalid',
    }

    test("refuses a wrong code, an unknown address and another user's code with the same error", async () => {
      const { auth, email, code } = await askedForCode()
      const other = await world.signUp()
      const wrong = code === '123456' ? '654321' : '123456'
      const attempts = [
        { email, token: wrong },
        { email: newAddress(), token: code },
        { email: other.email, token: code },
      ]
      for (const attempt of attempts) {
        const { data, error } = await auth.verifyOtp({ ...attempt, type: 'email' })
        expect(error).toMatchObject(expired)
        expect(data).toEqual({ user: null, session: null })
      }
      expect((await auth.verifyOtp({ email, token: code, type: 'email' })).error).toBeNull()
    })

    test('refuses a used code', async () => {
      const { auth, email, code } = await askedForCode()
      await auth.verifyOtp({ email, token: code, type: 'email' })
      const again = await world.openClient().auth.verifyOtp({ email, token: code, type: 'email' })
      expect(again.error).toMatchObject(expired)
    })

    test('refuses an expired code', async () => {
      const { auth, email, code, userId } = await askedForCode()
      await world.admin.execute(sql`
        update auth.users
           set recovery_sent_at = recovery_sent_at - interval '1 day', confirmation_sent_at = confirmation_sent_at - interval '1 day'
         where id = ${userId}
      `)
      expect((await auth.verifyOtp({ email, token: code, type: 'email' })).error).toMatchObject(expired)
    })

    test('refuses a code that a newer email replaced', async () => {
      const { auth, email, code } = await askedForCode()
      await auth.signInWithOtp({ email })
      const newer = await receiveMail(world, email, 'magic_link')
      expect(newer.code).not.toBe(code)
      expect((await auth.verifyOtp({ email, token: code, type: 'email' })).error).toMatchObject(expired)
      expect((await auth.verifyOtp({ email, token: newer.code, type: 'email' })).error).toBeNull()
    })

    test('refuses a banned user', async () => {
      const { auth, email, code, userId } = await askedForCode()
      await world.admin.execute(
        sql`update auth.users set banned_until = now() + interval '1 hour' where id = ${userId}`,
      )
      expect((await auth.verifyOtp({ email, token: code, type: 'email' })).error).toMatchObject({ code: 'user_banned' })
    })

    test('refuses an unknown type', async () => {
      const { auth, email, code } = await askedForCode()
      const { error } = await auth.verifyOtp({ email, token: code, type: 'fax' as never })
      expect(error).toMatchObject(expired)
    })
  })
})
