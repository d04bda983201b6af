import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { HoldfastError, silentLogger } from '@holdfast/foundation'
import { createHttpServer } from './create-server.ts'
import type { BodyTimeouts } from './slow-bodies.ts'

const PATIENT: Partial<BodyTimeouts> = { silenceMs: 60_000, rateMin: 0, totalMs: 600_000 }
const opened: { close(): unknown }[] = []

afterAll(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close()
})

async function listen(limits: Partial<BodyTimeouts>): Promise<number> {
  const app = createHttpServer({ logger: silentLogger, bodyTimeouts: { ...PATIENT, ...limits } })
  opened.push(app)
  app.post('/echo', async (request) => request.body)
  const refuse = async (): Promise<never> => {
    throw new HoldfastError('no_key', 401, 'No key')
  }
  app.post('/refused', { onRequest: refuse }, refuse)
  app.post('/stream', (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { connection: 'close' })
    reply.raw.write('first ')
    setTimeout(() => reply.raw.end('last'), 2_500)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

/** A request whose body the test writes. */
async function send(port: number, path: string, length: number): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined)
  opened.push({ close: () => socket.destroy() })
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const answer = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
  )
  return { socket, answer }
}

/** Writes a part every `ms`. */
function drip(socket: Socket, text: string | readonly string[], ms: number): void {
  let next = 0
  const timer = setInterval(() => {
    if (next >= text.length || socket.destroyed) clearInterval(timer)
    else socket.write(text[next++] ?? '')
  }, ms)
  opened.push({ close: () => clearInterval(timer) })
}

// Concurrent, because most of these tests wait; each has its own server.
describe.concurrent('a request body', () => {
  test('that goes silent is answered with 408 and its reason, and the connection is closed', async () => {
    const port = await listen({ silenceMs: 1_000 })
    const { socket, answer } = await send(port, '/echo', 100)
    socket.write('{"a":')
    expect(await answer).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request_timeout"[^]*nothing of it came for 1 s/)
  })

  test('that never begins is cut as well', async () => {
    const port = await listen({ silenceMs: 1_000 })
    const { answer } = await send(port, '/echo', 100)
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('that goes on byte by byte is not silent, and is answered', async () => {
    const port = await listen({ silenceMs: 3_000 })
    const { socket, answer } = await send(port, '/echo', 12)
    drip(socket, '{"a":123456}', 400)
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [^]*{"a":123456}/)
  })

  test('that drips for longer than all of it may take is cut', async () => {
    const port = await listen({ totalMs: 1_500 })
    const { socket, answer } = await send(port, '/echo', 1_000)
    drip(socket, ' '.repeat(1_000), 100)
    expect(await answer).toMatch(/^HTTP\/1\.1 408 [^]*longer than 2 s/)
  })

  test('that drips below the least rate is cut after its grace, and one above it is not', async () => {
    const port = await listen({ rateMin: 20, rateGraceMs: 1_000 })
    const [slow, fast] = await Promise.all([send(port, '/echo', 1_000), send(port, '/echo', 15_002)])
    drip(slow.socket, ' '.repeat(1_000), 100)
    drip(fast.socket, ['{}', ...Array<string>(30).fill(' '.repeat(500))], 80)
    expect(await slow.answer).toMatch(/^HTTP\/1\.1 408 [^]*less than 20 bytes per second/)
    expect(await fast.answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('is one of a bounded number of slow ones from its address; quick ones are not concerned', async () => {
    const port = await listen({ slowMs: 2_000, slowPerAddressMax: 2 })
    const slow = await Promise.all(Array.from({ length: 5 }, () => send(port, '/echo', 1_000)))
    let cut = 0
    for (const { answer } of slow) void answer.then((text) => (cut += text.startsWith('HTTP/1.1 408 ') ? 1 : 0))
    await expect.poll(() => cut, { timeout: 60_000 }).toBe(3)
    expect(slow.filter(({ socket }) => socket.readyState === 'open')).toHaveLength(2)
    const quick = await send(port, '/echo', 2)
    quick.socket.write('{}')
    expect(await quick.answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('that is refused for its kind leaves its connection usable', async () => {
    const port = await listen({})
    const socket = connect({ host: '127.0.0.1', port })
    opened.push({ close: () => socket.destroy() })
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    const head = (type: string, length: number): string =>
      `POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`
    socket.write(head('application/x-unknown', 500_000))
    socket.write(' '.repeat(500_000))
    socket.write(`${head('application/json', 7)}{"a":1}`)
    await expect.poll(() => text, { timeout: 60_000 }).toMatch(/^HTTP\/1\.1 415 [^]*HTTP\/1\.1 200 [^]*{"a":1}$/)
  })

  test('that was answered unread is not awaited for ever either', async () => {
    const port = await listen({ silenceMs: 1_000 })
    const { answer } = await send(port, '/refused', 100)
    expect(await answer).toMatch(/^HTTP\/1\.1 401 /)
  })

  test('that came whole has all the time for its answer', async () => {
    const port = await listen({ silenceMs: 1_500, totalMs: 1_500 })
    const { socket, answer } = await send(port, '/stream', 2)
    socket.write('{}')
    expect(await answer).toMatch(/first [^]*last/)
  })

  test('that its client gives up leaves nothing that is waited for', async () => {
    const port = await listen({ silenceMs: 3_000 })
    const { socket } = await send(port, '/echo', 100)
    socket.write('{"a":')
    socket.destroy()
    const whole = await send(port, '/echo', 2)
    whole.socket.end('{}')
    expect(await whole.answer).toMatch(/^HTTP\/1\.1 200 /)
  })
})
