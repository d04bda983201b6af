/** A connection with buffered bytes. */
export interface Arriving {
  readonly address: string
  /** Disconnects immediately and drops the buffered bytes. */
  cut(): void
}

/**
 * Global limit for received but unhandled bytes: incomplete messages and queued ones. Beyond the limit, the address with the most bytes loses its oldest such
 * connection, so senders of large incomplete messages affect only themselves.
 */
export class ArrivingBytes {
  readonly #bytesMax: number
  readonly #addresses = new Map<string, Map<Arriving, number>>()
  readonly #bytesOf = new Map<string, number>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  add(connection: Arriving, bytes: number): void {
    const { address } = connection
    const own = this.#addresses.get(address) ?? new Map<Arriving, number>()
    own.set(connection, (own.get(connection) ?? 0) + bytes)
    this.#addresses.set(address, own)
    this.#count(address, bytes)
    while (this.#bytes > this.#bytesMax) this.#cutOne()
  }

  /** No-op for a closed connection. */
  remove(connection: Arriving, bytes: number): void {
    const own = this.#addresses.get(connection.address)
    const kept = own?.get(connection)
    if (!own || kept === undefined) return
    if (kept > bytes) own.set(connection, kept - bytes)
    else own.delete(connection)
    if (own.size === 0) this.#addresses.delete(connection.address)
    this.#count(connection.address, -Math.min(bytes, kept))
  }

  /** Call when the connection has closed. */
  end(connection: Arriving): void {
    this.remove(connection, Number.POSITIVE_INFINITY)
  }

  #count(address: string, change: number): void {
    this.#bytes += change
    const now = (this.#bytesOf.get(address) ?? 0) + change
    if (now === 0) this.#bytesOf.delete(address)
    else this.#bytesOf.set(address, now)
  }

  #cutOne(): void {
    let heaviest: string | undefined
    for (const [address, bytes] of this.#bytesOf)
      if (heaviest === undefined || bytes > (this.#bytesOf.get(heaviest) ?? 0)) heaviest = address
    const [first] = this.#addresses.get(heaviest ?? '')?.keys() ?? []
    if (!first) return
    this.end(first)
    first.cut()
  }
}
