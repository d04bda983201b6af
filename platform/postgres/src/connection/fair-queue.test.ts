import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFairQueue, QueueTimeout, type FairQueue } from './fair-queue.ts'

/*
 * Invariants: slots never exceed the total; reserved slots are immediately available whatever other services do; heavy users do not delay others; everyone is
 * eventually served.
 */

const SHARES = {
  rest: { reserved: 4, max: 7 },
  streams: { reserved: 2, max: 8 },
  uploads: { reserved: 1, max: 3, perPersonMax: 2 },
}

type Name = keyof typeof SHARES

interface Held {
  readonly person: string | undefined
  leave(): void
}

/** Enters without awaiting the result. `served` lists slot holders in order of being served. */
function client(queue: FairQueue): {
  ask(share: Name, person: string | undefined, timeoutMs?: number, signal?: AbortSignal): Promise<Held>
  served: Held[]
} {
  const served: Held[] = []
  return {
    served,
    async ask(share, person, timeoutMs = 60_000, signal) {
      const leave = await queue.enter({ share, person, timeoutMs, signal })
      const held = { person, leave }
      served.push(held)
      return held
    },
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a service', () => {
  test('finds its reserved places free while another asks for all there are', async () => {
    const queue = createFairQueue(10, SHARES)
    const { ask, served } = client(queue)
    for (let person = 0; person < 50; person++) void ask('rest', `rest ${person}`)
    await settled()
    expect(served).toHaveLength(7)
    await Promise.all([ask('streams', undefined), ask('streams', undefined), ask('uploads', 'ada')])
    expect(queue.running).toBe(10)
  })

  test('never has more than its maximum, though all else is idle', async () => {
    const queue = createFairQueue(10, SHARES)
    const { ask, served } = client(queue)
    for (let person = 0; person < 50; person++) void ask('uploads', `person ${person}`)
    await settled()
    expect(served).toHaveLength(3)
  })

  test('that is furthest below its reserved places gets the next one', async () => {
    const queue = createFairQueue(2, { rest: { reserved: 1, max: 2 }, uploads: { reserved: 1, max: 2 } })
    const { ask, served } = client(queue)
    const [first] = await Promise.all([ask('uploads', 'a'), ask('rest', 'b')])
    void ask('uploads', 'c')
    void ask('uploads', 'd')
    void ask('rest', 'e')
    await settled()
    first?.leave()
    await settled()
    expect(served.map(({ person }) => person)).toEqual(['a', 'b', 'c'])
  })
})

describe('a person', () => {
  test('who asks for everything has no more than is left for others', async () => {
    const queue = createFairQueue(10, { rest: { reserved: 0, max: 10 } })
    const { ask, served } = client(queue)
    for (let index = 0; index < 100; index++) void ask('rest' as Name, 'greedy')
    await settled()
    expect(served).toHaveLength(5)
    await ask('rest' as Name, 'modest')
    expect(served.at(-1)?.person).toBe('modest')
  })

  test('has no more uploads than one person may have', async () => {
    const { ask, served } = client(createFairQueue(10, SHARES))
    for (let index = 0; index < 10; index++) void ask('uploads', 'greedy')
    await settled()
    expect(served).toHaveLength(2)
    await ask('uploads', 'modest')
  })

  test('who comes later goes before the rest of a long queue', async () => {
    const queue = createFairQueue(1, { rest: { reserved: 0, max: 1 } })
    const { ask, served } = client(queue)
    const first = await ask('rest' as Name, 'greedy')
    for (let index = 0; index < 100; index++) void ask('rest' as Name, 'greedy')
    void ask('rest' as Name, 'modest')
    await settled()
    first.leave()
    await settled()
    served.at(-1)?.leave()
    await settled()
    expect(served.slice(0, 3).map(({ person }) => person)).toContain('modest')
  })

  test('gets a place even if there is only one', async () => {
    const queue = createFairQueue(1, { rest: { reserved: 0, max: 1 } })
    const held = await client(queue).ask('rest' as Name, 'ada')
    held.leave()
    expect(queue.running).toBe(0)
  })
})

describe('waiting ends', () => {
  test('when it took too long, and nothing is left of it', async () => {
    const queue = createFairQueue(1, { rest: { reserved: 0, max: 1 } })
    const { ask } = client(queue)
    const held = await ask('rest' as Name, 'ada')
    await expect(ask('rest' as Name, 'ben', 1)).rejects.toThrow(QueueTimeout)
    expect(queue.waiting).toBe(0)
    held.leave()
    expect(queue.running).toBe(0)
  })

  test('at once when the result is no longer wanted', async () => {
    const queue = createFairQueue(1, { rest: { reserved: 0, max: 1 } })
    const { ask } = client(queue)
    const held = await ask('rest' as Name, 'ada')
    const gone = new AbortController()
    const waiting = ask('rest' as Name, 'ben', 60_000, gone.signal)
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    held.leave()
    expect({ running: queue.running, waiting: queue.waiting }).toEqual({ running: 0, waiting: 0 })
  })

  test('for everybody, whatever comes and goes', async () => {
    const names = Object.keys(SHARES) as Name[]
    const asks = fc.array(
      fc.record({
        share: fc.constantFrom(...names),
        person: fc.constantFrom('a', 'b', 'c', undefined),
        abandoned: fc.boolean(),
      }),
      { maxLength: 60 },
    )
    await fc.assert(
      fc.asyncProperty(asks, async (all) => {
        const queue = createFairQueue(10, SHARES)
        const outcomes = all.map(async ({ share, person, abandoned }) => {
          const gone = new AbortController()
          const entered = queue.enter({ share, person, timeoutMs: 60_000, signal: gone.signal })
          if (abandoned) setImmediate(() => gone.abort(new Error('gone')))
          const leave = await entered
          expect(queue.running).toBeLessThanOrEqual(10)
          await settled()
          leave()
        })
        for (const outcome of await Promise.allSettled(outcomes))
          if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ message: 'gone' })
        expect({ running: queue.running, waiting: queue.waiting }).toEqual({ running: 0, waiting: 0 })
      }),
      { numRuns: runsOf(100) },
    )
  })
})
