import type { Lsn } from '@holdfast/replication'
import type { RowChange } from '../../rows/apply-changes.ts'
import { createDeferredKeys, type DeferredKeys } from './deferred-keys.ts'

/** The transaction being received. */
export interface OpenTransaction {
  readonly xid: number
  readonly commitLsn: Lsn
}

/** Received row changes that have not been routed: those of complete transactions, then those of the open one. */
export class TransactionBuffer {
  /** Keys of the open transaction that are checked at its end. */
  readonly deferred: DeferredKeys = createDeferredKeys()
  #open: OpenTransaction | undefined
  #changes: RowChange[] = []
  /** Start of the open transaction's changes, as long as none of them has been routed. */
  #openFrom: number | undefined
  /** Author of the open transaction; `undefined` before its first event. */
  #author: string | null | undefined

  get open(): OpenTransaction | undefined {
    return this.#open
  }

  get size(): number {
    return this.#changes.length
  }

  /** `null` if the changes did not come through the API. */
  get author(): string | null {
    return this.#author ?? null
  }

  /** Whether changes of earlier transactions are waiting and none of the open one has been routed. */
  get holdsEarlier(): boolean {
    return this.#openFrom !== undefined && this.#openFrom > 0
  }

  begin({ xid, commitLsn }: OpenTransaction): void {
    this.#open = { xid, commitLsn }
    this.#author = undefined
    this.#openFrom = this.#changes.length
  }

  commit(): void {
    this.#open = undefined
  }

  /** Sets the author, which only a transaction's first message or change can tell. */
  setAuthor(author: string | null): void {
    if (this.#author === undefined) this.#author = author
  }

  add(change: RowChange): void {
    this.#changes.push(change)
  }

  /** Returns all changes to be routed. */
  take(): readonly RowChange[] {
    const taken = this.#changes
    this.#changes = []
    return taken
  }

  /** Starts routing the open transaction's changes before its end. */
  routeOpen(): void {
    this.#openFrom = undefined
  }

  /** Returns the changes of complete transactions. @returns `undefined` if some changes of the open transaction have been routed already */
  takeEarlier(): readonly RowChange[] | undefined {
    if (this.#openFrom === undefined) return undefined
    const earlier = this.#changes.splice(0, this.#openFrom)
    this.#openFrom = 0
    return earlier
  }
}
