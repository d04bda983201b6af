import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PART_BYTES, SLOWEST_BYTES_A_MS, SOCKET_BYTES, TRANSFER_SILENCE_MS } from '../limits.ts'
import { streamSender } from './body-sender.ts'
import { sendFile } from './send-file.ts'
import { TransferFailure } from './storage-failure.ts'

/* A dead server behind an open connection accepts no bytes without any error. The transfer's clock is simulated, the connection is real. */

let answerPart: (request: IncomingMessage, response: ServerResponse) => void
const server = createServer((request, response) => {
  if (request.method === 'PATCH') return answerPart(request, response)
  request.resume()
  response.writeHead(201, { 'tus-resumable': '1.0.0', location: '/storage/v1/upload/resumable/1' }).end()
})

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(async () => {
  vi.useRealTimers()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

interface Sending {
  /** Reported upload progress. */
  readonly progress: number[]
  outcome: unknown
}

function send(size: number): Sending {
  const sending: Sending = { progress: [], outcome: undefined }
  const endpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    anonKey: 'anon',
    tokens: { token: async () => 'token', refreshedToken: async () => undefined },
    fetch,
    bodies: streamSender,
  }
  const file = {
    bucket: 'photos',
    path: 'a.jpg',
    mediaType: 'image/jpeg',
    uploadUrl: undefined,
    wasCut: false,
    bytesName: 'x',
  }
  const options = {
    signal: new AbortController().signal,
    onCreated: async () => undefined,
    onPartSent: async () => undefined,
    onProgress: (sentBytes: number) => void sending.progress.push(sentBytes),
  }
  void sendFile(endpoint, file, new Blob([new Uint8Array(size)]), options).then(
    () => (sending.outcome = 'sent'),
    (error: unknown) => (sending.outcome = error),
  )
  return sending
}

/** Waits in real time until the connection accepts no more. */
async function untilStill({ progress }: Sending): Promise<void> {
  for (let before = -1; before !== progress.at(-1); await wait(500)) before = progress.at(-1) ?? 0
}

async function untilOver(sending: Sending): Promise<void> {
  while (sending.outcome === undefined) await wait(5)
}

test('a part that the server stops taking is given up after the silence, not after what its size would take', async () => {
  answerPart = (request) => void request.pause()
  const sending = send(2 * PART_BYTES)
  await untilStill(sending)
  expect(sending.outcome).toBeUndefined()
  // Both systems may buffer the whole part; then the rest gets the time of a slow connection.
  vi.advanceTimersByTime(TRANSFER_SILENCE_MS + SOCKET_BYTES / SLOWEST_BYTES_A_MS)
  await untilOver(sending)
  expect(sending.outcome).toBeInstanceOf(TransferFailure)
  expect(sending.outcome).toMatchObject({ failure: 'retry', problem: { code: 'network' } })
})

test('a line that is slow and not silent is waited for', async () => {
  let received = 0
  const held: (() => void)[] = []
  answerPart = (request, response) => {
    request.pause()
    held.push(() => {
      request.on('data', (chunk: Buffer) => (received += chunk.length)).resume()
      request.on('end', () => {
        response.writeHead(204, { 'tus-resumable': '1.0.0', 'upload-offset': String(received) }).end()
      })
    })
  }
  const sending = send(2 * PART_BYTES)
  for (const parts of [1, 2]) {
    while (held.length < parts) await wait(5)
    await untilStill(sending)
    vi.advanceTimersByTime(TRANSFER_SILENCE_MS - 1)
    held[parts - 1]?.()
  }
  await untilOver(sending)
  expect(sending.outcome).toBe('sent')
  expect(sending.progress.at(-1)).toBe(2 * PART_BYTES)
})
