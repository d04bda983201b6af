import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect as connectTcp } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { HoldfastError, silentLogger } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import { encodedOps } from '../encode/lines.ts'
import { encodeBson } from '../encode/bson.ts'
import { replacedByNewer } from '../stream/connections.ts'
import type { LineSink } from '../stream/line-sink.ts'
import type { AdmittedStream, StreamServer, Transport } from '../stream/serve-stream.ts'
import { openDeviceSockets, type DeviceSockets } from './device-sockets.ts'
import { KEEPALIVE_BYTES_MAX, MESSAGES_PER_SECOND_MAX, OPENING_MAX } from './limits.ts'

/* Real WebSockets against the transport, with a stream server that hands the test the transport of each stream. */

const CALLER: Caller = { role: 'authenticated', claims: {}, userId: 'ann', expiresAtS: undefined }

interface Opened extends Transport {
  readonly ends: string[]
}

const opened: Opened[] = []
let nowMs = 0
let sockets: DeviceSockets
let url = ''
let stop: () => Promise<void>
let readCaller: (authorization: string) => Promise<Caller>

const streams: StreamServer = {
  admit: (caller, body) =>
    ({ ...caller, clientId: 'device', body, userId: caller.userId }) as unknown as AdmittedStream,
  serve(_stream, _id, _device, open) {
    const ends: string[] = []
    const transport = open({ onClosed: () => ends.push('closed'), onStalled: () => ends.push('stalled') })
    opened.push(Object.assign(Object.create(transport) as Transport, { ends }))
  },
}

