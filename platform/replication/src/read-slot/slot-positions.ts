import type { Lsn } from '../lsn.ts'

/** How far a slot has been read, delivered and confirmed. Fields and not a value per state: they change with every transaction. */
export class SlotPositions {
  #confirmed: bigint
  /** What has to be confirmed before nothing delivered is outstanding. */
  #outstanding = 0n
  /** Up to here the server has sent all there is. */
  #received = 0n
  #flushedSent = 0n
  /** The last `progress`; the server repeats itself. */
  #reported = 0n

  constructor(confirmed: bigint) {
    this.#confirmed = confirmed
  }

  get confirmed(): Lsn {
    return this.#confirmed as Lsn
  }

  /** WAL that Postgres could drop if it were told. */
  get unsentBytes(): bigint {
    return this.#confirmed - this.#flushedSent
  }

  /** Whether all that was delivered is confirmed. */
  get isIdle(): boolean {
    return this.#confirmed >= this.#outstanding
  }

  /** @returns whether that is further than before */
  confirm(lsn: Lsn): boolean {
    if (lsn <= this.#confirmed) return false
    this.#confirmed = lsn
    return true
  }

  /** Something that ends here is delivered, and has to be confirmed. */
  deliver(lsn: Lsn): void {
    this.#outstanding = lsn
    this.receive(lsn)
  }

  receive(lsn: Lsn): void {
    this.#received = max(this.#received, lsn)
  }

  isNews(lsn: Lsn): boolean {
    return lsn > this.#reported
  }

  report(lsn: Lsn): void {
    this.#reported = lsn
  }

  /**
   * The positions of a status that is sent now.
   *
   * When all that was delivered is confirmed, the WAL after it holds nothing for us. Saying so lets Postgres drop it, and lets it shut down: it waits for
   * its readers.
   */
  takeStatus(isInTransaction: boolean): { readonly written: bigint; readonly flushed: bigint } {
    const flushed = this.isIdle && !isInTransaction ? max(this.#confirmed, this.#received) : this.#confirmed
    this.#flushedSent = flushed
    return { written: max(this.#received, flushed), flushed }
  }
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
