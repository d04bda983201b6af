import http from 'node:http'

/**
 * A minimal client of the sync stream for measuring. It splits the BSON documents and reads as few bytes as possible, so that it costs little compared with
 * the server's work.
 */
export interface StreamClient {
  /** Resolves at the next `checkpoint_complete`. */
  nextComplete(): Promise<void>
  /** Operations received so far. */
  readonly operations: number
  readonly bytes: number
  /** Called for each `data` line with its bytes and its time of arrival. */
  onData: ((line: Buffer, atMs: number) => void) | undefined
  /** Whether the server has ended the stream. */
  readonly hasEnded: boolean
  /** Stops reading but stays connected. */
  pause(): void
  close(): void
}

const COMPLETE = Buffer.from('checkpoint_complete\0')
const DATA = Buffer.from('data\0')

/** @param token - an access token; `clientId` names the device; `streams` is what it asks for, if not the defaults */
export async function openStream(
  base: string,
  token: string,
  clientId: string,
  streams?: object,
): Promise<StreamClient> {
  const { request, response } = await requestStream(base, { token, clientId, streams })
  let pending: Buffer[] = []
  let have = 0
  let need = 4
  let operations = 0
  let bytes = 0
  let hasEnded = false
  let waiting: { resolve: () => void; reject: (error: Error) => void }[] = []
  const client: StreamClient = {
    nextComplete: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
    get operations() {
      return operations
    },
    get bytes() {
      return bytes
    },
    onData: undefined,
    get hasEnded() {
      return hasEnded
    },
    pause: () => response.pause(),
    close: () => request.destroy(),
  }

  function onDocument(document: Buffer): void {
    const key = document.subarray(5)
    if (key.subarray(0, DATA.length).equals(DATA)) {
      operations += countOperations(document)
      client.onData?.(document, performance.now())
    } else if (key.subarray(0, COMPLETE.length).equals(COMPLETE)) {
      const done = waiting
      waiting = []
      for (const { resolve } of done) resolve()
    }
  }

  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    pending.push(chunk)
    have += chunk.length
    if (have < need) return
    let buffer = pending.length === 1 ? chunk : Buffer.concat(pending, have)
    for (;;) {
      need = buffer.length < 4 ? 4 : buffer.readInt32LE(0)
      if (buffer.length < need || buffer.length < 4) break
      onDocument(buffer.subarray(0, need))
      buffer = buffer.subarray(need)
    }
    pending = buffer.length > 0 ? [buffer] : []
    have = buffer.length
  })
  response.on('error', () => undefined) // closing the request ends the response
  response.on('close', () => {
    hasEnded = true
    for (const { reject } of waiting) reject(new Error('the stream ended'))
    waiting = []
  })
  return client
}

/** Counts the elements of the line's `data` array without decoding them. */
function countOperations(line: Buffer): number {
  // {"data": {"bucket": …, "after": …, "has_more": …, "next_after": …, "data": [ … ]}}
  const arrayKey = line.indexOf('\x04data\0', 0, 'latin1')
  let at = arrayKey + 6 + 4
  let count = 0
  while (line[at] === 0x03) {
    at = line.indexOf(0, at) + 1
    at += line.readInt32LE(at)
    count++
  }
  return count
}

async function requestStream(
  base: string,
  { token, clientId, streams }: { token: string; clientId: string; streams: object | undefined },
): Promise<{ readonly request: http.ClientRequest; readonly response: http.IncomingMessage }> {
  const body = JSON.stringify({
    buckets: [],
    include_checksum: true,
    raw_data: true,
    binary_data: true,
    client_id: clientId,
    streams,
  })
  const request = http.request(`${base}/sync/stream`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      accept: 'application/vnd.powersync.bson-stream;q=0.9,application/x-ndjson;q=0.8',
      authorization: `Token ${token}`,
    },
  })
  request.end(body)
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
  })
  if (response.statusCode !== 200) throw new Error(`the stream answered ${response.statusCode}`)
  return { request, response }
}
