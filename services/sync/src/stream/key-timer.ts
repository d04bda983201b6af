import { KEYS_HOLD_MS_MAX } from '../limits.ts'

/** Tells when keys have to be evaluated again because of the clock. */
export class KeyTimer {
  readonly #onDue: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(onDue: () => void) {
    this.#onDue = onDue
  }

  /** @param ms - until then the keys hold; `undefined`: the clock does not change them */
  set(ms: number | undefined): void {
    clearTimeout(this.#timer)
    if (ms === undefined) return
    this.#timer = setTimeout(this.#onDue, Math.min(Math.max(0, Math.ceil(ms)) + 1, KEYS_HOLD_MS_MAX))
    this.#timer.unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
