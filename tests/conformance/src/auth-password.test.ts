import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashPassword } from '@holdfast/auth'
import { sql } from '@holdfast/postgres'
import { type AuthWorld, newAddress, openAuthWorld, PASSWORD } from './auth-world.ts'

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

async function ban(userId: string): Promise<void> {
  await world.admin.execute(sql`update auth.users set banned_until = now() + interval '1 hour' where id = ${userId}`)
}

describe('auth.signInWithPassword', () => {
  test('signs in, ignoring the case of the address, and emits SIGNED_IN', async () => {
    const { email, user } = await world.signUp()
    const { auth, eventNames } = world.openClient()
    const { data, error } = await auth.signInWithPassword({ email: email.toUpperCase(), password: PASSWORD })
    expect(error).toBeNull()
    expect(data.user?.id).toBe(user.id)
    expect(data.session?.user.identities).toHaveLength(1)
    expect(data).not.toHaveProperty('weak_password')
    expect(eventNames()).toEqual(['INITIAL_SESSION', 'SIGNED_IN'])
  })

  test('creates a session per device', async () => {
    const { email, session } = await world.signUp()
    const { data } = await world.openClient().auth.signInWithPassword({ email, password: PASSWORD })
    const sessionIds = [session.access_token, data.session?.access_token].map(async (token) => {
      const claims = await world.openClient().auth.getClaims(token)
      return claims.data?.claims.session_id
    })
    expect(new Set(await Promise.all(sessionIds)).size).toBe(2)
  })

  test('reports why a password set under older rules is weak', async () => {
    const { email, user } = await world.signUp()
    await world.admin.execute(
      sql`update auth.users set encrypted_password = ${await hashPassword('abc', 4)} where id = ${user.id}`,
    )
    const { data, error } = await world.openClient().auth.signInWithPassword({ email, password: 'abc' })
    expect(error).toBeNull()
    expect(data.session).not.toBeNull()
    expect(data.weakPassword).toMatchObject({ reasons: ['length'], message: expect.any(String) })
  })

  describe('refused', () => {
    test.each([
      ['a wrong password', (email: string) => ({ email, password: 'wrong' })],
      ['an unknown address', () => ({ email: newAddress(), password: PASSWORD })],
      ['SQL as an address', () => ({ email: "' or 1=1 --", password: PASSWORD })],
      ['an empty password', (email: string) => ({ email, password: '' })],
    ])('refuses %s with the same error', async (_title, credentials) => {
      const { email } = await world.signUp()
      const { auth, eventNames } = world.openClient()
      const { data, error } = await auth.signInWithPassword(credentials(email))
      expect(error).toMatchObject({
        name: 'AuthApiError',
        status: 400,
        code: 'invalid_credentials',
        message: 'Invalid login credentials',
      })
      expect(data).toEqual({ user: null, session: null })
      expect(eventNames()).not.toContain('SIGNED_IN')
    })

    test('reports a ban only if the password is right', async () => {
      const { email, user } = await world.signUp()
      await ban(user.id)
      const { auth } = world.openClient()
      const known = await auth.signInWithPassword({ email, password: PASSWORD })
      expect(known.error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'user_banned' })
      const guessed = await auth.signInWithPassword({ email, password: 'wrong' })
      expect(guessed.error).toMatchObject({ status: 400, code: 'invalid_credentials' })
    })

    test('refuses a phone number if phone sign-in is off', async () => {
      const { error } = await world.openClient().auth.signInWithPassword({ phone: '15551234567', password: PASSWORD })
      expect(error).toMatchObject({ status: 422, code: 'phone_provider_disabled' })
    })
  })
})

