/** An observable value, compatible with React's `useSyncExternalStore`. */
export interface Value<T> {
  get(): T
  /**
   * @param listener - errors are reported as uncaught and do not affect other listeners
   * @returns unsubscribes
   */
  subscribe(listener: () => void): () => void
}

export interface WritableValue<T> extends Value<T> {
  /** Notifies listeners only if the value differs (`Object.is`). */
  set(next: T): void
}

export function createValue<T>(initial: T): WritableValue<T> {
  let current = initial
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    set(next) {
      if (Object.is(current, next)) return
      current = next
      for (const listener of listeners) tell(listener)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Isolates listener errors from the setter and other listeners. */
function tell(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
