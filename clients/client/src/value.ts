/** Something that has a value now and tells when it has another one. Fits React's `useSyncExternalStore`. */
export interface Value<T> {
  get(): T
  /**
   * @param listener - what it throws is reported as uncaught, as with an event's listeners, and concerns no other listener
   * @returns ends the subscription
   */
  subscribe(listener: () => void): () => void
}

export interface WritableValue<T> extends Value<T> {
  /** Listeners are told only when `next` is another value (`Object.is`). */
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

/** The value is set whatever a listener makes of it: neither who sets it nor the next listener may suffer. */
function tell(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
