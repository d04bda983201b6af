/** Token bucket whose capacity is one second of its rate. */
export class Rate {
  readonly #perSecond: number
  readonly #capacity: number
  #left: number
  #at: number

  /** @param perSecond - 0 for unlimited */
  constructor(perSecond: number, nowMs: number, capacity = perSecond) {
    this.#perSecond = perSecond
    this.#capacity = capacity
    this.#left = capacity
    this.#at = nowMs
  }

  /** Takes `amount` if available. @returns whether it was */
  take(amount: number, nowMs: number): boolean {
    if (this.#perSecond === 0) return true
    this.#refill(nowMs)
    if (this.#left < amount) return false
    this.#left -= amount
    return true
  }

  /**
   * Takes `amount` even if it exceeds the balance.
   *
   * @returns ms until the balance is no longer negative
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
