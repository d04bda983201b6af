import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createBodyMemory, forgetBody } from './body-memory.ts'
import { createHttpServer } from './create-server.ts'

const KIB = 1024
const refusal = expect.objectContaining({ code: 'body_memory_full', status: 503 })
const opened: { close(): unknown }[] = []

afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close()
})

describe('the memory for bodies', () => {
  test('of one address is no more than it leaves for others, and is given back', () => {
    const memory = createBodyMemory(8)
    const share = memory.enter('a')
    share.add(4)
    expect(() => share.add(1)).toThrow(refusal)
    expect(() => memory.enter('a').add(1)).toThrow(refusal)
    const other = memory.enter('b')
    other.add(2)
    expect(() => other.add(1)).toThrow(refusal)
    expect(memory.bytes).toBe(6)

    share.release()
    share.release()
    expect(memory.bytes).toBe(2)
    memory.enter('a').add(3)
  })

  test('is counted as bodies arrive, and until their requests are answered', async () => {
    const { port, answer } = await listen(64 * KIB)
    const held: Socket[] = []
    for (let count = 0; count < 3; count++) held.push(await send(port, '/held', 10 * KIB))
    await expect.poll(() => answer.waiting).toBe(3)
    // 30 of 64 KiB are in use: another 10 would exceed this address's share.
    await expect.poll(async () => statusOf(await send(port, '/held', 10 * KIB))).toBe(503)
    answer.all()
    for (const socket of held) expect(await statusOf(socket)).toBe(200)
    expect(await statusOf(await send(port, '/echo', 30 * KIB))).toBe(200)
  })

  test('is free again when a client hangs up in the middle, and when an answer needs the body no more', async () => {
    const { port, answer } = await listen(64 * KIB)
    const torn = await send(port, '/echo', 30 * KIB, 25 * KIB)
    await expect.poll(async () => statusOf(await send(port, '/echo', 20 * KIB))).toBe(503)
    torn.destroy()
    await expect.poll(async () => statusOf(await send(port, '/echo', 20 * KIB))).toBe(200)

    await send(port, '/stream', 30 * KIB)
    await expect.poll(() => answer.streams).toBe(1)
    expect(await statusOf(await send(port, '/echo', 20 * KIB))).toBe(200)
  })
})

interface Answers {
  readonly waiting: number
  readonly streams: number
  all(): void
}

async function listen(bodyMemoryBytesMax: number): Promise<{ port: number; answer: Answers }> {
  const app = createHttpServer({ logger: silentLogger, bodyMemoryBytesMax })
  opened.push(app)
  const waiting: (() => void)[] = []
  let streams = 0
  app.post('/echo', async () => 'done')
  app.post('/held', async () => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return 'done'
  })
  app.post('/stream', (request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200)
    reply.raw.write('first')
    forgetBody(request)
    streams++
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    port: (app.server.address() as AddressInfo).port,
    answer: {
      get waiting() {
        return waiting.length
      },
      get streams() {
        return streams
      },
      all: () => waiting.splice(0).forEach((resolve) => resolve()),
    },
  }
}

/** A request with a body of `length` bytes, of which `sent` are sent. */
async function send(port: number, path: string, length: number, sent = length): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined)
  opened.push({ close: () => socket.destroy() })
  await new Promise((resolve) => socket.once('connect', resolve))
  const body = JSON.stringify('x'.repeat(length - 2))
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body.slice(0, sent)}`,
  )
  return socket
}

function statusOf(socket: Socket): Promise<number> {
  return new Promise((resolve, reject) => {
    socket.once('data', (data) => resolve(Number(String(data).slice(9, 12))))
    socket.once('close', () => reject(new Error('closed without an answer')))
  })
}
