import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openAuthInProcess } from './auth-in-process.ts'
import { type AuthServer, type AuthWorld, createAuthWorld, PASSWORD } from './auth-world.ts'

// Session lifetimes, with fake time for client and server.

const HOUR_MS = 3600 * 1000
const DAY_MS = 24 * HOUR_MS

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
})

function letPass(ms: number): void {
  vi.setSystemTime(Date.now() + ms)
}

function worldWith(options: Parameters<typeof openAuthInProcess>[0]): () => AuthWorld {
  let world: AuthWorld
  let server: AuthServer
  beforeAll(async () => {
    server = await openAuthInProcess(options)
    world = createAuthWorld(server)
  })
  afterAll(() => world[Symbol.asyncDispose]())
  return () => world
}

describe('sessions', () => {
  describe('without limits', () => {
    const world = worldWith({})

    test('continue after a week offline', async () => {
      const { stored, user } = await world().signUp()
      letPass(7 * DAY_MS)
      const { auth, events } = world().openClient({ stored, autoRefreshToken: true })
      await expect.poll(() => events).toContainEqual(['INITIAL_SESSION', user.id])
      await auth.stopAutoRefresh()
      expect(events.map(([event]) => event)).not.toContain('SIGNED_OUT')
      expect(events.map(([event]) => event)).toContain('TOKEN_REFRESHED')
      const { data, error } = await auth.getUser()
      expect(error).toBeNull()
      expect(data.user?.id).toBe(user.id)
    })

    test('continue after a week even if the last refresh response was lost', async () => {
      const { stored, session, user } = await world().signUp()
      await world().openClient().auth.refreshSession({ refresh_token: session.refresh_token })
      letPass(7 * DAY_MS)
      const { data, error } = await world().openClient({ stored }).auth.getSession()
      expect(error).toBeNull()
      expect(data.session?.user.id).toBe(user.id)
    })
  })

  describe('with a time-box of one day', () => {
    const world = worldWith({ options: { sessionsTimebox: 86_400 } })

    test('end after a day despite refreshes', async () => {
      const { auth, stored, eventNames } = await world().signUp()
      for (let hours = 0; hours < 20; hours += 10) {
        letPass(10 * HOUR_MS)
        expect((await auth.refreshSession()).error).toBeNull()
      }
      letPass(5 * HOUR_MS)
      const { data, error } = await auth.refreshSession()
      expect(error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'session_expired' })
      expect(data).toEqual({ user: null, session: null })
      expect(stored.has('session')).toBe(false)
      expect(eventNames().at(-1)).toBe('SIGNED_OUT')
    })
  })

  describe('with an inactivity timeout of one day', () => {
    const world = worldWith({ options: { sessionsInactivityTimeout: 86_400 } })

    test('continue while in use', async () => {
      const { auth } = await world().signUp()
      for (let days = 0; days < 5; days++) {
        letPass(DAY_MS - HOUR_MS)
        expect((await auth.refreshSession()).error).toBeNull()
      }
    })

    test('end after a longer pause', async () => {
      const { auth, stored } = await world().signUp()
      letPass(DAY_MS + HOUR_MS)
      expect((await auth.refreshSession()).error).toMatchObject({ status: 400, code: 'session_expired' })
      expect(stored.has('session')).toBe(false)
    })
  })

  describe('with a single session per user', () => {
    const world = worldWith({ options: { sessionsSinglePerUser: true } })

    test('end when the user signs in elsewhere', async () => {
      const { auth, email } = await world().signUp()
      letPass(1000)
      const elsewhere = world().openClient()
      await elsewhere.auth.signInWithPassword({ email, password: PASSWORD })
      expect((await auth.refreshSession()).error).toMatchObject({ status: 400, code: 'session_expired' })
      expect((await elsewhere.auth.refreshSession()).error).toBeNull()
    })
  })
})
