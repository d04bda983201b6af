/** Limits concurrent rechecks of rights. */
export class RightsTurns {
  readonly #max: number
  #taken = 0

  constructor(max: number) {
    this.#max = max
  }

  /** @returns `undefined` if the limit is reached; retry later */
  take(): Disposable | undefined {
    if (this.#taken >= this.#max) return undefined
    this.#taken++
    return { [Symbol.dispose]: () => void this.#taken-- }
  }
}
