import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthWorld, newAddress, newNumber, openAuthWorld, PASSWORD } from './auth-world.ts'

// The unmodified client is the judge: each test uses supabase-js as documented and checks its results, typed errors and events, because apps
// are written against those, not against the wire format.

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

describe('auth.signUp', () => {
  test('creates an account and a session, with all fields of the types', async () => {
    const { auth, eventNames } = world.openClient()
    const email = `Ada.${newAddress().replace('example', 'Example')}`
    const { data, error } = await auth.signUp({ email, password: PASSWORD, options: { data: { name: 'Ada' } } })
    expect(error).toBeNull()
    const lower = email.toLowerCase()
    expect(data.session).toMatchObject({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refresh_token: expect.stringMatching(/^[\w-]{12,}$/),
      token_type: 'bearer',
      expires_in: 3600,
      expires_at: expect.closeTo(Date.now() / 1000 + 3600, -1),
    })
    const { user } = data
    expect(user).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      aud: 'authenticated',
      role: 'authenticated',
      email: lower,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { name: 'Ada', email: lower, email_verified: true, phone_verified: false, sub: user?.id },
      is_anonymous: false,
    })
    expect(user?.identities).toEqual([
      {
        identity_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        id: user?.id,
        user_id: user?.id,
        provider: 'email',
        email: lower,
        identity_data: { sub: user?.id, email: lower, email_verified: false, phone_verified: false },
        last_sign_in_at: expect.any(String),
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    const times = [user?.created_at, user?.updated_at, user?.last_sign_in_at, user?.email_confirmed_at]
    for (const time of times) expect(Date.parse(time ?? '')).toBeCloseTo(Date.now(), -5)
    expect(JSON.stringify(data)).not.toContain('encrypted_password')
    expect(eventNames()).toEqual(['INITIAL_SESSION', 'SIGNED_IN'])
  })

  describe('refused', () => {
    test.each([
      [
        'a registered address',
        async () => ({ email: (await world.signUp()).email, password: PASSWORD }),
        422,
        'user_already_exists',
      ],
      ['an invalid email address', async () => ({ email: 'nobody', password: PASSWORD }), 400, 'validation_failed'],
      ['an empty password', async () => ({ email: newAddress(), password: '' }), 400, 'validation_failed'],
      [
        'a phone number if phone sign-in is off',
        async () => ({ phone: newNumber(), password: PASSWORD }),
        400,
        'phone_provider_disabled',
      ],
    ])('refuses %s', async (_title, credentials, status, code) => {
      const { auth, eventNames } = world.openClient()
      const { data, error } = await auth.signUp(await credentials())
      expect(error).toMatchObject({ name: 'AuthApiError', status, code })
      expect(data).toEqual({ user: null, session: null })
      expect(eventNames()).not.toContain('SIGNED_IN')
    })

    test('refuses a weak password with its reasons', async () => {
      const { error } = await world.openClient().auth.signUp({ email: newAddress(), password: 'abc' })
      expect(error).toMatchObject({
        name: 'AuthWeakPasswordError',
        status: 422,
        code: 'weak_password',
        reasons: ['length'],
      })
    })

    test('refuses credentials without email or phone, and sends no request', async () => {
      const { auth, requests } = world.openClient()
      const { error } = await auth.signUp({ password: PASSWORD } as never)
      expect(error).toMatchObject({ name: 'AuthInvalidCredentialsError', status: 400 })
      expect(requests).toEqual([])
    })
  })
})
