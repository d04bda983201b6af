/** Lets at most some callers through at once; the others wait in order. */
export interface Semaphore {
  run<T>(body: () => Promise<T>): Promise<T>
}

export function createSemaphore(places: number): Semaphore {
  let free = places
  const waiting: (() => void)[] = []
  return {
    async run(body) {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
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
