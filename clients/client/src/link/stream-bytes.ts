/** Where the worker that has the stream tells the page about its bytes. */
const CHANNEL = 'holdfast-stream'
/** Bytes are told of at most this often, in milliseconds. */
const TELL_EVERY_MS = 1_000

/**
 * A `fetch` that tells the pages of this origin when bytes come on the sync stream. With `@powersync/web` the stream is read in a shared worker, where the page
 * sees neither its bytes nor its keepalives: call it there, before the SDK's worker is loaded.
 *
 * @param name - the worker's, which has the name of the database file in it
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

/** Hears what {@link tellStreamBytes} tells about the database of a person. Without a page nothing is told. */
export function hearStreamBytes(userId: string, onBytes: () => void): Disposable {
  if (globalThis.document === undefined) return { [Symbol.dispose]: () => undefined }
  const channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data === 'string' && data.includes(userId)) onBytes()
  })
  return { [Symbol.dispose]: () => channel.close() }
}
