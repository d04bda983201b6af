import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthWorld, claimsOf, newNumber, openAuthWorld, PASSWORD, receiveSms } from './auth-world.ts'

const TEST_NUMBER = '15550001111'

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld([
    '--sms-enable-signup',
    '--sms-enable-confirmations',
    '--sms-max-frequency=0',
    `--sms-test-otp=${TEST_NUMBER}=123456`,
  ])
})
afterAll(() => world[Symbol.asyncDispose]())

async function signedUp(phone = newNumber()) {
  const client = world.openClient()
  const { data, error } = await client.auth.signUp({ phone: `+${phone}`, password: PASSWORD })
  expect(error).toBeNull()
  return { ...client, phone, data }
}

async function confirmed() {
  const person = await signedUp()
  const { auth, phone } = person
  const code = await receiveSms(world, phone, 'confirmation')
  expect((await auth.verifyOtp({ phone, token: code, type: 'sms' })).error).toBeNull()
  return person
}

describe('auth.signUp', () => {
  test('with a phone number sends a code, which signs in', async () => {
    const { auth, phone, data, events } = await signedUp()
    expect(data.session).toBeNull()
    expect(data.user).toMatchObject({ phone, email: '', identities: [{ provider: 'phone' }] })
    const code = await receiveSms(world, phone, 'confirmation')
    expect(code).toMatch(/^\d{6}$/)
    const verified = await auth.verifyOtp({ phone, token: code, type: 'sms' })
    expect(verified.error).toBeNull()
    expect(verified.data.user).toMatchObject({ id: data.user?.id, phone, phone_confirmed_at: expect.any(String) })
    expect(events.at(-1)).toEqual(['SIGNED_IN', data.user?.id])
  })
})

describe('auth.signInWithPassword', () => {
  test('signs in with a phone number, with or without +', async () => {
    const { phone, data } = await confirmed()
    for (const written of [phone, `+${phone}`]) {
      const answer = await world.openClient().auth.signInWithPassword({ phone: written, password: PASSWORD })
      expect(answer.error).toBeNull()
      expect(answer.data.user?.id).toBe(data.user?.id)
    }
  })

  describe('refused', () => {
    test('reports an unconfirmed number only if the password is right', async () => {
      const { phone } = await signedUp()
      const { auth } = world.openClient()
      const known = await auth.signInWithPassword({ phone, password: PASSWORD })
      expect(known.error).toMatchObject({ status: 400, code: 'phone_not_confirmed' })
      const guessed = await auth.signInWithPassword({ phone, password: 'wrong' })
      expect(guessed.error).toMatchObject({ status: 400, code: 'invalid_credentials' })
    })
  })
})

describe('auth.signInWithOtp', () => {
  test('signs in with a code sent by SMS', async () => {
    const { phone, data } = await confirmed()
    const { auth } = world.openClient()
    expect((await auth.signInWithOtp({ phone })).error).toBeNull()
    const token = await receiveSms(world, phone, 'magic_link')
    expect((await auth.verifyOtp({ phone, token, type: 'sms' })).data.user?.id).toBe(data.user?.id)
    const { data: current } = await auth.getSession()
    expect(claimsOf(current.session?.access_token ?? '')).toMatchObject({ phone, amr: [{ method: 'otp' }] })
  })

  test('accepts the fixed code of a test number', async () => {
    const { auth } = world.openClient()
    expect((await auth.signInWithOtp({ phone: TEST_NUMBER })).error).toBeNull()
    const { data, error } = await auth.verifyOtp({ phone: TEST_NUMBER, token: '123456', type: 'sms' })
    expect(error).toBeNull()
    expect(data.user?.phone).toBe(TEST_NUMBER)
  })

  describe('refused', () => {
    test('refuses an invalid phone number', async () => {
      const { error } = await world.openClient().auth.signInWithOtp({ phone: 'abc' })
      expect(error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'validation_failed' })
    })

    test('refuses a wrong code', async () => {
      const { auth, phone } = await signedUp()
      const code = await receiveSms(world, phone, 'confirmation')
      const { error } = await auth.verifyOtp({ phone, token: code === '111111' ? '222222' : '111111', type: 'sms' })
      expect(error).toMatchObject({ status: 403, code: 'otp_expired' })
    })
  })
})

describe('auth.resend', () => {
  test('resends the sign-up SMS', async () => {
    const { auth, phone } = await signedUp()
    const first = await receiveSms(world, phone, 'confirmation')
    const { error } = await auth.resend({ type: 'sms', phone })
    expect(error).toBeNull()
    await expect.poll(() => receiveSms(world, phone, 'confirmation')).not.toBe(first)
  })
})

describe('auth.updateUser', () => {
  test('changes the number with the code sent to the new one', async () => {
    const { auth, data } = await confirmed()
    const next = newNumber()
    const asked = await auth.updateUser({ phone: next })
    expect(asked.error).toBeNull()
    expect(asked.data.user?.new_phone).toBe(next)
    const code = await receiveSms(world, next, 'phone_change')
    const { data: changed, error } = await auth.verifyOtp({ phone: next, token: code, type: 'phone_change' })
    expect(error).toBeNull()
    expect(changed.user).toMatchObject({ id: data.user?.id, phone: next })
  })
})
