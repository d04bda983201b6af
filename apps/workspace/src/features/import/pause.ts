/** Longest time in ms that work on a file keeps the page from rendering and reacting. */
const SLICE_MS = 30

/**
 * Returns a function to await between steps of long work: it lets the page render and react whenever the work has kept it for a while.
 *
 * @throws the abort reason of `signal`
 */
export function pausing(signal?: AbortSignal): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    signal?.throwIfAborted()
    if (performance.now() - since < SLICE_MS) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      since = performance.now()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
    return promise
  }
}
