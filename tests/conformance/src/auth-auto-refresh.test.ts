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

/** Storage that counts how often the client has read its session. */
class CountedStorage extends Map<string, string> {
  sessionReads = 0

  override get(key: string): string | undefined {
    if (key === 'session') this.sessionReads++
    return super.get(key)
  }
}

type Watched = Awaited<ReturnType<typeof watched>>

/** A user whose client refreshes by itself, in the state after its first look at the session. */
async function watched() {
  const storage = new CountedStorage()
  const client = await world.signUp({ autoRefreshToken: true, stored: storage })
  const before = storage.sessionReads
  await client.auth.startAutoRefresh()
  await lookedSince(storage, before)
  const refreshes = (): number => client.eventNames().filter((event) => event === 'TOKEN_REFRESHED').length
  /** Refreshes that were asked for, answered or not. */
  const requested = (): number => client.requests.filter((request) => request === 'POST /auth/v1/token').length
  return { ...client, storage, refreshes, requested }
}

/** Waits until the client has read its session again and has decided what to do about it. */
async function lookedSince(storage: CountedStorage, reads: number): Promise<void> {
  await expect.poll(() => storage.sessionReads).toBeGreaterThan(reads)
  // The decision follows in microtasks.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Lets the client look at its session once more. */
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
    expect(requested()).toBe(0) // some 4 ticks are left
    await tick(client)
    await expect.poll(refreshes).toBe(1) // some 3
    await tick(client)
    await tick(client)
    expect(requested()).toBe(1) // the new one has an hour
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
