import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthWorld, newAddress, openAuthWorld, PASSWORD, receiveMail, type SignedUp } from './auth-world.ts'

// A new email address takes effect after confirmation by both addresses, or by the new one only (`emailDoubleConfirmChanges`).

const CONFIRMING = ['--email-enable-confirmations', '--email-max-frequency=0']

/** Signs up a user and confirms the email address. */
async function confirmed(world: AuthWorld) {
  const email = newAddress()
  const client = world.openClient()
  await client.auth.signUp({ email, password: PASSWORD })
  const { code } = await receiveMail(world, email, 'confirmation')
  const { data, error } = await client.auth.verifyOtp({ email, token: code, type: 'signup' })
  expect(error).toBeNull()
  return { ...client, email, userId: data.user?.id ?? '' }
}

async function asked(world: AuthWorld) {
  const person = await confirmed(world)
  const next = newAddress()
  const { data, error } = await person.auth.updateUser({ email: next })
  expect(error).toBeNull()
  expect(data.user).toMatchObject({ email: person.email, new_email: next, email_change_sent_at: expect.any(String) })
  return { ...person, next }
}

async function canSignIn(world: AuthWorld, email: string): Promise<boolean> {
  return (await world.openClient().auth.signInWithPassword({ email, password: PASSWORD })).error === null
}

/** @param address - receives the code @param as - the address that the code is submitted for */
async function typeCode(world: AuthWorld, client: Pick<SignedUp, 'auth'>, address: string, as = address) {
  const { code } = await receiveMail(world, address, 'email_change')
  return client.auth.verifyOtp({ email: as, token: code, type: 'email_change' })
}

describe('auth.updateUser', () => {
  describe('with double confirmation', () => {
    let world: AuthWorld
    beforeAll(async () => {
      world = await openAuthWorld([...CONFIRMING, '--email-secure-password-change'])
    })
    afterAll(() => world[Symbol.asyncDispose]())

    test('changes the address after the codes from both emails, and returns one session', async () => {
      const person = await asked(world)
      const { email, next, events } = person
      const half = await typeCode(world, person, email)
      expect(half.error).toBeNull()
      expect(half.data.session).toBeNull()
      expect(await canSignIn(world, next)).toBe(false)
      const whole = await typeCode(world, person, next)
      expect(whole.error).toBeNull()
      expect(whole.data.user?.email).toBe(next)
      expect(events.at(-1)).toEqual(['SIGNED_IN', person.userId])
      expect(await canSignIn(world, next)).toBe(true)
      expect(await canSignIn(world, email)).toBe(false)
    })

    test('resends the emails on auth.resend', async () => {
      const person = await asked(world)
      const first = await receiveMail(world, person.next, 'email_change')
      expect((await person.auth.resend({ type: 'email_change', email: person.email })).error).toBeNull()
      await expect.poll(async () => (await receiveMail(world, person.next, 'email_change')).code).not.toBe(first.code)
      expect((await typeCode(world, person, person.email)).error).toBeNull()
      expect((await typeCode(world, person, person.next)).data.user?.email).toBe(person.next)
    })

    test('requires auth.reauthenticate for a new password a day after sign-in', async () => {
      const { auth, email, userId } = await confirmed(world)
      await world.admin.execute(sql`
        update auth.sessions set created_at = now() - interval '25 hours' where user_id = ${userId}
      `)
      const password = 'a better password'
      expect((await auth.updateUser({ password })).error).toMatchObject({
        name: 'AuthApiError',
        code: 'reauthentication_needed',
      })
      await auth.reauthenticate()
      const { code } = await receiveMail(world, email, 'reauthentication')
      const wrong = await auth.updateUser({ password, nonce: code === '111111' ? '222222' : '111111' })
      expect(wrong.error).toMatchObject({ status: 422, code: 'reauthentication_not_valid' })
      expect((await auth.updateUser({ password, nonce: code })).error).toBeNull()
    })

    describe('refused', () => {
      test('refuses the code of one email for the other address', async () => {
        const person = await asked(world)
        const { error } = await typeCode(world, person, person.email, person.next)
        expect(error).toMatchObject({ status: 403, code: 'otp_expired' })
      })

      test('refuses an address that another user has since taken', async () => {
        const person = await asked(world)
        await typeCode(world, person, person.email)
        await world.admin.execute(sql`
          insert into auth.users (id, aud, role, email) values (gen_random_uuid(), 'authenticated', 'authenticated', ${person.next})
        `)
        expect((await typeCode(world, person, person.next)).error).not.toBeNull()
        expect((await person.auth.getUser()).data.user?.email).toBe(person.email)
      })
    })
  })

  describe('with auto-confirm', () => {
    let world: AuthWorld
    beforeAll(async () => {
      world = await openAuthWorld()
    })
    afterAll(() => world[Symbol.asyncDispose]())

    test('changes the address with the code of either email', async () => {
      const { auth, email, user } = await world.signUp()
      const next = newAddress()
      expect((await auth.updateUser({ email: next })).data.user).toMatchObject({ email, new_email: next })
      const { data, error } = await typeCode(world, { auth }, next)
      expect(error).toBeNull()
      expect(data.user).toMatchObject({ id: user.id, email: next })
    })
  })

  describe('with single confirmation', () => {
    let world: AuthWorld
    beforeAll(async () => {
      world = await openAuthWorld([...CONFIRMING, '--no-email-double-confirm-changes'])
    })
    afterAll(() => world[Symbol.asyncDispose]())

    test('changes the address with the code sent to the new one', async () => {
      const person = await asked(world)
      const { data, error } = await typeCode(world, person, person.next)
      expect(error).toBeNull()
      expect(data.user?.email).toBe(person.next)
      expect(await canSignIn(world, person.next)).toBe(true)
    })
  })
})
