import { describe, expect, test } from 'vitest'
import type { Bus, BusMessage } from '../src/bus/bus.ts'

const message = (payload: string): BusMessage => ({ kind: 'text', from: undefined, payload })

/**
 * Tests that every bus implementation must pass.
 *
 * @param openNodes - opens two nodes of the bus; an implementation for one node opens the same one twice
 */
export function describeBus(name: string, openNodes: () => Promise<readonly [Bus, Bus]>): void {
  const use: UseNodes = async (body) => {
    const [one, other] = await openNodes()
    try {
      await body(one, other)
    } finally {
      await one[Symbol.asyncDispose]()
      await other[Symbol.asyncDispose]()
    }
  }
  describe(`the bus of ${name}`, () => {
    describeMessages(use)
    describeSubscribers(use)
    describeEnds(use)
  })
}

type UseNodes = (body: (one: Bus, other: Bus) => Promise<void>) => Promise<void>

function describeMessages(use: UseNodes): void {
  test('brings a message to every subscriber of its channel, and to no other', () =>
    use(async (one, other) => {
      const seen: string[] = []
      one.subscribe('a', () => seen.push('own'))
      other.subscribe('a', () => seen.push('other'))
      other.subscribe('b', () => seen.push('elsewhere'))
      other.subscribe('a ', () => seen.push('elsewhere'))
      one.publish('a', message('1'))
      await expect.poll(() => seen.toSorted()).toEqual(['other', 'own'])
    }))

  test('keeps the order of one publisher', () =>
    use(async (one, other) => {
      const seen: string[] = []
      other.subscribe('a', (got) => void (got.kind === 'text' && seen.push(got.payload)))
      const sent = Array.from({ length: 1_000 }, (_, position) => String(position))
      for (const payload of sent) one.publish('a', message(payload))
      await expect.poll(() => seen.length).toBe(1_000)
      expect(seen).toEqual(sent)
    }))

  test('keeps the order of one publisher over all its channels', () =>
    use(async (one, other) => {
      const seen: string[] = []
      for (const channel of ['a', 'b', 'c'])
        other.subscribe(channel, (got) => void (got.kind === 'text' && seen.push(`${channel}${got.payload}`)))
      const sent = Array.from({ length: 300 }, (_, position) => `${'abc'[position % 3]}${position}`)
      for (const [position, text] of sent.entries()) one.publish(text[0] ?? '', message(String(position)))
      await expect.poll(() => seen.length).toBe(300)
      expect(seen).toEqual(sent)
    }))

  test('brings messages of the largest size, and changes of presence', () =>
    use(async (one, other) => {
      const seen: BusMessage[] = []
      other.subscribe('a', (got) => seen.push(got))
      const entry = { key: 'ä', ref: '1', meta: JSON.stringify({ list: [1, null, { deep: true }] }), bytes: 7 }
      const change = { joins: [entry], leaves: [entry] }
      one.publish('a', message('x'.repeat(5_000_000)))
      one.publish('a', { kind: 'presence', change })
      await expect.poll(() => seen.length).toBe(2)
      expect(seen[0]?.kind === 'text' && seen[0].payload.length).toBe(5_000_000)
      expect(seen[1]).toEqual({ kind: 'presence', change })
    }))

  test('brings bytes and texts as they were', () =>
    use(async (one, other) => {
      const seen: BusMessage[] = []
      other.subscribe('ü', (got) => seen.push(got))
      const broadcast = {
        event: 'é\0',
        encoding: 'binary',
        payload: Buffer.from([0, 255]),
        meta: '{"id":"1"}',
      } as const
      one.publish('ü', { kind: 'broadcast', from: 'me', broadcast, id: '1' })
      await expect.poll(() => seen.length).toBe(1)
      expect(seen[0]).toMatchObject({
        kind: 'broadcast',
        from: 'me',
        id: '1',
        broadcast: { event: 'é\0', meta: '{"id":"1"}' },
      })
      const [got] = seen
      expect(got?.kind === 'broadcast' && Buffer.from(got.broadcast.payload)).toEqual(Buffer.from([0, 255]))
    }))
}

