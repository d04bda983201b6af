import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { createFrame } from '../wire/web-socket-frame.ts'
import { Flusher, Outbox } from './outbox.ts'
import { UnsentBytes } from './unsent-bytes.ts'

const frameOf = (bytes: number) => createFrame([Buffer.alloc(bytes)], true)

/** A client that accepts data only on demand. */
function openClient(shared: { readonly flusher: Flusher; readonly unsent: UnsentBytes }, bytesMax = 1_000_000) {
  const ends: string[] = []
  const taking: (() => void)[] = []
  const socket = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, taken: () => void) => void taking.push(taken),
  })
  const outbox = new Outbox(socket, shared, {
    bytesMax,
    onTooSlow: () => ends.push('too slow'),
    onCut: () => ends.push('cut'),
  })
  return {
    outbox,
    ends,
    /** Accepts the next chunk. */
    take: async () => {
      taking.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
      outbox.settle()
    },
  }
}

function openShared(bytesMax: number) {
  return { flusher: new Flusher(), unsent: new UnsentBytes(bytesMax) }
}

test('what waits for many clients counts once, until the last of them has taken it', async () => {
  const shared = openShared(10_000)
  const [one, other] = [openClient(shared), openClient(shared)]
  const frame = frameOf(1_000)
  for (const { outbox } of [one, other]) {
    outbox.write(frame)
    outbox.flush()
  }
  expect(shared.unsent.bytes).toBe(frame.bytes.length)
  await one.take()
  expect(shared.unsent.bytes).toBe(frame.bytes.length)
  await other.take()
  expect(shared.unsent.bytes).toBe(0)
})

test('above the limit of all clients the slowest is cut, and no other', () => {
  const shared = openShared(5_000)
  const [slow, slowest, late] = [openClient(shared), openClient(shared), openClient(shared)]
  const write = ({ outbox }: typeof slow, bytes: number): void => {
    outbox.write(frameOf(bytes))
    outbox.flush()
  }
  write(slow, 1_000)
  write(slowest, 3_000)
  write(late, 2_000)
  expect([slow.ends, slowest.ends, late.ends]).toEqual([[], ['cut'], []])
  expect(shared.unsent.bytes).toBe(3_000 + 2 * 4)
})

test('above its own limit a client is closed', () => {
  const client = openClient(openShared(1_000_000), 1_000)
  client.outbox.write(frameOf(600))
  client.outbox.flush()
  expect(client.ends).toEqual([])
  client.outbox.write(frameOf(600))
  client.outbox.flush()
  expect(client.ends).toEqual(['too slow'])
})

test('a client that is always a little behind holds only what it has not taken', async () => {
  const shared = openShared(10_000)
  const client = openClient(shared)
  for (let round = 0; round < 50; round++) {
    client.outbox.write(frameOf(100))
    client.outbox.flush()
    if (round > 0) await client.take()
  }
  expect(shared.unsent.bytes).toBeLessThanOrEqual(2 * 102)
})
