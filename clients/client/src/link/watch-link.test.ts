import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { uploadTimeout } from './link-state.ts'
import { watchLink, type Link } from './watch-link.ts'

/** A server with scripted responses and stream. */
interface World extends Disposable {
  readonly link: Link
  answers: boolean
  stream: 'open' | 'opening' | 'closed'
  isWatched: boolean
  isWanted: boolean
  probes: number
  restarts: number
  backs: number
}

function openWorld(): World {
  const world = {
    answers: true,
    stream: 'open' as World['stream'],
    isWatched: true,
    isWanted: true,
    probes: 0,
    restarts: 0,
    backs: 0,
  }
  const link = watchLink({
    probe: async (signal) => {
      world.probes++
      if (world.answers) return
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('no answer'))))
    },
    stream: () => world.stream,
    isWanted: () => world.isWanted,
    isWatched: () => world.isWatched,
    restartStream: () => void world.restarts++,
    onBack: () => void world.backs++,
    now: Date.now,
  })
  return Object.assign(world, { link, [Symbol.dispose]: () => link[Symbol.dispose]() })
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const pass = (seconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(seconds * 1_000)

describe('a link on which nothing comes', () => {
  test('is asked, and alive while the server answers', async () => {
    using world = openWorld()
    world.link.heard('stream')
    await pass(25)
    expect(world.probes).toBeGreaterThan(0)
    expect(world.link.state.get().kind).toBe('alive')
  })

  test('is checking first, and silent within 15 s, since the last byte', async () => {
    using world = openWorld()
    world.link.heard('stream')
    const heardAt = Date.now()
    world.answers = false
    const seen = new Set<string>()
    world.link.state.subscribe(() => void seen.add(world.link.state.get().kind))
    await pass(15)
    expect([...seen]).toEqual(['checking', 'silent'])
    expect(world.link.state.get()).toEqual({ kind: 'silent', sinceMs: heardAt })
  })

  test('is noticed as well after the clock of the device was set back', async () => {
    using world = openWorld()
    world.link.heard('stream')
    await pass(1)
    vi.setSystemTime(Date.now() - 3_600_000)
    const setBackAt = Date.now()
    world.answers = false
    await pass(16)
    expect(world.link.state.get().kind).toBe('silent')
    expect(world.link.state.get()).toMatchObject({ sinceMs: expect.closeTo(setBackAt, -4) as unknown })
  })

  test('is not asked while no person looks, and at once when one does', async () => {
    using world = openWorld()
    world.link.heard('stream')
    world.isWatched = false
    await pass(20)
    expect(world.probes).toBe(0)
    world.isWatched = true
    world.link.look()
    expect(world.probes).toBe(1)
  })

  test('is not asked while bytes come', async () => {
    using world = openWorld()
    for (let second = 0; second < 60; second += 5) {
      world.link.heard('stream')
      await pass(5)
    }
    expect(world.probes).toBe(0)
  })

  test('says nothing once the person does not want to sync', async () => {
    using world = openWorld()
    world.answers = false
    await pass(40)
    expect(world.link.state.get().kind).toBe('silent')
    world.isWanted = false
    await pass(1)
    expect(world.link.state.get().kind).toBe('alive')
  })

  test('has longer to answer a first connection', async () => {
    using world = openWorld()
    world.stream = 'opening'
    world.answers = false
    await pass(20)
    expect(world.link.state.get().kind).toBe('alive')
    await pass(10)
    expect(world.link.state.get().kind).toBe('silent')
  })
})

describe('when the server answers again', () => {
  test('the link is alive, what waits goes on, and the stream is opened again', async () => {
    using world = openWorld()
    world.link.heard('stream')
    world.answers = false
    await pass(16)
    world.answers = true
    await pass(25)
    expect(world.link.state.get().kind).toBe('alive')
    expect(world.backs).toBe(1)
    expect(world.restarts).toBe(1)
  })

  test('a stream that speaks again is kept', async () => {
    using world = openWorld()
    world.link.heard('stream')
    world.answers = false
    await pass(16)
    world.link.heard('stream')
    expect(world.link.state.get().kind).toBe('alive')
    expect(world.restarts).toBe(0)
  })
})

test('a stream that is silent while the server answers is opened again', async () => {
  using world = openWorld()
  world.link.heard('stream')
  await pass(26)
  expect(world.restarts).toBe(0)
  await pass(2)
  expect(world.restarts).toBe(1)
})

describe('an upload', () => {
  test('without an answer is a reason to ask at once', async () => {
    using world = openWorld()
    world.link.heard('stream')
    world.answers = false
    world.isWatched = false
    const upload = world.link.upload(100, untilAborted).catch((error: Error) => error.message)
    await pass(9)
    expect(world.link.state.get().kind).toBe('silent')
    await pass(7)
    expect(await upload).toMatch(/^The server has been silent for 1[56] s\.$/)
  })

  test('of a few bytes is repeated as soon as the line is back', async () => {
    using world = openWorld()
    world.link.heard('stream')
    world.answers = false
    const upload = world.link.upload(100, untilAborted).catch((error: Error) => error.message)
    await pass(9)
    world.link.heard('stream')
    expect(await upload).toBe('The connection was silent and is back.')
  })

  test('answers are heard', async () => {
    using world = openWorld()
    world.answers = false
    await pass(40)
    await world.link.upload(100, async () => 'judged')
    expect(world.link.state.get().kind).toBe('alive')
  })

  test.each([
    ['a small one, in silence', { bytes: 100, ageMs: 16_000, quietMs: 16_000 }, 'The server has been silent for 16 s.'],
    ['a small one, while other things come', { bytes: 100, ageMs: 50_000, quietMs: 2_000 }, undefined],
    [
      'a small one that is never answered',
      { bytes: 0, ageMs: 61_000, quietMs: 2_000 },
      'The upload has had no response for 61 s.',
    ],
    ['a large one on a slow line', { bytes: 4_000_000, ageMs: 900_000, quietMs: 900_000 }, undefined],
  ])('is given up or not: %s', (_, facts, reason) => {
    expect(uploadTimeout(facts)).toBe(reason)
  })
})

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
}
