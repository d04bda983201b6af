import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openAuthInProcess } from './auth-in-process.ts'
import { type AuthWorld, createAuthWorld, storedSession } from './auth-world.ts'

// The client looks at its session every 30 s and refreshes within the last three of those ticks (90 s). Time is moved by hand, for the
// client and for the server alike; only intervals and the date are, because requests need the rest.

const TICK_MS = 30_000

let world: AuthWorld

beforeAll(async () => {
  world = createAuthWorld(await openAuthInProcess())
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Somebody whose client refreshes by itself, in the state after the first look at the session. */
async function watched() {
  const client = await world.signUp({ autoRefreshToken: true })
  await client.auth.startAutoRefresh()
  await new Promise((resolve) => setTimeout(resolve, 20))
  const refreshes = (): number => client.eventNames().filter((event) => event === 'TOKEN_REFRESHED').length
  return { ...client, refreshes }
}

/** Lets the client look at its session once more, and waits for what it does about it. */
async function tick(): Promise<void> {
  vi.advanceTimersByTime(TICK_MS)
  await new Promise((resolve) => setTimeout(resolve, 50))
}

describe('auth.startAutoRefresh', () => {
  test('leaves a session alone until the third tick before its end', async () => {
    const { refreshes, auth } = await watched()
    vi.setSystemTime(Date.now() + (3600 - 5.5 * 30) * 1000)
    await tick()
    expect(refreshes()).toBe(0) // some 4 ticks are left
    await tick()
    await expect.poll(refreshes).toBe(1) // some 3
    await tick()
    await tick()
    expect(refreshes()).toBe(1) // the new one has an hour
    await auth.stopAutoRefresh()
  })

  test('keeps somebody signed in for a whole day', async () => {
    const { refreshes, auth, user, eventNames } = await watched()
    for (let hour = 1; hour <= 24; hour++) {
      vi.setSystemTime(Date.now() + (3600 - 60) * 1000)
      await tick()
      await expect.poll(refreshes).toBe(hour)
    }
    expect((await auth.getUser()).data.user?.id).toBe(user.id)
    expect(eventNames()).not.toContain('SIGNED_OUT')
    await auth.stopAutoRefresh()
  })

  test('goes on by itself after the network was away when it was time to refresh', async () => {
    const { refreshes, auth, stored, eventNames } = await watched()
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')))
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    vi.setSystemTime(Date.now() + (3600 - 75) * 1000)
    await tick()
    expect(refreshes()).toBe(0)
    expect(stored.has('session')).toBe(true)
    vi.unstubAllGlobals()
    for (let ticks = 0; ticks < 4 && refreshes() === 0; ticks++) await tick()
    await expect.poll(refreshes).toBe(1)
    expect(eventNames()).not.toContain('SIGNED_OUT')
    await auth.stopAutoRefresh()
    vi.restoreAllMocks()
  })
})

describe('auth.stopAutoRefresh', () => {
  test('leaves the session as it is, even when it ends', async () => {
    const { auth, refreshes, stored, session } = await watched()
    await auth.stopAutoRefresh()
    vi.setSystemTime(Date.now() + 2 * 3600 * 1000)
    await tick()
    await tick()
    expect(refreshes()).toBe(0)
    expect(storedSession(stored).refresh_token).toBe(session.refresh_token)
  })
})
