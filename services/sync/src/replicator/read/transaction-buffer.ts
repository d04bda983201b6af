import type { Lsn } from '@holdfast/replication'
import type { RowChange } from '../../rows/apply-changes.ts'
import { createDeferredKeys, type DeferredKeys } from './deferred-keys.ts'

/** The transaction that is arriving. */
export interface OpenTransaction {
  readonly xid: number
  readonly commitLsn: Lsn
}

/** Changes of rows that have arrived and have not been routed: those of whole transactions, then those of the open one. */
export class TransactionBuffer {
  /** Keys of the open transaction that are checked at its end. */
  readonly deferred: DeferredKeys = createDeferredKeys()
  #open: OpenTransaction | undefined
  #changes: RowChange[] = []
  /** Where the changes of the open transaction begin, as long as none of them has been routed. */
  #openFrom: number | undefined
  /** Author of the open transaction; `undefined` before its first event. */
  #author: string | null | undefined

  get open(): OpenTransaction | undefined {
    return this.#open
  }

  get size(): number {
    return this.#changes.length
  }

  /** `null`: the changes did not come through the API. */
  get author(): string | null {
    return this.#author ?? null
  }

  /** Whether transactions before the open one wait, and none of the open one's changes has been routed. */
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

  /** The first message or change of a transaction tells who made it: whatever comes later does not. */
  setAuthor(author: string | null): void {
    if (this.#author === undefined) this.#author = author
  }

  add(change: RowChange): void {
    this.#changes.push(change)
  }

  /** All changes, to be routed. */
  take(): readonly RowChange[] {
    const taken = this.#changes
    this.#changes = []
    return taken
  }

  /** Starts routing the open transaction's changes before its end. */
  routeOpen(): void {
    this.#openFrom = undefined
  }

  /**
   * The changes of whole transactions, when the open one need not be routed with them.
   *
   * @returns `undefined` when some of the open one's have been routed
   */
  takeEarlier(): readonly RowChange[] | undefined {
    if (this.#openFrom === undefined) return undefined
    const earlier = this.#changes.splice(0, this.#openFrom)
    this.#openFrom = 0
    return earlier
  }
}