function describeSubscribers(use: UseNodes): void {
  test('brings nothing to a client that has left, and messages of a double subscription twice', () =>
    use(async (one, other) => {
      const seen: string[] = []
      const onMessage = (): void => void seen.push('left')
      const leaving = other.subscribe('a', onMessage)
      other.subscribe('a', () => seen.push('stays'))
      leaving[Symbol.dispose]()
      leaving[Symbol.dispose]()
      one.publish('a', message('1'))
      await expect.poll(() => seen).toEqual(['stays'])
      const twice = (): void => void seen.push('twice')
      const first = other.subscribe('c', twice)
      other.subscribe('c', twice)
      first[Symbol.dispose]()
      one.publish('c', message('2'))
      await expect.poll(() => seen).toEqual(['stays', 'twice'])
    }))

  test('goes on when a subscriber fails', () =>
    use(async (one, other) => {
      const seen: string[] = []
      other.subscribe('a', () => {
        throw new Error('a bug')
      })
      other.subscribe('a', () => seen.push('got it'))
      one.publish('a', message('1'))
      await expect.poll(() => seen).toEqual(['got it'])
    }))

  test('brings what a message leads to behind that message', () =>
    use(async (one) => {
      const seen: string[] = []
      one.subscribe('a', (got) => {
        if (got.kind === 'text' && got.payload === '1') one.publish('a', message('2'))
      })
      one.subscribe('a', (got) => void (got.kind === 'text' && seen.push(got.payload)))
      one.publish('a', message('1'))
      await expect.poll(() => seen).toEqual(['1', '2'])
    }))

  test('lets a subscriber publish, subscribe and leave while it is told', () =>
    use(async (one) => {
      const seen: string[] = []
      const own = one.subscribe('a', () => {
        seen.push('a')
        own[Symbol.dispose]()
        one.subscribe('b', () => seen.push('b'))
        one.publish('b', message('2'))
      })
      one.publish('a', message('1'))
      one.publish('a', message('1'))
      await expect.poll(() => seen).toEqual(['a', 'b'])
    }))
}

function describeEnds(use: UseNodes): void {
  test('keeps nothing for who subscribes later', () =>
    use(async (one, other) => {
      const seen: string[] = []
      const onMessage = (got: BusMessage): void => void (got.kind === 'text' && seen.push(got.payload))
      const first = other.subscribe('a', onMessage)
      one.publish('a', message('1'))
      await expect.poll(() => seen).toEqual(['1'])
      first[Symbol.dispose]()
      one.publish('a', message('2'))
      const marker = Promise.withResolvers<void>()
      other.subscribe('end', () => marker.resolve())
      one.publish('end', message(''))
      await marker.promise
      other.subscribe('a', onMessage)
      one.publish('a', message('3'))
      await expect.poll(() => seen).toEqual(['1', '3'])
    }))

  test('loses nothing and keeps the order for others while one subscriber is slow', () =>
    use(async (one, other) => {
      const seen: string[] = []
      let turns = 0
      // Blocks the event loop, as encoding for many members does.
      other.subscribe('a', () => {
        for (let turn = 0; turn < 100_000; turn++) turns += turn % 7
      })
      other.subscribe('a', (got) => void (got.kind === 'text' && seen.push(got.payload)))
      const sent = Array.from({ length: 500 }, (_, position) => String(position))
      for (const payload of sent) one.publish('a', message(payload))
      await expect.poll(() => seen.length).toBe(500)
      expect(seen).toEqual(sent)
      expect(turns).toBeGreaterThan(0)
    }))

  test('is silent once it is closed, also when it is closed twice or used again', () =>
    use(async (one, other) => {
      const seen: string[] = []
      const subscription = other.subscribe('a', () => seen.push('after the end'))
      await other[Symbol.asyncDispose]()
      await other[Symbol.asyncDispose]()
      subscription[Symbol.dispose]()
      other.publish('a', message('1'))
      one.publish('a', message('2'))
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
      expect(seen).toEqual([])
    }))
}
