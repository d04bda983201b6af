import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type AuthWorld,
  countMessages,
  follow,
  fragmentOf,
  newAddress,
  openAuthWorld,
  PASSWORD,
  receiveMail,
} from './auth-world.ts'

// Sign-ups with required email confirmation (`emailEnableConfirmations`).

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld(['--email-enable-confirmations', '--email-max-frequency=0'])
})
afterAll(() => world[Symbol.asyncDispose]())

/** Returns the value with every leaf replaced by its type. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]))
}

async function signedUp(flowType: 'implicit' | 'pkce' = 'implicit') {
  const email = newAddress()
  const client = world.openClient({ flowType })
  const { data, error } = await client.auth.signUp({ email, password: PASSWORD })
  expect(error).toBeNull()
  return { ...client, email, data }
}

describe('auth.signUp', () => {
  test('returns no session before the email address is confirmed', async () => {
    const { data, eventNames } = await signedUp()
    expect(data.session).toBeNull()
    expect(data.user).toMatchObject({ confirmation_sent_at: expect.any(String), identities: [{ provider: 'email' }] })
    expect(data.user?.email_confirmed_at).toBeUndefined()
    expect(eventNames()).not.toContain('SIGNED_IN')
  })

  test('signs in with the emailed code', async () => {
    const { auth, email, data, events } = await signedUp()
    const { code } = await receiveMail(world, email, 'confirmation')
    const verified = await auth.verifyOtp({ email, token: code, type: 'signup' })
    expect(verified.error).toBeNull()
    expect(verified.data.user).toMatchObject({ id: data.user?.id, email_confirmed_at: expect.any(String) })
    expect(events.at(-1)).toEqual(['SIGNED_IN', data.user?.id])
    expect((await world.openClient().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
  })

  test('signs in with the emailed link', async () => {
    const { email } = await signedUp()
    const brought = fragmentOf(await follow((await receiveMail(world, email, 'confirmation')).link))
    expect(brought).toMatchObject({ type: 'signup', access_token: expect.any(String) })
  })

  test('with PKCE signs in the browser that signed up', async () => {
    const { auth, email, data } = await signedUp('pkce')
    const target = await follow((await receiveMail(world, email, 'confirmation')).link)
    const exchanged = await auth.exchangeCodeForSession(target.searchParams.get('code') ?? '')
    expect(exchanged.error).toBeNull()
    expect(exchanged.data.user?.id).toBe(data.user?.id)
  })

  test('returns a fake user without identities for a registered address', async () => {
    const { auth, email, data } = await signedUp()
    await auth.verifyOtp({ email, token: (await receiveMail(world, email, 'confirmation')).code, type: 'signup' })
    const again = await world.openClient().auth.signUp({ email, password: PASSWORD })
    expect(again.error).toBeNull()
    expect(again.data.session).toBeNull()
    expect(again.data.user?.id).not.toBe(data.user?.id)
    expect(again.data.user?.identities).toEqual([])
    const { identities } = data.user ?? {}
    expect(shapeOf({ ...again.data.user, identities })).toEqual(shapeOf(data.user))
  })
})

describe('auth.signInWithPassword', () => {
  describe('refused', () => {
    test('reports an unconfirmed address only if the password is right', async () => {
      const { auth, email } = await signedUp()
      const known = await auth.signInWithPassword({ email, password: PASSWORD })
      expect(known.error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'email_not_confirmed' })
      const guessed = await auth.signInWithPassword({ email, password: 'wrong' })
      expect(guessed.error).toMatchObject({ code: 'invalid_credentials' })
    })
  })
})

describe('auth.resend', () => {
  test('resends the sign-up email with a new code', async () => {
    const { auth, email } = await signedUp()
    const first = await receiveMail(world, email, 'confirmation')
    const { data, error } = await auth.resend({ type: 'signup', email })
    expect(error).toBeNull()
    expect(data).toMatchObject({ user: null, session: null })
    await expect.poll(() => countMessages(world, email)).toBe(2)
    const second = await receiveMail(world, email, 'confirmation')
    expect((await auth.verifyOtp({ email, token: first.code, type: 'signup' })).error).toMatchObject({
      code: 'otp_expired',
    })
    expect((await auth.verifyOtp({ email, token: second.code, type: 'signup' })).error).toBeNull()
  })

  test('gives the same answer for unknown and confirmed addresses, and sends nothing', async () => {
    const { auth, email } = await signedUp()
    await auth.verifyOtp({ email, token: (await receiveMail(world, email, 'confirmation')).code, type: 'signup' })
    const unknown = newAddress()
    for (const address of [email, unknown]) {
      expect((await auth.resend({ type: 'signup', email: address })).error).toBeNull()
    }
    expect(await countMessages(world, email)).toBe(1)
    expect(await countMessages(world, unknown)).toBe(0)
  })

  describe('refused', () => {
    test('refuses a type of email that cannot be resent', async () => {
      const { auth, email } = await signedUp()
      const { error } = await auth.resend({ type: 'recovery' as never, email })
      expect(error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'validation_failed' })
    })
  })
})

describe('auth.signInAnonymously', () => {
  describe('refused', () => {
    test('is refused if anonymous sign-ins are off', async () => {
      const { error } = await world.openClient().auth.signInAnonymously()
      expect(error).toMatchObject({ name: 'AuthApiError', status: 422, code: 'anonymous_provider_disabled' })
    })
  })
})
