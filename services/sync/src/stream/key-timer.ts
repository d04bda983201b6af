import { KEYS_HOLD_MS_MAX } from '../limits.ts'

/** Tells when keys have to be evaluated again because of the clock. */
export interface KeyTimer {
  /** @param ms - until then the keys hold; `undefined`: the clock does not change them */
  set(ms: number | undefined): void
  stop(): void
}

export function createKeyTimer(onDue: () => void): KeyTimer {
  let timer: NodeJS.Timeout | undefined
  return {
    set(ms) {
      clearTimeout(timer)
      if (ms === undefined) return
      timer = setTimeout(onDue, Math.min(Math.max(0, Math.ceil(ms)) + 1, KEYS_HOLD_MS_MAX))
      timer.unref()
    },
    stop: () => clearTimeout(timer),
  }
}
