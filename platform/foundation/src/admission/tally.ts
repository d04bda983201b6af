/** Counts per key and in total. A key whose count is zero takes no memory. */
export class Tally<Key> {
  readonly #counts = new Map<Key, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  /** Keys whose count is not zero. */
  get keys(): number {
    return this.#counts.size
  }

  of(key: Key | undefined): number {
    return key === undefined ? 0 : (this.#counts.get(key) ?? 0)
  }

  /** @param key - `undefined` counts in the total only */
  add(key: Key | undefined, change: number): void {
    this.#total += change
    if (key === undefined) return
    const count = this.of(key) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}
