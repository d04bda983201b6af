interface Waiting {
  readonly begin: () => void
}

/** Limits concurrent rendering. Users take turns, so a user's many requests delay only that user. */
export class DrawingQueue {
  readonly #atOnce: number
  readonly #waiting = new Map<string, Waiting[]>()
  #running = 0

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /**
   * @param person - fairness key; trusted backends share one
   * @throws the error of `draw`; the reason of `signal` if aborted while queued
   */
  async run<T>(person: string | undefined, signal: AbortSignal, draw: () => Promise<T>): Promise<T> {
    await this.#turn(person ?? '', signal)
    try {
      return await draw()
    } finally {
      this.#running--
      this.#next()
    }
  }

  #turn(person: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const own = (this.#waiting.get(person) ?? []).filter((one) => one !== waiting)
        if (own.length > 0) this.#waiting.set(person, own)
        else this.#waiting.delete(person)
        reject(signal.reason as Error)
      }
      const waiting: Waiting = {
        begin: () => {
          signal.removeEventListener('abort', leave)
          this.#running++
          resolve()
        },
      }
      this.#waiting.set(person, [...(this.#waiting.get(person) ?? []), waiting])
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
      this.#next()
    })
  }

  /** Starts the next job of the user who has waited longest, and moves that user to the end. */
  #next(): void {
    while (this.#running < this.#atOnce) {
      const [entry] = this.#waiting
      if (!entry) return
      const [person, [first, ...others]] = entry
      this.#waiting.delete(person)
      if (others.length > 0) this.#waiting.set(person, others)
      first?.begin()
    }
  }
}
