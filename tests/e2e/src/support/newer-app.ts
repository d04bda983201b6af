import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

/** A server whose app can get newer: everything is passed on, but for the service worker, which is another one with each release. */
export interface NewerApp extends AsyncDisposable {
  readonly url: string
  release(): void
  /** Paths for which something between answers, as a hotel's network does: with a page, as a success; or nothing ever does. `undefined`: none any more. */
  answerInstead(paths: RegExp | undefined, answer?: 'page' | 'never'): void
  /** How often that has happened. */
  readonly instead: number
}

const WORKER = '/service-worker.js'

/** @param target - the server's address */
export async function openNewerApp(target: string): Promise<NewerApp> {
  const { hostname, port } = new URL(target)
  let version = 0
  let paths: RegExp | undefined
  let withWhat: 'page' | 'never' = 'page'
  let instead = 0
  const server = createServer((asked, answer) => {
    if (paths?.test(asked.url ?? '')) {
      instead += 1
      if (withWhat === 'never') return
      return void answer.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title>')
    }
    const isWorker = asked.url === WORKER
    // As it stands in the file, whatever the browser has of it.
    const { 'accept-encoding': _encoding, 'if-none-match': _known, ...plain } = asked.headers
    const headers = isWorker ? plain : asked.headers
    const passed = request({ hostname, port, path: asked.url, method: asked.method, headers }, (from) => {
      if (isWorker) void sendWorker(from, answer, version)
      else from.pipe(answer.writeHead(from.statusCode ?? 502, from.headers))
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  server.on('upgrade', (asked: IncomingMessage, near, head) => {
    const far = connect(Number(port), hostname, () => {
      const lines = [`${asked.method} ${asked.url} HTTP/1.1`]
      for (let at = 0; at < asked.rawHeaders.length; at += 2)
        lines.push(`${asked.rawHeaders[at]}: ${asked.rawHeaders[at + 1]}`)
      far.write(`${lines.join('\r\n')}\r\n\r\n`)
      far.write(head)
      near.pipe(far).pipe(near)
    })
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release() {
      version += 1
    },
    answerInstead(given, what = 'page') {
      paths = given
      withWhat = what
    },
    get instead() {
      return instead
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => {
        server.close(resolve)
      })
      server.closeAllConnections()
      await closed
    },
  }
}

async function sendWorker(from: IncomingMessage, answer: ServerResponse, version: number): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of from) parts.push(part as Buffer)
  const { etag: _etag, 'content-length': _length, ...headers } = from.headers
  answer.writeHead(from.statusCode ?? 502, headers).end(`${Buffer.concat(parts).toString()}\n// version ${version}\n`)
}
