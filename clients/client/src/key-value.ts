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

/** The browser's store behind a store of {@link browserStore}. */
const areas = new WeakMap<KeyValueStore, Storage>()

/**
 * A browser's store that a full one does not break: what it has no room for is kept until the page ends, or until another tab writes it. A renewed session that is
 * kept nowhere would be asked for again with a token that has been used, until the server ends it.
 */
export function browserStore(area: Storage): KeyValueStore {
  const unkept = new Map<string, string>()
  const store: KeyValueStore = {
    getItem: (key) => unkept.get(key) ?? area.getItem(key),
    setItem(key, value) {
      try {
        area.setItem(key, value)
        unkept.delete(key)
      } catch (error) {
        console.warn(`holdfast: the browser has no room for "${key}". It is kept until this page is closed.`, error)
        unkept.set(key, value)
      }
    },
    removeItem(key) {
      unkept.delete(key)
      area.removeItem(key)
    },
  }
  areas.set(store, area)
  if (typeof window !== 'undefined') {
    window.addEventListener('storage', ({ storageArea, key }) => {
      if (storageArea !== area) return
      if (key === null) unkept.clear()
      else unkept.delete(key)
    })
  }
  return store
}

/** The browser's store, or memory where there is none or it is closed to this page. */
export function defaultStore(): KeyValueStore {
  try {
    const { localStorage } = globalThis as { localStorage?: Storage }
    return localStorage ? browserStore(localStorage) : memoryStore()
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
  const area = areaOf(store)
  if (typeof window === 'undefined' || !area) return () => {}
  const listen = (event: StorageEvent): void => {
    if (event.storageArea === area && event.key === key && event.newValue === null) onRemoved()
  }
  window.addEventListener('storage', listen)
  return () => window.removeEventListener('storage', listen)
}

function areaOf(store: KeyValueStore): Storage | undefined {
  return areas.get(store) ?? (typeof Storage !== 'undefined' && store instanceof Storage ? store : undefined)
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
