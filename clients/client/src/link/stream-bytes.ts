/** Channel on which the worker with the stream reports received bytes. */
const CHANNEL = 'holdfast-stream'
/** Report interval in ms. */
const TELL_EVERY_MS = 1_000

/**
 * Wraps `fetch` to report bytes of the sync stream to the pages of this origin. In `@powersync/web` a shared worker reads the stream, so the page sees neither
 * bytes nor keepalives. Call it in the worker before loading the SDK's.
 *
 * @param name - the worker's, which includes the database's file name
 */
export function tellStreamBytes(fetch: typeof globalThis.fetch, name: string): typeof globalThis.fetch {
  const channel = new BroadcastChannel(CHANNEL)
  let toldAt = Number.NEGATIVE_INFINITY
  const tell = (): void => {
    const at = performance.now()
    if (at - toldAt < TELL_EVERY_MS) return
    toldAt = at
    channel.postMessage(name)
  }
  return async (resource, request) => {
    const response = await fetch(resource, request)
    const url = resource instanceof Request ? resource.url : String(resource)
    if (!new URL(url, globalThis.location.href).pathname.endsWith('/sync/stream') || !response.body) return response
    tell()
    const told = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        tell()
        controller.enqueue(chunk)
      },
    })
    return new Response(response.body.pipeThrough(told), response)
  }
}

/** Listens to {@link tellStreamBytes} for a user's database. No-op outside a page. */
export function hearStreamBytes(userId: string, onBytes: () => void): Disposable {
  if (globalThis.document === undefined) return { [Symbol.dispose]: () => undefined }
  const channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data === 'string' && data.includes(userId)) onBytes()
  })
  return { [Symbol.dispose]: () => channel.close() }
}
