import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { encodeBson } from '../encode/bson.ts'
import { encodedOps } from '../encode/lines.ts'
import { createLineSink, type LineSink, type LineSinkOptions } from './line-sink.ts'

interface World extends AsyncDisposable {
  readonly sink: LineSink
  readonly response: ServerResponse
  /** The device's side, which does not read yet. */
  readonly device: IncomingMessage
  /** How often bytes were handed to the connection. */
  writes(): number
}

async function open(options: Partial<LineSinkOptions> = {}): Promise<World> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>()
  const server: Server = createServer((_request, response) => {
    response.writeHead(200)
    response.flushHeaders()
    resolve(response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const device = await new Promise<IncomingMessage>((answered) =>
    get({ port: (server.address() as AddressInfo).port, agent: false }, answered),
  )
  const response = await promise
  let writes = 0
  const { write } = response
  response.write = ((...parts: Parameters<typeof write>) => {
    writes++
    return write.apply(response, parts)
  }) as typeof write
  const format = { kind: 'ndjson', nestedData: false } as const
  return {
    sink: createLineSink({ response, format, isCompressed: false, onStalled: () => undefined, ...options }),
    response,
    device,
    writes: () => writes,
    async [Symbol.asyncDispose]() {
      device.destroy()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

async function textOf(device: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of device) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const keepalive = (number: number) => ({ token_expires_in: number })
const lines = (count: number): string =>
  Array.from({ length: count }, (_, n) => `${JSON.stringify(keepalive(n))}\n`).join('')

test.each([false, true])('lines that are ready together are handed over together (gzip: %s)', async (isCompressed) => {
  await using world = await open({ isCompressed })
  const { sink, device } = world
  for (let number = 0; number < 5; number++) await sink.control(keepalive(number))
  await new Promise((resolve) => setImmediate(resolve))
  expect(world.writes()).toBe(1)
  await sink.control(keepalive(5))
  sink.end()
  const bytes = await textOf(device)
  expect(String(isCompressed ? gunzipSync(bytes) : bytes)).toBe(lines(6))
})

test('the end does not overtake a line', async () => {
  await using world = await open()
  void world.sink.control(keepalive(0))
  world.sink.end()
  expect(String(await textOf(world.device))).toBe(lines(1))
})

const LARGE = Buffer.alloc(1024 * 1024, 'x')

/** Waits until a number has not changed for many turns of the event loop. */
async function standstill(count: () => number): Promise<void> {
  for (let before = -1; before !== count();) {
    before = count()
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

test('writes wait for a device that does not read, so that a line or two are held, and go on when it does', async () => {
  await using world = await open()
  const { sink, device, response } = world
  let written = 0
  let most = 0
  const writing = (async () => {
    for (; written < 64; written++) {
      await sink.lines(LARGE)
      most = Math.max(most, response.writableLength)
    }
    sink.end()
  })()
  await standstill(() => written)
  expect(written).toBeLessThan(30) // what the kernel and the device's own buffers take
  expect((await textOf(device)).length).toBe(64 * LARGE.length)
  await writing
  expect(most).toBeLessThan(2 * LARGE.length)
})

test('a device that takes nothing for too long is cut off, and no writer waits for it any more', async () => {
  let stalled = 0
  await using world = await open({ stalledMs: 100, onStalled: () => stalled++ })
  const { sink, response } = world
  for (let line = 0; line < 64 && !response.destroyed; line++) await sink.lines(LARGE)
  expect([stalled, response.destroyed]).toEqual([1, true])
  await sink.lines(LARGE)
  expect(response.writableLength).toBeLessThan(2 * LARGE.length)
})

test('a device that reads steadily is not cut off in the middle of a line, however long that takes', async () => {
  let stalled = 0
  const stalledMs = 2_000
  await using world = await open({ stalledMs, onStalled: () => stalled++ })
  const { sink, device } = world
  const line = Buffer.alloc(24 * LARGE.length, 'x')
  const began = performance.now()
  const writing = sink.lines(line).then(() => sink.end())
  let read = 0
  // 5 MiB a second: the kernel says several times a second that it has room again.
  for await (const chunk of device) {
    read += (chunk as Buffer).length
    const dueMs = (read / (5 * LARGE.length)) * 1_000
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + dueMs - performance.now())))
  }
  await writing
  expect([read, stalled]).toEqual([line.length, 0])
  expect(performance.now() - began).toBeGreaterThan(2 * stalledMs)
})

test('lines of many parts, of which the connection takes some at once, are not waited for without end', async () => {
  await using world = await open({ format: { kind: 'bson' } })
  const { sink, device } = world
  // Documents of this size are written from where they are. Each has room in the connection, and all of a line together have not.
  const docs = Array.from({ length: 8 }, (_, index) =>
    encodeBson({ op_id: String(index + 1), data: 'x'.repeat(20_000) }),
  )
  const writing = (async () => {
    for (let line = 0; line < 300; line++) await sink.data('b', 0, false, encodedOps(docs, 8))
    sink.end()
  })()
  let read = 0
  // As slow as the writer or slower, so the connection is repeatedly full.
  for await (const chunk of device) {
    read += (chunk as Buffer).length
    await new Promise((resolve) => setImmediate(resolve))
  }
  await writing
  expect(read).toBeGreaterThan(300 * 8 * 20_000)
})
