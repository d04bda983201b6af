import type { Lsn } from '../lsn.ts'
import type { ReplicationEvent } from '../events.ts'

interface LargeWorkOptions {
  /** Bytes on the wire that make a transaction large. */
  readonly transactionBytes: number
  /** Bytes of WAL that count as one. */
  readonly walBytes: number
  /** Where decoding begins, whatever has been confirmed. */
  readonly startLsn: bigint
}

/** Notes where the last large piece of work ends that a connection has decoded: Postgres keeps the memory that it took. */
export class LargeWork {
  readonly #transactionBytesMin: number
  readonly #walBytesMin: number
  /** Bytes of the transaction that is arriving, or of the last one. */
  #transactionBytes = 0
  /** Where counting the WAL that was decoded begins again. */
  #countedFrom: bigint
  #end: Lsn | undefined

  constructor({ transactionBytes, walBytes, startLsn }: LargeWorkOptions) {
    this.#transactionBytesMin = transactionBytes
    this.#walBytesMin = walBytes
    this.#countedFrom = startLsn
  }

  get end(): Lsn | undefined {
    return this.#end
  }

  /** An event has arrived, in a message of so many bytes. */
  count(event: ReplicationEvent, bytes: number): void {
    this.#transactionBytes = (event.kind === 'begin' ? 0 : this.#transactionBytes) + bytes
    if (event.kind === 'commit' && this.#transactionBytes >= this.#transactionBytesMin) this.#end = event.endLsn
  }

  /** The WAL up to here has been decoded. */
  reach(lsn: Lsn): void {
    if (Number(lsn - this.#countedFrom) < this.#walBytesMin) return
    this.#end = lsn
    this.#countedFrom = lsn
  }
}
