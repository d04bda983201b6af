import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FaultyLink, openFaultyLink } from '@holdfast/test-support'
import { openAuthInProcess } from './auth-in-process.ts'
import { OFFLINE_CALLS } from './auth-offline-calls.ts'
import { type AuthWorld, createAuthWorld, expireIn, storedSession } from './auth-world.ts'

// With the connection cut nothing may be lost: requests fail with a retryable error, the session stays, no SIGNED_OUT is emitted, and
// everything works again once the connection is back.

let world: AuthWorld
let link: FaultyLink

beforeAll(async () => {
  const server = await openAuthInProcess()
  link = await openFaultyLink(server.url)
  world = createAuthWorld(server)
})
afterAll(async () => {
  await link[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})
beforeEach(() => {
  // The client also logs the errors that it returns.
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined)
})
afterEach(async () => {
  vi.useRealTimers()
  link.mend()
  // The client notices cut connections with a short delay.
  await vi.waitFor(() => fetch(`${link.url}/auth/v1/.well-known/jwks.json`, { headers: { apikey: world.anonKey } }), {
    timeout: 60_000,
  })
  vi.restoreAllMocks()
})

/** Advances fake timers until the promise settles: a client retries a refresh for 30 s. */
async function inNoTime<T>(answer: Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.now() })
  const state = { isThere: false }
  void answer.finally(() => (state.isThere = true)).catch(() => undefined)
  while (!state.isThere) {
    vi.advanceTimersByTime(200)
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  vi.useRealTimers()
  return answer
}

describe.each(Object.entries(OFFLINE_CALLS))('%s', (_method, call) => {
  describe('offline', () => {
    test('fails with a retryable error and keeps the session', async () => {
      const client = await world.signUp({ url: link.url, recoveryCodes: true })
      const before = client.stored.get('session')
      link.sever()
      const { error } = await inNoTime(call(client.auth))
      expect(error).toMatchObject({ name: 'AuthRetryableFetchError', status: 0 })
      expect(client.stored.get('session')).toBe(before)
      expect(client.eventNames()).toEqual(['INITIAL_SESSION', 'SIGNED_IN'])
      link.mend()
      expect((await client.auth.getUser()).data.user?.id).toBe(client.user.id)
    })
  })
})

describe('auth.refreshSession', () => {
  describe('offline', () => {
    test('retries for 30 s, then fails with a retryable error and keeps the session', async () => {
      const { auth, stored, requests, eventNames } = await world.signUp({ url: link.url })
      requests.length = 0
      link.sever()
      const { data, error } = await inNoTime(auth.refreshSession())
      expect(error).toMatchObject({ name: 'AuthRetryableFetchError', status: 0 })
      expect(data).toEqual({ user: null, session: null })
      expect(requests.length).toBeGreaterThan(3)
      expect(stored.has('session')).toBe(true)
      expect(eventNames()).not.toContain('SIGNED_OUT')
    })

    test('continues with the new token if only the response was lost', async () => {
      const { auth, user, session } = await world.signUp({ url: link.url })
      link.breakRequests({ head: 'POST /auth/v1/token?grant_type=refresh_token', at: 'answer', count: 1 })
      const { data, error } = await auth.refreshSession()
      expect(link.broken).toBeGreaterThan(0)
      expect(error).toBeNull()
      expect(data.session?.refresh_token).not.toBe(session.refresh_token)
      expect((await auth.getUser()).data.user?.id).toBe(user.id)
    })
  })
})

describe('auth.setSession', () => {
  describe('offline', () => {
    test('fails with a retryable error and stores nothing', async () => {
      const { session } = await world.signUp()
      const { auth, stored } = world.openClient({ url: link.url })
      link.sever()
      const { error } = await inNoTime(auth.setSession(session))
      expect(error).toMatchObject({ name: 'AuthRetryableFetchError', status: 0 })
      expect(stored.has('session')).toBe(false)
      link.mend()
      expect((await auth.setSession(session)).error).toBeNull()
    })
  })
})

describe('auth.getSession', () => {
  describe('offline', () => {
    test('returns the stored session without a request', async () => {
      const { auth, session } = await world.signUp({ url: link.url })
      link.sever()
      const { data, error } = await auth.getSession()
      expect(error).toBeNull()
      expect(data.session?.access_token).toBe(session.access_token)
    })

    test('returns a session that is about to expire', async () => {
      const { auth, stored, session } = await world.signUp({ url: link.url })
      expireIn(stored, 80)
      link.sever()
      const { data } = await inNoTime(auth.getSession())
      expect(data.session?.access_token).toBe(session.access_token)
    })

    test('returns no expired session, but keeps it and continues once the server is back', async () => {
      const { auth, stored, user } = await world.signUp({ url: link.url })
      expireIn(stored, -10)
      link.sever()
      const { data, error } = await inNoTime(auth.getSession())
      expect(data.session).toBeNull()
      expect(error).toMatchObject({ name: 'AuthRetryableFetchError' })
      expect(stored.has('session')).toBe(true)
      link.mend()
      const back = await world.openClient({ url: link.url, stored }).auth.getSession()
      expect(back.data.session?.user.id).toBe(user.id)
    })
  })
})

describe('auth.initialize', () => {
  describe('offline', () => {
    test('emits no SIGNED_OUT for an expired session', async () => {
      const { stored, user } = await world.signUp({ url: link.url })
      expireIn(stored, -10)
      link.sever()
      const { auth, eventNames } = world.openClient({ url: link.url, stored, autoRefreshToken: true })
      await inNoTime(auth.initialize())
      await auth.stopAutoRefresh()
      expect(eventNames()).not.toContain('SIGNED_OUT')
      expect(storedSession(stored).user.id).toBe(user.id)
    })
  })
})

describe('auth.signOut', () => {
  describe('offline', () => {
    test('with scope local still ends the session on this device', async () => {
      const { auth, stored, eventNames } = await world.signUp({ url: link.url })
      link.sever()
      const { error } = await auth.signOut({ scope: 'local' })
      expect(error).toMatchObject({ name: 'AuthRetryableFetchError' })
      expect(stored.has('session')).toBe(false)
      expect(eventNames().at(-1)).toBe('SIGNED_OUT')
    })

    test.each(['global', 'others'] as const)('with scope %s fails and keeps the session', async (scope) => {
      const { auth, stored, eventNames } = await world.signUp({ url: link.url })
      link.sever()
      expect((await auth.signOut({ scope })).error).toMatchObject({ name: 'AuthRetryableFetchError' })
      expect(stored.has('session')).toBe(true)
      expect(eventNames()).not.toContain('SIGNED_OUT')
    })
  })
})

describe('auth.mfa.getAuthenticatorAssuranceLevel', () => {
  describe('offline', () => {
    test('reads the level without a request', async () => {
      const { auth } = await world.signUp({ url: link.url })
      link.sever()
      const { data, error } = await auth.mfa.getAuthenticatorAssuranceLevel()
      expect(error).toBeNull()
      expect(data?.currentLevel).toBe('aal1')
    })
  })
})

describe('auth.signInWithOAuth', () => {
  describe('offline', () => {
    test('returns the URL without a request', async () => {
      const { auth } = world.openClient({ url: link.url })
      link.sever()
      const { data, error } = await auth.signInWithOAuth({ provider: 'github', options: { skipBrowserRedirect: true } })
      expect(error).toBeNull()
      expect(data.url).toMatch(/\/auth\/v1\/authorize\?provider=github/)
    })
  })
})
