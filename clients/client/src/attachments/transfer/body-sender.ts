/** A request whose body is the bytes of a file. */
export interface BodyRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Blob
  readonly signal: AbortSignal
  /** How many bytes of the body the network has taken so far. Called only by senders that {@link BodySender.tellsProgress}. */
  readonly onProgress: (sentBytes: number) => void
}

/** Sends bodies. `fetch` does not tell how far it is, so that a dead line looks like a slow one for as long as a slow line would need. */
export interface BodySender {
  readonly tellsProgress: boolean
  send(url: string, request: BodyRequest): Promise<Response>
}

/**
 * The best sender that there is here.
 *
 * @param ownFetch - the app's own: everything goes through it, and the kit cannot know what it does with a body before it has answered
 */
export function chooseBodySender(ownFetch: typeof globalThis.fetch | undefined): BodySender {
  if (ownFetch) return fetchSender(ownFetch)
  if (globalThis.XMLHttpRequest !== undefined) return xhrSender
  return (globalThis as { readonly process?: unknown }).process === undefined ? fetchSender(fetch) : streamSender
}

/** Any `fetch`, and no progress. */
export function fetchSender(fetch: typeof globalThis.fetch): BodySender {
  return {
    tellsProgress: false,
    send: (url, request) => fetch(url, request),
  }
}

/** For Node: its `fetch` reads a stream no faster than the connection takes it. Browsers do that over HTTP/2 only. */
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
        if (sentBytes > 0) onProgress(sentBytes) // what was given before has been taken
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
      request.addEventListener('error', () => reject(new TypeError('The connection was lost while the file was sent.')))
      request.send(body)
    }),
}

/** Statuses of answers without a body; `Response` refuses to make them with one. */
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
