export interface Throttled<Arguments extends readonly unknown[]> {
  (...values: Arguments): void
  /** Drops the pending call. */
  cancel(): void
}

/** Runs a call immediately; of further calls within the interval only the last, at its end. */
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
