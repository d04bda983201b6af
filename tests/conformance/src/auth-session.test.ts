import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthWorld, claimsOf, expireIn, openAuthWorld, PASSWORD, storedSession } from './auth-world.ts'

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

async function letPass(seconds: number, userId: string): Promise<void> {
  await world.admin.execute(sql`
    update auth.refresh_tokens set updated_at = updated_at - make_interval(secs => ${seconds}) where user_id = ${userId}
  `)
}

describe('auth.initialize', () => {
  test('restores the stored session without a request', async () => {
    const { stored, user } = await world.signUp()
    const { auth, events, requests } = world.openClient({ stored })
    expect(await auth.initialize()).toEqual({ error: null })
    await expect.poll(() => events).toContainEqual(['INITIAL_SESSION', user.id])
    expect(requests).toEqual([])
  })

  test('deletes an invalid stored value', async () => {
    const stored = new Map([['session', '{"access_token":"abc"}']])
    const { auth, events } = world.openClient({ stored })
    await auth.initialize()
    expect(stored.has('session')).toBe(false)
    await expect.poll(() => events).toContainEqual(['INITIAL_SESSION', undefined])
  })
})

describe('auth.onAuthStateChange', () => {
  test('emits all events of a session in order', async () => {
    const { auth, email, eventNames } = await world.signUp()
    await auth.refreshSession()
    await auth.updateUser({ data: { name: 'Ada' } })
    await auth.signOut()
    await auth.signInWithPassword({ email, password: PASSWORD })
    expect(eventNames()).toEqual([
      'INITIAL_SESSION',
      'SIGNED_IN',
      'TOKEN_REFRESHED',
      'USER_UPDATED',
      'SIGNED_OUT',
      'SIGNED_IN',
    ])
  })

  test('starts with INITIAL_SESSION, with a null session if no user is signed in', async () => {
    const { events } = world.openClient()
    await expect.poll(() => events).toEqual([['INITIAL_SESSION', undefined]])
  })

  test('refreshes first if the stored session is about to expire', async () => {
    const { stored, user } = await world.signUp()
    expireIn(stored, 60)
    const { auth, events } = world.openClient({ stored, autoRefreshToken: true })
    await expect.poll(() => events.map(([event]) => event)).toContain('INITIAL_SESSION')
    await auth.stopAutoRefresh()
    expect(events).toContainEqual(['TOKEN_REFRESHED', user.id])
    expect(events).toContainEqual(['INITIAL_SESSION', user.id])
    expect(storedSession(stored).expires_at).toBeGreaterThan(Date.now() / 1000 + 3000)
  })

  test('emits SIGNED_OUT if the stored session ended on the server', async () => {
    const { stored, user } = await world.signUp()
    await world.admin.execute(sql`delete from auth.sessions where user_id = ${user.id}`)
    expireIn(stored, -10)
    const { auth, events } = world.openClient({ stored, autoRefreshToken: true })
    await expect.poll(() => events).toContainEqual(['INITIAL_SESSION', undefined])
    await auth.stopAutoRefresh()
    expect(events).toContainEqual(['SIGNED_OUT', undefined])
    expect(stored.has('session')).toBe(false)
  })

  test('emits nothing after unsubscribe', async () => {
    const { auth } = await world.signUp()
    const heard: string[] = []
    const { data } = auth.onAuthStateChange((event) => void heard.push(event))
    await expect.poll(() => heard).toEqual(['INITIAL_SESSION'])
    data.subscription.unsubscribe()
    await auth.signOut()
    expect(heard).toEqual(['INITIAL_SESSION'])
  })
})

describe('auth.dispose', () => {
  test('ends the subscriptions and keeps the stored session', async () => {
    const { auth, stored, events } = await world.signUp()
    const before = events.length
    await auth.dispose()
    await auth.refreshSession()
    expect(events).toHaveLength(before)
    expect(stored.has('session')).toBe(true)
  })
})

describe('auth.getSession', () => {
  test('returns the stored session without a request', async () => {
    const { auth, session, requests } = await world.signUp()
    requests.length = 0
    const { data, error } = await auth.getSession()
    expect(error).toBeNull()
    expect(data.session).toMatchObject({ access_token: session.access_token, user: { id: session.user.id } })
    expect(requests).toEqual([])
  })

  test.each([
    [89, true],
    [95, false],
  ])('refreshes %i s before expiry: %s', async (seconds, isRefreshed) => {
    const { auth, stored, session, eventNames } = await world.signUp()
    expireIn(stored, seconds)
    const { data } = await auth.getSession()
    expect(data.session?.refresh_token !== session.refresh_token).toBe(isRefreshed)
    expect(eventNames().includes('TOKEN_REFRESHED')).toBe(isRefreshed)
  })

  test('returns null without an error if no user is signed in', async () => {
    expect(await world.openClient().auth.getSession()).toEqual({ data: { session: null }, error: null })
  })

  describe('refused', () => {
    test('keeps a session whose refresh was refused until its token expires', async () => {
      const { auth, stored, user } = await world.signUp()
      await world.admin.execute(sql`delete from auth.sessions where user_id = ${user.id}`)
      expireIn(stored, 60)
      expect((await auth.getSession()).data.session?.user.id).toBe(user.id)
      expireIn(stored, -1)
      const later = await world.openClient({ stored }).auth.getSession()
      expect(later.data.session).toBeNull()
      expect(later.error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'refresh_token_not_found' })
      expect(stored.has('session')).toBe(false)
    })
  })
})

