/** Where the browser keeps what a map was drawn from. */
export const MAP_CACHE = 'holdfast-map'

/** Removes from this device what tells where people have looked at a map. */
export async function forgetMapFiles(): Promise<void> {
  if ('caches' in globalThis) await caches.delete(MAP_CACHE)
}
