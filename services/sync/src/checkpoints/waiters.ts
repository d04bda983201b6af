/** A value that grows, and what waits for it. */
export class Waiters<T extends number | bigint> {
  #current: T
  #waiting: { readonly until: T; readonly resolve: () => void }[] = []

  constructor(current: T) {
    this.#current = current
  }

  get current(): T {
    return this.#current
  }

  /** Begins at another value, which may be lower: what was waited for may never come, so that everything is let go. */
  restart(value: T): void {
    this.#current = value
    const waiting = this.#waiting
    this.#waiting = []
    for (const { resolve } of waiting) resolve()
  }

  /** Sets the value, which may be lower after a reset, and lets go what has waited for it. */
  moveTo(value: T): void {
    this.#current = value
    if (this.#waiting.length === 0) return
    const ready = this.#waiting.filter(({ until }) => until <= value)
    if (ready.length === 0) return
    this.#waiting = this.#waiting.filter(({ until }) => until > value)
    for (const { resolve } of ready) resolve()
  }

  /** Resolves once the value has reached `until`. Rejects when the signal aborts before. */
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
