/** Lets a bounded number of members have their rights asked again at the same time. */
export class RightsTurns {
  readonly #max: number
  #taken = 0

  constructor(max: number) {
    this.#max = max
  }

  /** @returns `undefined` when it is the turn of others: try again later */
  take(): Disposable | undefined {
    if (this.#taken >= this.#max) return undefined
    this.#taken++
    return { [Symbol.dispose]: () => void this.#taken-- }
  }
}
