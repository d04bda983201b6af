import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { READ_WINDOW_BYTES } from '../limits.ts'
import { FileBytes } from './file-bytes.ts'

const BYTES = randomBytes(READ_WINDOW_BYTES * 20 + 17)
const folder = mkdtempSync(join(tmpdir(), 'holdfast-file-bytes-'))
const path = join(folder, 'bytes')
const served: { readonly file: FileHandle; readonly bytes: FileBytes }[] = []
let server: Server

beforeAll(async () => {
  writeFileSync(path, BYTES)
  server = createServer((_request, response) => {
    void open(path).then((file) => {
      const bytes = new FileBytes(file)
      served.push({ file, bytes })
      response.once('close', () => bytes.destroy())
      bytes.pipe(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

async function download(): Promise<IncomingMessage> {
  const [response] = (await once(get({ port: (server.address() as AddressInfo).port, agent: false }), 'response')) as [
    IncomingMessage,
  ]
  return response
}

async function slowly(response: Readable): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return Buffer.concat(parts)
}

describe('the bytes of a file', () => {
  test('arrive as they are at clients of every pace, many at a time', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, download))
    // All windows are full now and wait for their clients.
    const received = await Promise.all(responses.map(async (one, index) => (index % 2 ? slowly(one) : buffer(one))))
    for (const one of received) expect(one.equals(BYTES)).toBe(true)
    await expect.poll(() => served.every(({ file }) => file.fd === -1)).toBe(true)
  })

  test('are not overwritten for a reader that keeps them', async () => {
    const through = new FileBytes(await open(path)).pipe(new PassThrough({ highWaterMark: BYTES.length * 2 }))
    await once(through, 'finish')
    expect((await buffer(through)).equals(BYTES)).toBe(true)
  })

  test.each([
    [0, 0],
    [5, READ_WINDOW_BYTES + 5],
    [READ_WINDOW_BYTES, READ_WINDOW_BYTES * 2 - 1],
    [BYTES.length - 3, BYTES.length + 100],
  ])('from %i to %i are those of the range', async (from, to) => {
    const bytes = await buffer(new FileBytes(await open(path), { from, to }))
    expect(bytes.equals(BYTES.subarray(from, to + 1))).toBe(true)
  })

  test('are let go when the client goes away', async () => {
    const before = served.length
    const response = await download()
    response.destroy()
    await expect.poll(() => served[before]?.file.fd, { timeout: 10_000 }).toBe(-1)
  })
})