describe('auth.getUser', () => {
  test('returns the current user, not the state when the token was issued', async () => {
    const { auth, user } = await world.signUp()
    await world.admin.execute(sql`update auth.users set raw_app_meta_data = '{"team":"north"}' where id = ${user.id}`)
    const { data, error } = await auth.getUser()
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ id: user.id, app_metadata: { team: 'north' } })
  })

  test('returns the user of a given token', async () => {
    const { session, user } = await world.signUp()
    expect((await world.openClient().auth.getUser(session.access_token)).data.user?.id).toBe(user.id)
  })

  describe('refused', () => {
    test('is refused without a session, and sends no request', async () => {
      const { auth, requests } = world.openClient()
      expect(await auth.getUser()).toMatchObject({
        data: { user: null },
        error: { name: 'AuthSessionMissingError', status: 400 },
      })
      expect(requests).toEqual([])
    })

    test('is refused for a deleted user', async () => {
      const { auth, user } = await world.signUp()
      await world.admin.execute(sql`delete from auth.users where id = ${user.id}`)
      expect((await auth.getUser()).error).toMatchObject({ status: 403, code: 'user_not_found' })
    })

    test('is refused for a session ended elsewhere, and signs out here', async () => {
      const { auth, stored, user, eventNames } = await world.signUp()
      await world.admin.execute(sql`delete from auth.sessions where user_id = ${user.id}`)
      expect((await auth.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' })
      expect(stored.has('session')).toBe(false)
      expect(eventNames().at(-1)).toBe('SIGNED_OUT')
    })

    test('is refused for a banned user', async () => {
      const { auth, user } = await world.signUp()
      await ban(user.id)
      expect((await auth.getUser()).error).toMatchObject({ status: 403, code: 'user_banned' })
    })

    test('is refused for an API key', async () => {
      for (const key of [world.anonKey, world.serviceRoleKey]) {
        expect((await world.openClient().auth.getUser(key)).error).toMatchObject({ status: 403, code: 'bad_jwt' })
      }
    })
  })
})

describe('auth.updateUser', () => {
  test('changes the metadata and emits USER_UPDATED', async () => {
    const { auth, user, events } = await world.signUp()
    const { data, error } = await auth.updateUser({ data: { name: 'Ada', tall: true } })
    expect(error).toBeNull()
    expect(data.user?.user_metadata).toMatchObject({ name: 'Ada', tall: true })
    expect(events.at(-1)).toEqual(['USER_UPDATED', user.id])
    const { data: session } = await auth.refreshSession()
    const { data: claims } = await auth.getClaims(session.session?.access_token)
    expect(claims?.claims.user_metadata).toMatchObject({ name: 'Ada', tall: true })
  })

  test('merges the metadata and removes null entries', async () => {
    const { auth } = await world.signUp()
    await auth.updateUser({ data: { name: 'Ada', nickname: 'A' } })
    const { data } = await auth.updateUser({ data: { nickname: null } })
    expect(data.user?.user_metadata).toMatchObject({ name: 'Ada' })
    expect(data.user?.user_metadata).not.toHaveProperty('nickname')
  })

  test('changes the password and signs out the other devices', async () => {
    const here = await world.signUp()
    const there = world.openClient()
    await there.auth.signInWithPassword({ email: here.email, password: PASSWORD })
    expect((await here.auth.updateUser({ password: 'a better password' })).error).toBeNull()
    expect((await there.auth.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' })
    expect((await here.auth.getUser()).error).toBeNull()
    const again = world.openClient().auth.signInWithPassword({ email: here.email, password: 'a better password' })
    expect((await again).error).toBeNull()
  })

  describe('refused', () => {
    test.each([
      ['the current password', { password: PASSWORD }, { status: 422, code: 'same_password' }],
      ['a weak password', { password: '123' }, { name: 'AuthWeakPasswordError', reasons: ['length'] }],
      ['an invalid email address', { email: 'nobody' }, { status: 400, code: 'validation_failed' }],
    ])('refuses %s and changes nothing', async (_title, attributes, expected) => {
      const { auth, events } = await world.signUp()
      const before = events.length
      const { data, error } = await auth.updateUser(attributes)
      expect(error).toMatchObject(expected)
      expect(data).toEqual({ user: null })
      expect(events).toHaveLength(before)
    })

    test('refuses an email address in use', async () => {
      const { email: taken } = await world.signUp()
      const { auth } = await world.signUp()
      expect((await auth.updateUser({ email: taken })).error).toMatchObject({ status: 422, code: 'email_exists' })
    })

    test('is refused without a session', async () => {
      const { error } = await world.openClient().auth.updateUser({ data: {} })
      expect(error).toMatchObject({ name: 'AuthSessionMissingError' })
    })
  })
})
