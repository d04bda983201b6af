import { parseJson } from '@holdfast/protocol'

/** Persistent store for small strings: the session and the last schema. `localStorage` is compatible. */
export interface KeyValueStore {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): void | Promise<void>
  removeItem(key: string): void | Promise<void>
}

/** A store in memory. */
export function memoryStore(): KeyValueStore {
  const entries = new Map<string, string>()
  return {
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
  }
}

/** The browser's store behind a {@link browserStore}. */
const areas = new WeakMap<KeyValueStore, Storage>()

/**
 * Wraps a browser store so that a full one does not lose data: what does not fit is kept until the page ends or another tab writes it. Otherwise a refreshed
 * session would be lost, and reusing the old token would make the server end it.
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
        console.warn(
          `holdfast: the browser has no room for "${key}". It is only kept until this page is closed.`,
          error,
        )
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

/** Returns the browser's store, or memory if unavailable. */
export function defaultStore(): KeyValueStore {
  try {
    const { localStorage } = globalThis as { localStorage?: Storage }
    return localStorage ? browserStore(localStorage) : memoryStore()
  } catch {
    return memoryStore() // a browser that forbids storage throws on reading the property
  }
}

/**
 * Calls back when another tab removes an entry. Only browser stores are shared between tabs.
 *
 * @returns unsubscribes
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

/** Reads a JSON value. Unreadable entries count as absent, because everything here can be fetched again. */
export async function readJson<T>(store: KeyValueStore, key: string): Promise<T | undefined> {
  const text = await store.getItem(key)
  return text === null ? undefined : (parseJson(text) as T | undefined)
}
