/** A rate with room for a burst: as much as one second allows. */
export class Rate {
  readonly #perSecond: number
  readonly #capacity: number
  #left: number
  #at: number

  /** @param perSecond - 0 for no limit */
  constructor(perSecond: number, nowMs: number, capacity = perSecond) {
    this.#perSecond = perSecond
    this.#capacity = capacity
    this.#left = capacity
    this.#at = nowMs
  }

  /** Whether so much is still allowed; counts it if it is. */
  take(amount: number, nowMs: number): boolean {
    if (this.#perSecond === 0) return true
    this.#refill(nowMs)
    if (this.#left < amount) return false
    this.#left -= amount
    return true
  }

  /**
   * Counts what has been used already, which may be more than is left.
   *
   * @returns milliseconds until the rate is kept again
   */
  use(amount: number, nowMs: number): number {
    if (this.#perSecond === 0) return 0
    this.#refill(nowMs)
    this.#left -= amount
    return this.#left >= 0 ? 0 : Math.ceil((-this.#left / this.#perSecond) * 1_000)
  }

  #refill(nowMs: number): void {
    const passed = Math.max(0, nowMs - this.#at)
    this.#left = Math.min(this.#capacity, this.#left + (passed / 1_000) * this.#perSecond)
    this.#at = nowMs
  }
}
