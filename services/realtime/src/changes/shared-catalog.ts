interface Reading {
  readonly value: Promise<unknown>
  readonly beganAtMs: number
}

/**
 * What joins read of the catalog: those that come together, or within some seconds, are answered by one reading. What is not there is looked for again by the next
 * one, because whoever asks may just have made it.
 */
export class SharedCatalog {
  readonly #lifetimeMs: number
  readonly #readings = new Map<string, Reading>()

  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs
  }

  /** @param read - `undefined` for what is not there */
  async read<T>(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const known = this.#readings.get(key)
    if (known && performance.now() - known.beganAtMs < this.#lifetimeMs) {
      const value = (await known.value.catch(() => undefined)) as T | undefined
      if (value !== undefined) return value
    }
    // Another of those who waited for the same may have begun to look again.
    const later = this.#readings.get(key)
    return (await (later && later !== known ? later : this.#begin(key, read)).value) as T | undefined
  }

  /** The schema has changed. */
  clear(): void {
    this.#readings.clear()
  }

  #begin(key: string, read: () => Promise<unknown>): Reading {
    const reading: Reading = { value: read(), beganAtMs: performance.now() }
    this.#readings.set(key, reading)
    const forget = (): void => {
      if (this.#readings.get(key) === reading) this.#readings.delete(key)
    }
    void reading.value.then((value) => {
      if (value === undefined) forget()
      else setTimeout(forget, this.#lifetimeMs).unref()
    }, forget)
    return reading
  }
}
