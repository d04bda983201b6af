/** A growing value that callers can wait for. */
export class Waiters<T extends number | bigint> {
  #current: T
  #waiting: { readonly until: T; readonly resolve: () => void }[] = []

  constructor(current: T) {
    this.#current = current
  }

  get current(): T {
    return this.#current
  }

  /** Restarts at another value, possibly lower, and resolves all waits, because their values may never be reached. */
  restart(value: T): void {
    this.#current = value
    const waiting = this.#waiting
    this.#waiting = []
    for (const { resolve } of waiting) resolve()
  }

  /** Sets the value, possibly lower after a reset, and resolves waits that it has reached. */
  moveTo(value: T): void {
    this.#current = value
    if (this.#waiting.length === 0) return
    const ready = this.#waiting.filter(({ until }) => until <= value)
    if (ready.length === 0) return
    this.#waiting = this.#waiting.filter(({ until }) => until > value)
    for (const { resolve } of ready) resolve()
  }

  /** Resolves when the value reaches `until`. Rejects if the signal aborts first. */
  async wait(until: T, signal?: AbortSignal): Promise<void> {
    if (this.#current >= until) return
    signal?.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting = this.#waiting.filter((entry) => entry !== waiter)
        reject(signal?.reason as Error)
      }
      const waiter = {
        until,
        resolve: () => {
          signal?.removeEventListener('abort', onAbort)
          resolve()
        },
      }
      this.#waiting.push(waiter)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }
}
