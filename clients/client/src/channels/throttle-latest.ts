export interface Throttled<Arguments extends readonly unknown[]> {
  (...values: Arguments): void
  /** Forgets what has not run yet. */
  cancel(): void
}

/** Runs a call at once, and of those that come within the interval after it only the newest, at its end. */
export function throttleLatest<Arguments extends readonly unknown[]>(
  run: (...values: Arguments) => void,
  everyMs: number,
): Throttled<Arguments> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let waiting: Arguments | undefined
  const next = (): void => {
    timer = undefined
    const values = waiting
    if (values === undefined) return
    waiting = undefined
    timer = setTimeout(next, everyMs)
    run(...values)
  }
  const throttled = (...values: Arguments): void => {
    waiting = values
    if (timer === undefined) next()
  }
  return Object.assign(throttled, {
    cancel() {
      clearTimeout(timer)
      timer = undefined
      waiting = undefined
    },
  })
}
