/** Lets at most some callers through at once; the others wait in order. */
export interface Semaphore {
  run<T>(body: () => Promise<T>): Promise<T>
  /** How often somebody was let through. */
  readonly entered: number
}

export function createSemaphore(places: number): Semaphore {
  let free = places
  let entered = 0
  const waiting: (() => void)[] = []
  return {
    get entered() {
      return entered
    },
    async run(body) {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      entered++
      try {
        return await body()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else free++
      }
    },
  }
}
