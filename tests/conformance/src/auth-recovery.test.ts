import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type AuthWorld,
  countMessages,
  follow,
  newAddress,
  openAuthWorld,
  PASSWORD,
  receiveMail,
} from './auth-world.ts'

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld(['--email-max-frequency=0'])
})
afterAll(() => world[Symbol.asyncDispose]())

describe('auth.resetPasswordForEmail', () => {
  test('emails a code that emits PASSWORD_RECOVERY and allows a new password', async () => {
    const { email, user } = await world.signUp()
    const { auth, events } = world.openClient()
    expect(await auth.resetPasswordForEmail(email)).toEqual({ data: {}, error: null })
    const { code } = await receiveMail(world, email, 'recovery')
    expect((await auth.verifyOtp({ email, token: code, type: 'recovery' })).error).toBeNull()
    expect(events.at(-1)).toEqual(['PASSWORD_RECOVERY', user.id])
    expect((await auth.updateUser({ password: 'a better password' })).error).toBeNull()
    expect(events.at(-1)).toEqual(['USER_UPDATED', user.id])
    const signIn = (password: string) => world.openClient().auth.signInWithPassword({ email, password })
    expect((await signIn('a better password')).error).toBeNull()
    expect((await signIn(PASSWORD)).error).toMatchObject({ code: 'invalid_credentials' })
  })

  test('with PKCE emails a link that emits PASSWORD_RECOVERY in the requesting browser', async () => {
    const { email, user } = await world.signUp()
    const { auth, events } = world.openClient({ flowType: 'pkce' })
    await auth.resetPasswordForEmail(email)
    const { link } = await receiveMail(world, email, 'recovery')
    const code = (await follow(link)).searchParams.get('code') ?? ''
    const { data, error } = await auth.exchangeCodeForSession(code)
    expect(error).toBeNull()
    expect(data).toMatchObject({ redirectType: 'recovery' })
    expect(events.at(-1)).toEqual(['PASSWORD_RECOVERY', user.id])
  })

  test('gives the same answer for an unknown address, and sends nothing', async () => {
    const email = newAddress()
    expect(await world.openClient().auth.resetPasswordForEmail(email)).toEqual({ data: {}, error: null })
    expect(await countMessages(world, email)).toBe(0)
  })

  describe('refused', () => {
    test('refuses an invalid email address', async () => {
      const { error } = await world.openClient().auth.resetPasswordForEmail('nobody')
      expect(error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'validation_failed' })
    })
  })
})

describe('auth.reauthenticate', () => {
  test('sends a code and emits no event', async () => {
    const { auth, email, eventNames } = await world.signUp()
    const before = eventNames()
    expect(await auth.reauthenticate()).toEqual({ data: { user: null, session: null }, error: null })
    expect((await receiveMail(world, email, 'reauthentication')).code).toMatch(/^\d{6}$/)
    expect(eventNames()).toEqual(before)
  })

  describe('refused', () => {
    test('is refused without a session', async () => {
      const { error } = await world.openClient().auth.reauthenticate()
      expect(error).toMatchObject({ name: 'AuthSessionMissingError' })
    })
  })
})
