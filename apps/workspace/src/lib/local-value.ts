import * as v from 'valibot'

/**
 * A small JSON value in this browser's `localStorage`, checked when it is read.
 *
 * A value that is absent, broken or of an older shape reads as `undefined`; when the browser refuses storage, a write is
 * kept for this page only, so that the app goes on.
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
    // Storage is switched off: the value in memory is the answer.
    return undefined
  }
}
