import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { findDaemon, freePort, startNatsServer } from '@holdfast/test-support'
import type { Bus, BusMessage } from '../src/bus/bus.ts'
import { natsTransport } from '../src/bus/nats-transport.ts'
import { openNetworkBus } from '../src/bus/network-bus.ts'
import { createEntry } from '../src/bus/presence.ts'
import { describeBus } from './bus-suite.ts'

const program = findDaemon('nats-server', 'NATS_SERVER_PATH')

describe.skipIf(program !== undefined)('servers on NATS', () => {
  test.skip('are not tried: no nats-server in PATH or NATS_SERVER_PATH (Debian and Ubuntu: apt-get install nats-server)', () =>
    undefined)
})

const message = (payload: string): BusMessage => ({ kind: 'text', from: undefined, payload })

describe.skipIf(program === undefined)('with a NATS server', () => {
  const secret: Buffer = randomBytes(32)
  let port: number
  let server: AsyncDisposable

  beforeAll(async () => {
    port = await freePort()
    server = await startNatsServer(program ?? '', port)
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const open = (key = secret): Promise<Bus> =>
    openNetworkBus({
      openTransport: natsTransport({ url: `nats://127.0.0.1:${port}`, subject: 'test.channels', logger: silentLogger }),
      secret: key,
      logger: silentLogger,
    })

  async function openOne(key?: Buffer): Promise<Bus> {
    const bus = await open(key)
    onTestFinished(() => bus[Symbol.asyncDispose]())
    return bus
  }

  /** Publishes until the other one has got a message. */
  async function untilReached(from: Bus, to: Bus): Promise<void> {
    let isReached = false
    using _subscription = to.subscribe('reached', () => (isReached = true))
    const isArrived = (): boolean => {
      from.publish('reached', message(''))
      return isReached
    }
    await expect.poll(isArrived, { timeout: 10_000 }).toBe(true)
  }

  describeBus('two servers on NATS', async () => [await open(), await open()])

  test('servers of other databases hear nothing', async () => {
    const [one, other] = [await openOne(), await openOne()]
    const stranger = await openOne(randomBytes(32))
    const seen: string[] = []
    stranger.subscribe('a', () => seen.push('stranger'))
    other.subscribe('a', () => seen.push('other'))
    one.publish('a', message('1'))
    await expect.poll(() => seen).toEqual(['other'])
    await untilReached(one, other)
    expect(seen).toEqual(['other'])
  })

  test('a restart of NATS loses presence for a while, and brings it back', async () => {
    const [one, other] = [await openOne(), await openOne()]
    const present = new Set<string>()
    one.subscribe('room', (got) => {
      if (got.kind !== 'presence') return
      for (const { ref } of got.change.leaves) present.delete(ref)
      for (const { ref } of got.change.joins) present.add(ref)
    })
    const show = (ref: string): void =>
      other.publish('room', {
        kind: 'presence',
        change: { joins: [createEntry('bob', ref, '{}', undefined)], leaves: [] },
      })
    show('1')
    await expect.poll(() => [...present]).toEqual(['1'])
    await server[Symbol.asyncDispose]()
    const began = performance.now()
    show('2')
    await expect.poll(() => [...present], { timeout: 10_000 }).toEqual([])
    expect(performance.now() - began).toBeLessThan(6_000)
    // A server that starts meanwhile serves its own clients, and finds the others later.
    const late = await openOne()
    const seen: string[] = []
    late.subscribe('a', () => seen.push('own'))
    late.publish('a', message('1'))
    expect(seen).toEqual(['own'])
    server = await startNatsServer(program ?? '', port)
    await expect.poll(() => [...present].toSorted(), { timeout: 10_000 }).toEqual(['1', '2'])
    await untilReached(one, late)
    await untilReached(late, other)
  })
})

test('an address that is none of NATS is refused', () => {
  const open = (url: string) => natsTransport({ url, subject: 'a', logger: silentLogger })
  for (const url of ['', 'localhost', 'http://host:4222', 'nats://a:4222,host', 'nats://'])
    expect(() => open(url), url).toThrow('NATS_URL is not an address of NATS')
})
