/** Browser cache for map files. */
export const MAP_CACHE = 'holdfast-map'

/** Deletes cached map files, which reveal viewed locations. */
export async function forgetMapFiles(): Promise<void> {
  if ('caches' in globalThis) await caches.delete(MAP_CACHE)
}