describe('auth.refreshSession', () => {
  test('returns new tokens for the same user, session, method and level', async () => {
    const { auth, session, events, user } = await world.signUp()
    const { data, error } = await auth.refreshSession()
    expect(error).toBeNull()
    expect(data.session?.refresh_token).not.toBe(session.refresh_token)
    expect(data.session?.user).toMatchObject({ id: user.id, email: user.email })
    expect(events.at(-1)).toEqual(['TOKEN_REFRESHED', user.id])
    const { session_id, amr, aal } = claimsOf(session.access_token)
    expect(claimsOf(data.session?.access_token ?? '')).toMatchObject({ session_id, amr, aal })
  })

  test('returns the newest token to a client that lost its last refresh response, however long ago', async () => {
    const { auth, session, user } = await world.signUp()
    const { data: lost } = await world.openClient().auth.refreshSession({ refresh_token: session.refresh_token })
    await letPass(7 * 24 * 3600, user.id)
    const { data, error } = await auth.refreshSession({ refresh_token: session.refresh_token })
    expect(error).toBeNull()
    expect(data.session?.refresh_token).toBe(lost.session?.refresh_token)
  })

  test('sends one request for concurrent calls', async () => {
    const { auth, requests } = await world.signUp()
    requests.length = 0
    const answers = await Promise.all(Array.from({ length: 20 }, () => auth.refreshSession()))
    expect(new Set(answers.map(({ data }) => data.session?.refresh_token)).size).toBe(1)
    expect(requests).toEqual(['POST /auth/v1/token'])
  })

  describe('refused', () => {
    test('is refused for an unknown refresh token', async () => {
      const { error } = await world.openClient().auth.refreshSession({ refresh_token: 'abcdefghijkl' })
      expect(error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'refresh_token_not_found' })
    })

    test('is refused without a session', async () => {
      const { error } = await world.openClient().auth.refreshSession()
      expect(error).toMatchObject({ name: 'AuthSessionMissingError', status: 400 })
    })

    test('is refused for a banned user, whose session stays until the token expires', async () => {
      const { auth, stored, user } = await world.signUp()
      await world.admin.execute(
        sql`update auth.users set banned_until = now() + interval '1 hour' where id = ${user.id}`,
      )
      expect((await auth.refreshSession()).error).toMatchObject({ status: 400, code: 'user_banned' })
      expect(stored.has('session')).toBe(true)
    })

    test('ends the session if an old token is reused, since it may be stolen', async () => {
      const { auth, session, user } = await world.signUp()
      const thief = world.openClient()
      await auth.refreshSession()
      await auth.refreshSession()
      await letPass(11, user.id)
      const { error } = await thief.auth.refreshSession({ refresh_token: session.refresh_token })
      expect(error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'refresh_token_already_used' })
      expect((await auth.refreshSession()).error).toMatchObject({ code: 'refresh_token_already_used' })
    })
  })
})

describe('auth.setSession', () => {
  test('stores a session with a valid token and emits SIGNED_IN', async () => {
    const { session, user } = await world.signUp()
    const { auth, stored, eventNames } = world.openClient()
    const { data, error } = await auth.setSession(session)
    expect(error).toBeNull()
    expect(data.user?.id).toBe(user.id)
    expect(eventNames()).toContain('SIGNED_IN')
    expect(storedSession(stored).refresh_token).toBe(session.refresh_token)
  })

  test('refreshes a session with an expired token', async () => {
    const { session, user } = await world.signUp()
    const [header, , signature] = session.access_token.split('.')
    const claims = { ...claimsOf(session.access_token), exp: Math.floor(Date.now() / 1000) - 10 }
    const ended = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
    const { auth, eventNames } = world.openClient()
    const { data, error } = await auth.setSession({ access_token: ended, refresh_token: session.refresh_token })
    expect(error).toBeNull()
    expect(data.user?.id).toBe(user.id)
    expect(data.session?.refresh_token).not.toBe(session.refresh_token)
    expect(eventNames()).toContain('TOKEN_REFRESHED')
  })

  describe('refused', () => {
    test('refuses forged tokens and stays signed out', async () => {
      const { auth, stored } = world.openClient()
      const { session } = await world.signUp()
      const changed = `${session.access_token.slice(0, -8)}AAAAAAAA`
      const { data, error } = await auth.setSession({ access_token: changed, refresh_token: session.refresh_token })
      expect(error).toMatchObject({ name: 'AuthApiError', status: 403, code: 'bad_jwt' })
      expect(data).toEqual({ user: null, session: null })
      expect(stored.has('session')).toBe(false)
    })

    test('refuses an invalid session, and sends no request', async () => {
      const { auth, requests } = world.openClient()
      const { error } = await auth.setSession({ access_token: '', refresh_token: '' })
      expect(error).toMatchObject({ name: 'AuthSessionMissingError' })
      expect(requests).toEqual([])
    })
  })
})
