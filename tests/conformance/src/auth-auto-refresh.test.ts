import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openAuthInProcess } from './auth-in-process.ts'
import { type AuthWorld, createAuthWorld, storedSession } from './auth-world.ts'

// The client checks its session every 30 s and refreshes within the last three of those ticks (90 s). Fake timers move the time of client
// and server; only intervals and the date are faked, because requests need real timers.

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

/** Storage that counts the client's reads of the session. */
class CountedStorage extends Map<string, string> {
  sessionReads = 0

  override get(key: string): string | undefined {
    if (key === 'session') this.sessionReads++
    return super.get(key)
  }
}

type Watched = Awaited<ReturnType<typeof watched>>

/** Signs up a user with automatic refresh and waits for the client's first check of the session. */
async function watched() {
  const storage = new CountedStorage()
  const client = await world.signUp({ autoRefreshToken: true, stored: storage })
  const before = storage.sessionReads
  await client.auth.startAutoRefresh()
  await lookedSince(storage, before)
  const refreshes = (): number => client.eventNames().filter((event) => event === 'TOKEN_REFRESHED').length
  /** Number of refresh requests sent, with or without a response. */
  const requested = (): number => client.requests.filter((request) => request === 'POST /auth/v1/token').length
  return { ...client, storage, refreshes, requested }
}

/** Waits until the client has read its session again and decided whether to refresh. */
async function lookedSince(storage: CountedStorage, reads: number): Promise<void> {
  await expect.poll(() => storage.sessionReads).toBeGreaterThan(reads)
  // The client decides in microtasks.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Triggers one check of the session. */
async function tick({ storage }: Watched): Promise<void> {
  const before = storage.sessionReads
  vi.advanceTimersByTime(TICK_MS)
  await lookedSince(storage, before)
}

describe('auth.startAutoRefresh', () => {
  test('refreshes no earlier than three ticks before expiry', async () => {
    const client = await watched()
    const { refreshes, requested, auth } = client
    vi.setSystemTime(Date.now() + (3600 - 5.5 * 30) * 1000)
    await tick(client)
    expect(requested()).toBe(0) // about 4 ticks left
    await tick(client)
    await expect.poll(refreshes).toBe(1) // about 3
    await tick(client)
    await tick(client)
    expect(requested()).toBe(1) // the new session lasts an hour
    await auth.stopAutoRefresh()
  })

  test('keeps a user signed in all day', async () => {
    const client = await watched()
    const { refreshes, auth, user, eventNames } = client
    for (let hour = 1; hour <= 24; hour++) {
      vi.setSystemTime(Date.now() + (3600 - 60) * 1000)
      await tick(client)
      await expect.poll(refreshes).toBe(hour)
    }
    expect((await auth.getUser()).data.user?.id).toBe(user.id)
    expect(eventNames()).not.toContain('SIGNED_OUT')
    await auth.stopAutoRefresh()
  })

  test('recovers by itself after the network was down at refresh time', async () => {
    const client = await watched()
    const { refreshes, requested, auth, stored, eventNames } = client
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')))
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    vi.setSystemTime(Date.now() + (3600 - 75) * 1000)
    await tick(client)
    expect(requested()).toBeGreaterThan(0)
    expect(refreshes()).toBe(0)
    expect(stored.has('session')).toBe(true)
    vi.unstubAllGlobals()
    await tick(client)
    await expect.poll(refreshes).toBe(1)
    expect(eventNames()).not.toContain('SIGNED_OUT')
    await auth.stopAutoRefresh()
    vi.restoreAllMocks()
  })
})

describe('auth.stopAutoRefresh', () => {
  test('leaves the session unchanged, even after it expires', async () => {
    const { auth, requested, stored, session } = await watched()
    const other = await watched()
    await auth.stopAutoRefresh()
    vi.setSystemTime(Date.now() + 2 * 3600 * 1000)
    await tick(other)
    await expect.poll(other.refreshes).toBe(1)
    await tick(other)
    expect(requested()).toBe(0)
    expect(storedSession(stored).refresh_token).toBe(session.refresh_token)
  })
})
