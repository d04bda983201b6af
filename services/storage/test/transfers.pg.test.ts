import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStorageWorld, type StorageWorld, type Who } from './storage-world.ts'

// Slow or stalled clients do not affect others: they hold no Postgres connection.

const STALLED_MS = 1_500
const BYTES = 32_000_000
/** Several times the number of Postgres connections. */
const STALLED = 40

let world: StorageWorld
const sockets: Socket[] = []

beforeAll(async () => {
  world = await openStorageWorld({ stalledMs: STALLED_MS })
  await world.run(`
    insert into storage.buckets (id, name) values ('box', 'box');
    create policy everything on storage.objects for all to authenticated using (true) with check (true)`)
  const put = await world.request('service', {
    method: 'POST',
    url: '/object/box/large',
    payload: Buffer.alloc(BYTES, 'x'),
    headers: { 'content-type': 'text/plain' },
  })
  expect(put.status).toBe(200)
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await world[Symbol.asyncDispose]()
})

/** Sends the given request and reads nothing. */
async function open(who: Who, head: string, body = ''): Promise<Socket> {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`${head} HTTP/1.1\r\nhost: x\r\nx-who: ${who}\r\n${body}`)
  return socket
}

const download = (who: Who): Promise<Socket> => open(who, 'GET /storage/v1/object/box/large', '\r\n')

describe('transfers that stall', () => {
  test('keep no connection to Postgres from others', async () => {
    const stalled = await Promise.all(
      Array.from({ length: STALLED }, (_unused, index) =>
        index % 2 === 0
          ? download('alice')
          : open(
              'alice',
              `POST /storage/v1/object/box/stalled-${index}`,
              `content-type: text/plain\r\ncontent-length: 1000000\r\n\r\n${'x'.repeat(1_000)}`,
            ),
      ),
    )
    const headers = { 'content-type': 'text/plain' }
    for (let round = 0; round < 3; round++) {
      const put = await world.request('bob', {
        method: 'POST',
        url: `/object/box/of-bob-${round}`,
        payload: 'x',
        headers,
      })
      expect(put.status).toBe(200)
      expect((await world.request('bob', { method: 'GET', url: `/object/box/of-bob-${round}` })).text).toBe('x')
    }
    for (const socket of stalled) socket.destroy()
  })

  test('are cut when their reader takes nothing, and not when it takes little', async () => {
    const [silent, slow] = await Promise.all([download('alice'), download('alice')])
    let silentEnded = false
    silent.once('close', () => (silentEnded = true))
    silent.pause()
    let received = 0
    let slowEnded = false
    slow.once('close', () => (slowEnded = true))
    slow.on('data', (chunk: Buffer) => {
      received += chunk.length
      slow.pause()
      // Slower in total than the timeout allows for silence.
      setTimeout(() => slow.resume(), received < BYTES / 8 ? 50 : 0)
    })
    await expect.poll(() => received, { timeout: 60_000 }).toBeGreaterThanOrEqual(BYTES)
    expect(slowEnded).toBe(false)
    // A paused socket notices its end only when reading.
    silent.resume()
    await expect.poll(() => silentEnded, { timeout: 60_000 }).toBe(true)
    expect(silent.bytesRead).toBeLessThan(BYTES)
  })
})
