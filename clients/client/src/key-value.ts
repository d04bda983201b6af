/** Where a device keeps small texts between starts: the session and the last schema. `localStorage` is one. */
export interface KeyValueStore {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): void | Promise<void>
  removeItem(key: string): void | Promise<void>
}

/** Forgets everything at the end of the process. */
export function memoryStore(): KeyValueStore {
  const entries = new Map<string, string>()
  return {
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
  }
}

/** The browser's store, or memory where there is none or it is closed to this page. */
export function defaultStore(): KeyValueStore {
  try {
    const { localStorage } = globalThis as { localStorage?: Storage }
    return localStorage ?? memoryStore()
  } catch {
    return memoryStore() // a browser that forbids storage throws on reading the property
  }
}

/**
 * Tells when another tab removes an entry of the browser's store. Nobody else shares a store of another kind.
 *
 * @returns stops telling
 */
export function whenRemovedElsewhere(store: KeyValueStore, key: string, onRemoved: () => void): () => void {
  if (typeof window === 'undefined' || typeof Storage === 'undefined' || !(store instanceof Storage)) return () => {}
  const listen = (event: StorageEvent): void => {
    if (event.storageArea === store && event.key === key && event.newValue === null) onRemoved()
  }
  window.addEventListener('storage', listen)
  return () => window.removeEventListener('storage', listen)
}

/** Reads a JSON value that this code wrote. Anything unreadable counts as absent: all that is kept here can be fetched again. */
export async function readJson<T>(store: KeyValueStore, key: string): Promise<T | undefined> {
  const text = await store.getItem(key)
  if (text === null) return undefined
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined // half-written by an older version or another tab
  }
}
