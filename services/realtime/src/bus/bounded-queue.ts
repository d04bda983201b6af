/** A queue with limits on the number and bytes of its items. */
export class BoundedQueue<T> {
  readonly #itemsMax: number
  readonly #bytesMax: number
  #items: { readonly item: T; readonly bytes: number }[] = []
  #first = 0
  #bytes = 0

  constructor(itemsMax: number, bytesMax: number) {
    this.#itemsMax = itemsMax
    this.#bytesMax = bytesMax
  }

  get isEmpty(): boolean {
    return this.#first === this.#items.length
  }

  /** @returns `false` if there is no room */
  push(item: T, bytes: number): boolean {
    if (this.#items.length - this.#first >= this.#itemsMax || this.#bytes + bytes > this.#bytesMax) return false
    this.#items.push({ item, bytes })
    this.#bytes += bytes
    return true
  }

  /** Returns the first items: at least one if there is any, and no more than the limits allow. */
  peek(itemsMax: number, bytesMax: number): readonly T[] {
    const taken: T[] = []
    let sum = 0
    for (let index = this.#first; index < this.#items.length && taken.length < itemsMax; index++) {
      const { item, bytes } = this.#items[index] as { readonly item: T; readonly bytes: number }
      sum += bytes
      if (taken.length > 0 && sum > bytesMax) break
      taken.push(item)
    }
    return taken
  }

  /** Removes the first items. */
  drop(count: number): void {
    for (let dropped = 0; dropped < count && !this.isEmpty; dropped++) {
      this.#bytes -= this.#items[this.#first]?.bytes ?? 0
      this.#first++
    }
    // Amortized, each item is copied at most once.
    if (this.#first * 2 < this.#items.length) return
    this.#items = this.#items.slice(this.#first)
    this.#first = 0
  }
}
