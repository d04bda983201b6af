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
  test('gives an account without an address, with its metadata and a session', async () => {
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

  test('gives everybody an account of their own', async () => {
    expect((await guest()).user.id).not.toBe((await guest()).user.id)
  })

  test('becomes an account with an address and a password, and stays the same user', async () => {
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
    test('does not become an account with a password before it has an address', async () => {
      const { auth } = await guest()
      expect((await auth.updateUser({ password: PASSWORD })).error).toMatchObject({ status: 422 })
    })

    test('does not become an account with a number where they are switched off', async () => {
      const { auth } = await guest()
      const { error } = await auth.updateUser({ phone: newNumber() })
      expect(error).toMatchObject({ name: 'AuthApiError' })
    })
  })
})
