import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A web server that accepts webhooks and keeps their bodies, parsed as JSON. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly bodies: readonly unknown[]
}

/** Opens a {@link Receiver} on a free local port. */
export async function openReceiver(): Promise<Receiver> {
  const bodies: unknown[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      bodies.push(JSON.parse(body))
      response.end('thanks')
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`,
    bodies,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
