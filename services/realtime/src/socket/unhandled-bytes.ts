import { Tally } from '@holdfast/foundation'

/** A connection with buffered bytes. */
export interface UnhandledConnection {
  readonly address: string
  /** Disconnects immediately and drops the buffered bytes. */
  cut(): void
}

/**
 * Global limit for received but unhandled bytes: incomplete messages and queued ones. Beyond the limit, the address with the most bytes loses its oldest such
 * connection, so senders of large incomplete messages affect only themselves.
 */
export class UnhandledBytes {
  readonly #bytesMax: number
  readonly #addresses = new Map<string, Map<UnhandledConnection, number>>()
  readonly #bytes = new Tally<string>()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes.total
  }

  add(connection: UnhandledConnection, bytes: number): void {
    const { address } = connection
    const own = this.#addresses.get(address) ?? new Map<UnhandledConnection, number>()
    own.set(connection, (own.get(connection) ?? 0) + bytes)
    this.#addresses.set(address, own)
    this.#bytes.add(address, bytes)
    while (this.#bytes.total > this.#bytesMax) this.#cutOne()
  }

  /** No-op for a closed connection. */
  remove(connection: UnhandledConnection, bytes: number): void {
    const own = this.#addresses.get(connection.address)
    const kept = own?.get(connection)
    if (!own || kept === undefined) return
    if (kept > bytes) own.set(connection, kept - bytes)
    else own.delete(connection)
    if (own.size === 0) this.#addresses.delete(connection.address)
    this.#bytes.add(connection.address, -Math.min(bytes, kept))
  }

  /** Call when the connection has closed. */
  end(connection: UnhandledConnection): void {
    this.remove(connection, Number.POSITIVE_INFINITY)
  }

  #cutOne(): void {
    let heaviest: string | undefined
    for (const address of this.#addresses.keys())
      if (heaviest === undefined || this.#bytes.of(address) > this.#bytes.of(heaviest)) heaviest = address
    const [first] = this.#addresses.get(heaviest ?? '')?.keys() ?? []
    if (!first) return
    this.end(first)
    first.cut()
  }
}
