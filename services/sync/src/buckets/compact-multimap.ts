/** A multimap that stores a lone value inline, because most keys have exactly one. */
export class CompactMultimap<T extends object> {
  readonly #byKey = new Map<string, T | Set<T>>()

  /** Number of keys with values. */
  get size(): number {
    return this.#byKey.size
  }

  keys(): Iterable<string> {
    return this.#byKey.keys()
  }

  has(key: string): boolean {
    return this.#byKey.has(key)
  }

  add(key: string, one: T): void {
    const some = this.#byKey.get(key)
    if (some === undefined) this.#byKey.set(key, one)
    else if (some instanceof Set) some.add(one)
    else if (some !== one) this.#byKey.set(key, new Set([some, one]))
  }

  delete(key: string, one: T): void {
    const some = this.#byKey.get(key)
    if (some instanceof Set) some.delete(one)
    if (some === one || (some instanceof Set && some.size === 0)) this.#byKey.delete(key)
  }

  countOf(key: string): number {
    const some = this.#byKey.get(key)
    if (some === undefined) return 0
    return some instanceof Set ? some.size : 1
  }

  of(key: string): Iterable<T> {
    const some = this.#byKey.get(key)
    if (some === undefined) return []
    return some instanceof Set ? some : [some]
  }

  *all(): Generator<T> {
    for (const key of this.#byKey.keys()) yield* this.of(key)
  }
}
