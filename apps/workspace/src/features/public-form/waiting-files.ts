const CACHE = 'hf-form-files'
const addressOf = (id: string): string => `/hf-form-files/${id}`

/** Files for this page only: in a browser that stores none, and on a page without a secure connection. */
const ofPage = new Map<string, Blob>()

/** Stores the bytes of a file until its answer is sent. @returns whether the browser stores them beyond this page */
export async function keepFile(id: string, bytes: Blob): Promise<boolean> {
  ofPage.set(id, bytes)
  try {
    const cache = await caches.open(CACHE)
    await cache.put(addressOf(id), new Response(bytes))
    ofPage.delete(id)
    return true
  } catch (error) {
    console.info('A file is kept for this page only.', error)
    return false
  }
}

/** @returns `undefined` if the browser has lost it */
export async function readFile(id: string): Promise<Blob | undefined> {
  const kept = ofPage.get(id)
  if (kept) return kept
  if (!('caches' in globalThis)) return undefined
  const found = await caches.match(addressOf(id), { cacheName: CACHE })
  return found?.blob()
}

export async function forgetFiles(ids: readonly string[]): Promise<void> {
  for (const id of ids) ofPage.delete(id)
  if (!('caches' in globalThis) || ids.length === 0) return
  const cache = await caches.open(CACHE)
  await Promise.all(ids.map((id) => cache.delete(addressOf(id))))
}
