/** A request with a file as its body. */
export interface BodyRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Blob
  readonly signal: AbortSignal
  /** Bytes of the body accepted by the network so far. Called only by senders with {@link BodySender.tellsProgress}. */
  readonly onProgress: (sentBytes: number) => void
}

/** Sends request bodies. `fetch` reports no progress, so a dead connection looks like a slow one for as long as a slow one would take. */
export interface BodySender {
  readonly tellsProgress: boolean
  send(url: string, request: BodyRequest): Promise<Response>
}

/**
 * Chooses the best available sender.
 *
 * @param ownFetch - the app's own `fetch`, through which everything must go, without progress
 */
export function chooseBodySender(ownFetch: typeof globalThis.fetch | undefined): BodySender {
  if (ownFetch) return fetchSender(ownFetch)
  if (globalThis.XMLHttpRequest !== undefined) return xhrSender
  return (globalThis as { readonly process?: unknown }).process === undefined ? fetchSender(fetch) : streamSender
}

/** Works with any `fetch`, without progress. */
export function fetchSender(fetch: typeof globalThis.fetch): BodySender {
  return {
    tellsProgress: false,
    send: (url, request) => fetch(url, request),
  }
}

/** For Node, whose `fetch` reads a stream as fast as the connection accepts it. Browsers support streams only over HTTP/2. */
export const streamSender: BodySender = {
  tellsProgress: true,
  send(url, { method, headers, body, signal, onProgress }) {
    const init: RequestInit & { readonly duplex: 'half' } = {
      method,
      headers: { ...headers, 'content-length': String(body.size) },
      body: body.size === 0 ? body : counted(body, onProgress),
      duplex: 'half',
      signal,
    }
    return fetch(url, init)
  },
}

function counted(body: Blob, onProgress: (sentBytes: number) => void): ReadableStream<Uint8Array> {
  const reader = body.stream().getReader()
  let sentBytes = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sentBytes > 0) onProgress(sentBytes) // the previous chunk has been accepted
        const { done, value } = await reader.read()
        if (done) return controller.close()
        sentBytes += value.length
        controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** For browsers. */
export const xhrSender: BodySender = {
  tellsProgress: true,
  send: (url, { method, headers, body, signal, onProgress }) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const request = new XMLHttpRequest()
      request.open(method, url)
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
      request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
      const stop = (): void => {
        request.abort()
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', stop, { once: true })
      request.addEventListener('loadend', () => signal.removeEventListener('abort', stop))
      request.addEventListener('load', () => resolve(toResponse(request)))
      request.addEventListener('error', () => reject(new TypeError('The connection was lost while sending the file.')))
      request.send(body)
    }),
}

/** Statuses without a body, with which `Response` cannot be constructed. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

function toResponse(request: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  const { status } = request
  return new Response(BODILESS.has(status) ? null : request.responseText, { status, headers })
}
