import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { HoldfastError, silentLogger } from '@holdfast/foundation'
import { createHttpServer } from './create-server.ts'
import type { DrainLimits } from './drain-bodies.ts'
import { BODY_BYTES_MAX } from './limits.ts'

const PATIENT: DrainLimits = { bytesMax: 1024 ** 3, silenceMs: 600_000, totalMs: 600_000 }
const PART = ' '.repeat(64 * 1024)
const opened: { close(): unknown }[] = []

afterAll(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close()
})

async function listen(limits: Partial<DrainLimits> = {}): Promise<number> {
  const app = createHttpServer({ logger: silentLogger, drainLimits: { ...PATIENT, ...limits } })
  opened.push(app)
  app.post('/echo', async (request) => request.body)
  const refuse = async (): Promise<never> => {
    throw new HoldfastError('no_key', 401, 'No key')
  }
  app.post('/refused', { onRequest: refuse }, refuse)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

interface Client {
  readonly socket: Socket
  /** Everything received. */
  text(): string
  isClosed(): boolean
  failure(): NodeJS.ErrnoException | undefined
  /** Sends a request head and part of its body. */
  begin(path: string, length: number, sent: number, more?: string): void
}

async function open(port: number): Promise<Client> {
  const socket = connect({ host: '127.0.0.1', port })
  opened.push({ close: () => socket.destroy() })
  let text = ''
  let isClosed = false
  let failure: NodeJS.ErrnoException | undefined
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  socket.on('error', (error) => (failure = error)).once('close', () => (isClosed = true))
  await new Promise((resolve) => socket.once('connect', resolve))
  return {
    socket,
    text: () => text,
    isClosed: () => isClosed,
    failure: () => failure,
    begin(path, length, sent, more = '') {
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\n${more}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
      )
      socket.write(' '.repeat(sent))
    },
  }
}

describe('a body that is refused before its end', () => {
  const TOO_LARGE = BODY_BYTES_MAX * 4

  test.each([
    ['as too large', '/echo', 413],
    ['before it is looked at', '/refused', 401],
  ])('%s may be sent to its end, and the connection goes on', async (_, path, status) => {
    const client = await open(await listen())
    client.begin(path, TOO_LARGE, 1)
    await expect.poll(client.text).toContain(`HTTP/1.1 ${status} `)
    client.socket.write(' '.repeat(TOO_LARGE - 1))
    client.begin('/echo', 2, 0)
    client.socket.write('{}')
    await expect.poll(client.text).toMatch(/HTTP\/1\.1 200 [^]*{}$/)
  })

  test('has its connection closed at its end, and not before, if its client sends nothing after it', async () => {
    const client = await open(await listen())
    client.begin('/echo', TOO_LARGE, 1, 'connection: close\r\n')
    await expect.poll(client.text).toMatch(/^HTTP\/1\.1 413 [^]*FST_ERR_CTP_BODY_TOO_LARGE/)
    client.socket.write(' '.repeat(TOO_LARGE - 1))
    await expect.poll(client.isClosed).toBe(true)
    expect(client.failure()).toBeUndefined()
  })

  test('is cut when its client says nothing more', async () => {
    const client = await open(await listen({ silenceMs: 500 }))
    client.begin('/echo', TOO_LARGE, 1)
    await expect.poll(client.isClosed, { timeout: 60_000 }).toBe(true)
    expect(client.text()).toContain('HTTP/1.1 413 ')
  })

  test('is cut when it takes longer than all of it may', async () => {
    const client = await open(await listen({ totalMs: 1_000 }))
    client.begin('/echo', TOO_LARGE, 1)
    const dripping = setInterval(() => client.socket.write(' '), 50)
    opened.push({ close: () => clearInterval(dripping) })
    await expect.poll(client.isClosed, { timeout: 60_000 }).toBe(true)
  })

  test('is cut when more comes of it than is discarded', async () => {
    const client = await open(await listen({ bytesMax: 1_000_000 }))
    client.begin('/echo', 1_000_000_000, 1)
    let sent = 0
    const send = (): void => {
      while (!client.isClosed() && client.socket.write(PART)) sent += PART.length
    }
    client.socket.on('drain', send)
    send()
    await expect.poll(client.isClosed, { timeout: 60_000 }).toBe(true)
    expect(sent).toBeLessThan(100_000_000)
  })
})