beforeEach(async () => {
  opened.length = 0
  nowMs = 1_000_000
  readCaller = async () => CALLER
  sockets = openDeviceSockets({
    server: streams,
    readCaller: (authorization) => readCaller(authorization),
    compress: true,
    now: () => nowMs,
    logger: silentLogger,
  })
  const server = createServer()
  server.on('upgrade', (request: IncomingMessage, socket, head: Buffer) => {
    try {
      const accept = sockets.enter({ id: 'r1', address: '::1' }, async (body) => JSON.parse(body.toString()) as unknown)
      accept({ request, socket, head })
    } catch (error) {
      socket.end(`HTTP/1.1 ${(error as HoldfastError).status} Refused\r\n\r\n`)
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/sync/stream`
  stop = async () => {
    await sockets[Symbol.asyncDispose]()
    server.close()
  }
})

afterEach(async () => {
  for (const device of devices.splice(0)) device.webSocket.terminate()
  await stop()
})

function number(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

function frame(streamId: number, type: number, flags: number, ...fields: readonly Buffer[]): Buffer {
  return Buffer.concat([number(streamId, 4), number(type * 1_024 + flags, 2), ...fields])
}

function setup({
  type = 'application/json',
  metadata = { token: 'Token t', user_agent: 'test' } as object,
} = {}): Buffer {
  const types = [type, type].flatMap((name) => [number(name.length, 1), Buffer.from(name)])
  const text = Buffer.from(JSON.stringify(metadata))
  const fields = [number(1, 2), number(0, 2), number(20_000, 4), number(90_000, 4), ...types]
  return frame(0, 1, 0x100, ...fields, number(text.length, 3), text)
}

function requestStream(requestN: number, { path = '/sync/stream', streamId = 1, body = '{}' } = {}): Buffer {
  const metadata = Buffer.from(JSON.stringify({ path }))
  return frame(streamId, 6, 0x100, number(requestN, 4), number(metadata.length, 3), metadata, Buffer.from(body))
}

const requestN = (count: number): Buffer => frame(1, 8, 0, number(count, 4))
const keepalive = (data: Buffer): Buffer => frame(0, 3, 0x80, Buffer.alloc(8), data)

interface Device {
  readonly webSocket: WebSocket
  /** Frames received: payloads as their bytes, anything else as a text. */
  readonly frames: (Buffer | string)[]
  closed: number | undefined
}

const devices: Device[] = []

async function open(...messages: readonly (Buffer | string)[]): Promise<Device> {
  const webSocket = new WebSocket(url)
  const device: Device = { webSocket, frames: [], closed: undefined }
  devices.push(device)
  webSocket.on('message', (data: Buffer) => device.frames.push(describeFrame(data)))
  webSocket.on('close', (code) => (device.closed = code))
  webSocket.on('error', () => undefined)
  await new Promise<void>((resolve, reject) => {
    webSocket.once('open', resolve)
    webSocket.once('error', reject)
  })
  for (const message of messages) webSocket.send(message)
  return device
}

function describeFrame(data: Buffer): Buffer | string {
  const type = data.readUInt16BE(4) >> 10
  if (type === 11)
    return `error ${data.readUInt32BE(0)} 0x${data.readUInt32BE(6).toString(16)} ${data.toString('utf8', 10)}`
  if (type === 3) return `keepalive ${data.toString('utf8', 14)}`
  return (data.readUInt16BE(4) & 0x40) === 0 ? data.subarray(6) : 'complete'
}

async function openStream(
  count: number,
): Promise<{ readonly device: Device; readonly stream: Opened; readonly sink: LineSink }> {
  const device = await open(setup(), requestStream(count))
  await until(() => expect(opened).toHaveLength(1))
  const [stream] = opened as [Opened]
  return { device, stream, sink: stream.sink }
}

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000, interval: 5 })
const line = (n: number): { readonly checkpoint_complete: { readonly last_op_id: string } } => ({
  checkpoint_complete: { last_op_id: String(n) },
})

describe('the device', () => {
  test('gets no more lines than it asks for, in order, and the waiting one does not pile up', async () => {
    const { device, sink } = await openStream(2)
    let written = 0
    const writing = (async () => {
      for (let n = 0; n < 5; n++) {
        await sink.control(line(n))
        written++
      }
    })()
    await until(() => expect(device.frames).toHaveLength(2))
    expect(written).toBe(2)
    expect(sink.waitsSinceMs).toBe(nowMs)
    device.webSocket.send(requestN(1))
    await until(() => expect(written).toBe(3))
    device.webSocket.send(requestN(10))
    await writing
    await until(() => expect(device.frames).toEqual([0, 1, 2, 3, 4].map((n) => encodeBson(line(n)))))
    expect(sink.waitsSinceMs).toBeUndefined()
  })

  test('that asks for nothing gets only the newest of many keepalives later', async () => {
    const { device, sink } = await openStream(1)
    await sink.control(line(1))
    for (let left = 1_000; left > 0; left--) await sink.control({ token_expires_in: left })
    device.webSocket.send(requestN(2))
    await until(() => expect(device.frames).toHaveLength(2))
    expect(device.frames[1]).toEqual(encodeBson({ token_expires_in: 1 }))
  })

  test('gets lines that are shared with others one by one', async () => {
    const { device, sink } = await openStream(10)
    await sink.lines(Buffer.concat([encodeBson(line(1)), encodeBson(line(2))]))
    await until(() => expect(device.frames).toEqual([encodeBson(line(1)), encodeBson(line(2))]))
  })

  test('gets a line of a megabyte whole', async () => {
    const { device, sink } = await openStream(10)
    const doc = encodeBson({ data: 'x'.repeat(1_000_000) })
    await sink.data('b', 0, false, encodedOps([doc], 7))
    await until(() => expect(device.frames).toHaveLength(1))
    expect((device.frames[0] as Buffer).includes(doc)).toBe(true)
  })

  test('that leaves ends its stream, also while a line waits for it', async () => {
    const { device, stream, sink } = await openStream(1)
    const writing = Promise.all([1, 2].map((n) => sink.control(line(n))))
    device.webSocket.close()
    await writing
    await until(() => expect(stream.ends).toContain('closed'))
  })

  test('that cancels ends its stream', async () => {
    const { device, stream } = await openStream(1)
    device.webSocket.send(frame(1, 9, 0))
    await until(() => expect(stream.ends).toContain('closed'))
  })

  test('that asks for nothing is told that its token has expired as an error, which it may get at any time', async () => {
    const { device, stream, sink } = await openStream(1)
    await sink.control(line(1))
    const waiting = sink.control(line(2))
    await sink.control({ token_expires_in: 0 })
    stream.ending(new Error('expired'))
    await waiting
    sink.end()
    await until(() => expect(device.frames[1]).toBe('error 1 0x201 [PSYNC_S2103] The token has expired'))
  })

  test('is told of the end of its stream', async () => {
    const { device, sink } = await openStream(1)
    sink.end()
    await until(() => expect(device.frames).toEqual(['complete']))
  })

  test('that does not read is cut when it has opened another stream', async () => {
    const { device, stream, sink } = await openStream(100)
    device.webSocket.pause()
    const large = encodedOps([encodeBson({ data: Array.from({ length: 200_000 }, Math.random).join() })], 1)
    void (async () => {
      for (let n = 0; n < 20; n++) await sink.data('b', 0, false, large)
    })()
    await until(() => expect(sink.waitsSinceMs).toBeDefined())
    stream.ending(replacedByNewer)
    await until(() => expect(stream.ends).toContain('closed'))
  })
})

describe('a refusal', () => {
  test('of the token comes as the error of the stream', async () => {
    readCaller = async () => {
      throw new HoldfastError('PSYNC_S2101', 401, 'The token is not valid')
    }
    const device = await open(setup(), requestStream(10))
    await until(() => expect(device.closed).toBe(1000))
    expect(device.frames).toEqual(['error 1 0x201 [PSYNC_S2101] The token is not valid'])
  })

  test.each([
    ['another path', requestStream(1, { path: '/other' }), 'error 1 0x201 [PSYNC_S2002]'],
    ['an interaction other than a stream', frame(3, 4, 0), 'error 3 0x202 [PSYNC_S2002]'],
  ])('of %s names the stream', async (_, message, error) => {
    const device = await open(setup(), message)
    await until(() => expect(device.frames[0]).toContain(error))
    expect(opened).toEqual([])
  })

  test('of a second stream leaves the first as it is', async () => {
    const { device, sink } = await openStream(5)
    for (let id = 3; id < 300; id += 2) device.webSocket.send(requestStream(1, { streamId: id }))
    await until(() => expect(device.frames).toHaveLength(149))
    expect(device.frames.every((text) => String(text).includes('[PSYNC_S2304]'))).toBe(true)
    await sink.control(line(1))
    await until(() => expect(device.frames).toHaveLength(150))
    expect(opened).toHaveLength(1)
  })
})

describe('a hostile device is cut off', () => {
  test.each<[string, readonly (Buffer | string)[], string]>([
    ['that begins with a request', [requestStream(1)], 'error 0 0x1 The first frame must be SETUP'],
    ['that sends text', ['hello'], 'error 0 0x101 A frame must be a binary message'],
    ['that sends garbage', [Buffer.from([1, 2])], 'error 0 0x101 A frame is shorter than its fields'],
    ['of another MIME type', [setup({ type: 'text/plain' })], 'error 0 0x2 [PSYNC_S2004] Data and metadata must be'],
    ['with a SETUP that is too large', [setup({ metadata: { token: 'x'.repeat(100_000) } })], 'error 0 0x1 SETUP is'],
    ['that sends SETUP twice', [setup(), setup()], 'error 0 0x101 SETUP must be the first frame'],
    ['with fragments', [setup(), frame(1, 6, 0x80, number(1, 4))], 'error 0 0x101 Requests in fragments'],
    [
      'that wants its keepalives to be large',
      [setup(), keepalive(Buffer.alloc(KEEPALIVE_BYTES_MAX + 1))],
      'error 0 0x101 A keepalive',
    ],
  ])('%s', async (_, messages, error) => {
    const device = await open(...messages)
    await until(() => expect(device.closed).toBe(1002))
    expect(device.frames[0]).toContain(error)
    expect(opened).toEqual([])
  })

  test('with a message larger than any request', async () => {
    const device = await open(setup(), requestStream(1, { body: ' '.repeat(9 * 1024 * 1024) }))
    await until(() => expect(device.closed).toBe(1009))
  })

  test('that never sends SETUP, and one that only sends SETUP', async () => {
    const silent = await open()
    const half = await open(setup())
    await new Promise((resolve) => setTimeout(resolve, 50))
    nowMs += 11_000
    await until(() => expect([silent.closed, half.closed]).toEqual([1006, 1006]))
  })

  test('that sends no keepalive; one that does stays', async () => {
    const { device: silent } = await openStream(1)
    const alive = await open(setup(), requestStream(1))
    await until(() => expect(opened).toHaveLength(2))
    nowMs += 80_000
    alive.webSocket.send(keepalive(Buffer.from('me')))
    await until(() => expect(alive.frames).toEqual(['keepalive me']))
    nowMs += 80_000
    await until(() => expect(silent.closed).toBe(1006))
    expect(alive.closed).toBeUndefined()
    expect(opened[0]?.ends).toContain('closed')
  })

  test('that asks for nothing while a line waits, after ten minutes', async () => {
    const { device, stream, sink } = await openStream(1)
    void Promise.all([1, 2].map((n) => sink.control(line(n))))
    await until(() => expect(device.frames).toHaveLength(1))
    for (let minute = 0; minute < 11; minute++) {
      device.webSocket.send(keepalive(Buffer.from(String(minute))))
      await until(() => expect(device.frames).toContain(`keepalive ${minute}`))
      nowMs += 60_000
    }
    await until(() => expect(stream.ends).toEqual(['stalled', 'closed']))
  })

  test('whose connection breaks in the middle of a message', async () => {
    const { port } = new URL(url)
    const socket = connectTcp(Number(port), '127.0.0.1')
    socket.write(
      'GET /sync/stream HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    await new Promise((resolve) => socket.once('data', resolve))
    socket.write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0x40, 0, 0, 1, 2, 3, 4, 5]))
    socket.destroy()
    const device = await open(setup(), requestStream(1))
    await until(() => expect(opened).toHaveLength(1))
    expect(device.closed).toBeUndefined()
  })
})

test('thousands of tiny frames are read at a bounded rate, and none is lost', async () => {
  const { device, sink } = await openStream(1)
  const began = performance.now()
  const count = MESSAGES_PER_SECOND_MAX * 3
  for (let n = 0; n < count; n++) device.webSocket.send(requestN(1))
  for (let n = 0; n <= count; n++) await sink.control(line(n))
  await until(() => expect(device.frames).toHaveLength(count + 1))
  expect(performance.now() - began).toBeGreaterThan(900) // a whole second between the first and the last
})

test('one address may not hold all connections without a stream', async () => {
  const accepted: (() => void)[] = []
  const enter = (address: string): void => {
    accepted.push(() => sockets.enter({ id: 'r', address }, async () => undefined))
    accepted.at(-1)?.()
  }
  expect(() => {
    for (let n = 0; n < OPENING_MAX; n++) enter('a flood')
  }).toThrow('Too many devices are connecting')
  expect(() => enter('another')).not.toThrow()
})

test('a server that stops ends connections without a stream at once', async () => {
  const device = await open(setup())
  await new Promise((resolve) => setTimeout(resolve, 20))
  await sockets[Symbol.asyncDispose]()
  await until(() => expect(device.frames).toEqual(['error 0 0x101 [PSYNC_S2003] The server is shutting down']))
})
