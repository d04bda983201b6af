import { connect, type Socket } from 'node:net'
import { median, percentile } from './report.ts'

/** A request that is sent repeatedly. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** A connection that stays open, with one request in progress at a time. */
export interface LoadConnection {
  /** @returns the body of the answer @throws when the status is not a success */
  ask(request: LoadRequest): Promise<string>
  close(): void
}

/**
 * Opens a minimal HTTP/1.1 connection to a server that sends `content-length`: a full client would use processor time of the core that is measured.
 *
 * @param url - `http://host:port`, or `unix:/path` of a socket
 */
export async function openLoadConnection(url: string): Promise<LoadConnection> {
  const { hostname, port, host, protocol, pathname } = new URL(url)
  const target = protocol === 'unix:' ? { path: pathname } : { host: hostname, port: Number(port), noDelay: true }
  const socket = await new Promise<Socket>((resolve, reject) => {
    const socket = connect(target, () => resolve(socket))
    socket.once('error', reject)
  })
  let waiting: { resolve(text: string): void; reject(error: Error): void } | undefined
  let received: Buffer = Buffer.alloc(0)

  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const head = received.toString('latin1', 0, headEnd)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
    if (received.length < headEnd + 4 + length) return
    const text = received.toString('utf8', headEnd + 4, headEnd + 4 + length)
    received = Buffer.alloc(0)
    const done = waiting
    waiting = undefined
    if (head.startsWith('HTTP/1.1 2')) done?.resolve(text)
    else done?.reject(new Error(`${head.split('\r\n')[0]}: ${text}`))
  })
  socket.on('error', (error) => waiting?.reject(error))
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')))

  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        const body = request.body ?? ''
        const headers = Object.entries({ host, ...request.headers, 'content-length': String(Buffer.byteLength(body)) })
        const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
        socket.write(`${request.method} ${request.path} HTTP/1.1\r\n${lines}\r\n${body}`)
      }),
    close: () => socket.destroy(),
  }
}

/** The result of a load. */
export interface Load {
  /** Answers per second. */
  readonly rate: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

interface LoadInput {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  /** Returns the next request of a connection, given the answer to its last one. */
  readonly next: (connection: number, lastAnswer: string | undefined) => LoadRequest
}

/** Keeps every connection busy, and counts answers after a warm-up of half a second. */
export async function measureLoad(input: LoadInput): Promise<Load> {
  const open = await Promise.all(Array.from({ length: input.connections }, () => openLoadConnection(input.url)))
  const warm = performance.now() + 500
  const end = warm + input.seconds * 1_000
  const latencies: number[] = []
  try {
    await Promise.all(
      open.map(async (connection, index) => {
        let last: string | undefined
        while (performance.now() < end) {
          const request = input.next(index, last)
          const began = performance.now()
          last = await connection.ask(request)
          const now = performance.now()
          if (now >= warm && now < end) latencies.push(now - began)
        }
      }),
    )
  } finally {
    for (const connection of open) connection.close()
  }
  return summarize(latencies, input.seconds)
}

/** Sends a number of requests, instead of for a time, over connections that stay open. */
export interface CountedLoad extends Disposable {
  /** Resolves when `requests` requests have been answered. */
  send(requests: number): Promise<void>
}

export async function openCountedLoad(input: Omit<LoadInput, 'seconds'>): Promise<CountedLoad> {
  const open = await Promise.all(Array.from({ length: input.connections }, () => openLoadConnection(input.url)))
  return {
    async send(requests) {
      let left = requests
      await Promise.all(
        open.map(async (connection, index) => {
          while (left-- > 0) await connection.ask(input.next(index, undefined))
        }),
      )
    },
    [Symbol.dispose]() {
      for (const connection of open) connection.close()
    },
  }
}

/** @param latencies - milliseconds of each answer */
export function summarize(latencies: readonly number[], seconds: number): Load {
  return { rate: latencies.length / seconds, p50: median(latencies), p99: percentile(latencies, 0.99) }
}

/** @returns answers per second */
export async function measureRate(input: LoadInput): Promise<number> {
  return (await measureLoad(input)).rate
}
