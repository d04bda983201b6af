import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthWorld, claimsOf, newAddress, newNumber, openAuthWorld, PASSWORD, receiveMail } from './auth-world.ts'

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld([
    '--enable-anonymous-sign-ins',
    '--email-enable-confirmations',
    '--email-max-frequency=0',
    '--enable-manual-linking',
  ])
})
afterAll(() => world[Symbol.asyncDispose]())

async function guest() {
  const client = world.openClient()
  const { data, error } = await client.auth.signInAnonymously({ options: { data: { theme: 'dark' } } })
  expect(error).toBeNull()
  if (!data.user || !data.session) throw new Error('a guest has a session')
  return { ...client, user: data.user, session: data.session }
}

describe('auth.signInAnonymously', () => {
  test('creates an account without an email address, with its metadata and a session', async () => {
    const { user, session, eventNames, auth } = await guest()
    expect(user).toMatchObject({
      is_anonymous: true,
      email: '',
      phone: '',
      role: 'authenticated',
      app_metadata: {},
      user_metadata: { theme: 'dark' },
      identities: [],
    })
    expect(claimsOf(session.access_token)).toMatchObject({ is_anonymous: true, amr: [{ method: 'anonymous' }] })
    expect(eventNames()).toEqual(['INITIAL_SESSION', 'SIGNED_IN'])
    expect((await auth.refreshSession()).data.user?.id).toBe(user.id)
  })

  test('creates a new account on each call', async () => {
    expect((await guest()).user.id).not.toBe((await guest()).user.id)
  })

  test('keeps the user id when an email address and password are added', async () => {
    const { auth, user, eventNames } = await guest()
    const email = newAddress()
    const asked = await auth.updateUser({ email })
    expect(asked.error).toBeNull()
    expect(asked.data.user).toMatchObject({ is_anonymous: true, new_email: email })
    const { code } = await receiveMail(world, email, 'email_change')
    const { data, error } = await auth.verifyOtp({ email, token: code, type: 'email_change' })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      id: user.id,
      email,
      is_anonymous: false,
      user_metadata: { theme: 'dark' },
      app_metadata: { provider: 'email', providers: ['email'] },
      identities: [{ provider: 'email' }],
    })
    expect(claimsOf(data.session?.access_token ?? '')).toMatchObject({ is_anonymous: false })
    expect((await auth.updateUser({ password: PASSWORD })).error).toBeNull()
    expect(eventNames().slice(-2)).toEqual(['SIGNED_IN', 'USER_UPDATED'])
    expect((await world.openClient().auth.signInWithPassword({ email, password: PASSWORD })).data.user?.id).toBe(
      user.id,
    )
  })

  describe('refused', () => {
    test('refuses a password before the account has an email address', async () => {
      const { auth } = await guest()
      expect((await auth.updateUser({ password: PASSWORD })).error).toMatchObject({ status: 422 })
    })

    test('refuses a phone number if phone sign-in is off', async () => {
      const { auth } = await guest()
      const { error } = await auth.updateUser({ phone: newNumber() })
      expect(error).toMatchObject({ name: 'AuthApiError' })
    })
  })
})
