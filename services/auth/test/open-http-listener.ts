import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request as it came. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What to answer; objects as JSON. */
export interface ListenerAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string
  readonly delayMs?: number
  /** The connection ends behind the body, whatever length was announced. */
  readonly breaksOff?: boolean
}

/** A service on this machine that is asked over HTTP. */
export interface HttpListener extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** Given the number of requests so far, with this one. */
  answer: (request: ReceivedRequest, count: number) => ListenerAnswer | Promise<ListenerAnswer>
}

export async function openHttpListener(answer: HttpListener['answer']): Promise<HttpListener> {
  const requests: ReceivedRequest[] = []
  const read = async (message: IncomingMessage): Promise<ReceivedRequest> => ({
    method: message.method ?? '',
    path: message.url ?? '',
    headers: message.headers,
    body: await text(message),
  })
  const server = createServer((message, response) => {
    void read(message).then(async (request) => {
      requests.push(request)
      const {
        status = 200,
        headers = {},
        body,
        delayMs = 0,
        breaksOff = false,
      } = await listener.answer(request, requests.length)
      const isJson = typeof body === 'object'
      const written = isJson ? JSON.stringify(body) : (body ?? '')
      setTimeout(() => {
        response.writeHead(status, { ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers })
        if (breaksOff) response.write(written, () => response.destroy())
        else response.end(written)
      }, delayMs)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const listener: HttpListener = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return listener
}
