import * as v from 'valibot'

/**
 * A small JSON value in `localStorage`, validated on reading.
 *
 * Absent, broken or outdated values read as `undefined`. If the browser refuses storage, writes are kept for this page only.
 */
export interface LocalValue<T> {
  readonly read: () => T | undefined
  readonly write: (value: T) => void
  readonly clear: () => void
}

export function localValue<T>(key: string, schema: v.GenericSchema<unknown, T>): LocalValue<T> {
  let memory: T | undefined
  return {
    read: () => {
      const text = readText(key)
      if (text === undefined) return memory
      const result = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text)
      return result.success ? result.output : undefined
    },
    write: (value) => {
      memory = value
      try {
        localStorage.setItem(key, JSON.stringify(value))
      } catch (error) {
        console.warn(`The browser did not keep "${key}".`, error)
      }
    },
    clear: () => {
      memory = undefined
      try {
        localStorage.removeItem(key)
      } catch (error) {
        console.warn(`The browser did not remove "${key}".`, error)
      }
    },
  }
}

function readText(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    // Storage is disabled: use the value in memory.
    return undefined
  }
}
