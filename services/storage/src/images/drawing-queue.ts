interface Waiting {
  readonly begin: () => void
}

/**
 * Draws so many images at a time. People take turns: whoever asks for many waits behind their own.
 */
export class DrawingQueue {
  readonly #atOnce: number
  readonly #waiting = new Map<string, Waiting[]>()
  #running = 0

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /**
   * @param person - on whose behalf; those who are trusted with everything share a place
   * @throws what `draw` throws; the reason of `signal` when it is aborted before its turn
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

  /** The first of whoever has waited longest for a turn, who then goes to the end. */
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
