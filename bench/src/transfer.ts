import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'

/** One large body, up or down, over a separate connection. */
export interface Transfer {
  readonly url: string
  readonly path: string
  readonly method: 'GET' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  /** Bytes to send, or bytes expected. */
  readonly bytes: number
}

const WINDOW = Buffer.alloc(256 * 1024, 'holdfast')

/** Sends as fast as the server accepts and discards the answer. @throws when the status is not a success */
export async function transfer({ url, path, method, headers, bytes }: Transfer): Promise<void> {
  const request = httpRequest(url + path, {
    method,
    agent: false,
    headers: { ...headers, ...(method === 'PUT' && { 'content-length': String(bytes) }) },
  })
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  for (let sent = 0; method === 'PUT' && sent < bytes; sent += WINDOW.length) {
    if (!request.write(WINDOW.subarray(0, bytes - sent))) await Promise.race([once(request, 'drain'), answered])
  }
  request.end()
  const [response] = await answered
  let received = 0
  response.on('data', (chunk: Buffer) => (received += chunk.length))
  await once(response, 'end')
  if (response.statusCode !== 200) throw new Error(`${method} ${path}: ${response.statusCode}`)
  if (method === 'GET' && received !== bytes) throw new Error(`${path}: ${received} of ${bytes} bytes`)
}
