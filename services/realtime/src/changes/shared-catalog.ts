interface Reading {
  readonly value: Promise<unknown>
  readonly beganAtMs: number
}

/**
 * Catalog cache for joins: concurrent requests and those within some seconds share one read. Absent entries are read again by the next request, because they
 * may have just been created.
 */
export class SharedCatalog {
  readonly #lifetimeMs: number
  readonly #readings = new Map<string, Reading>()

  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs
  }

  /** @param read - returns `undefined` for absent entries */
  async read<T>(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const known = this.#readings.get(key)
    if (known && performance.now() - known.beganAtMs < this.#lifetimeMs) {
      const value = (await known.value.catch(() => undefined)) as T | undefined
      if (value !== undefined) return value
    }
    // Another waiter may have started a new read.
    const later = this.#readings.get(key)
    return (await (later && later !== known ? later : this.#begin(key, read)).value) as T | undefined
  }

  /** Call when the schema has changed. */
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
