import type { Lsn } from './lsn.ts'

/** A relation as described by pgoutput before its first change. */
export interface Relation {
  readonly oid: number
  readonly schema: string
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly typeOid: number; readonly isKey: boolean }[]
}

/** Column values in relation order, in Postgres's text form (ISO dates, UTC); `null` is SQL NULL. */
export type Tuple = readonly (string | null)[]

/**
 * Stream events in commit order. A transaction's changes are between its `begin` and `commit`, never interleaved with others. Unchanged TOAST values are filled
 * in from the old row.
 */
export type ReplicationEvent =
  | { readonly kind: 'begin'; readonly xid: number; readonly commitLsn: Lsn; readonly committedAtMs: number }
  | { readonly kind: 'insert'; readonly relation: Relation; readonly row: Tuple }
  | { readonly kind: 'update'; readonly relation: Relation; readonly old: Tuple; readonly row: Tuple }
  | { readonly kind: 'delete'; readonly relation: Relation; readonly old: Tuple }
  | { readonly kind: 'truncate'; readonly relations: readonly Relation[] }
  /** An update or delete without its complete old row: the table or partition lacked `REPLICA IDENTITY FULL`. */
  | { readonly kind: 'incomplete'; readonly relation: Relation }
  /**
   * `pg_logical_emit_message`: within its transaction if `transactional`, otherwise between transactions. `lsn` is the position after the message, as returned
   * by that function.
   */
  | {
      readonly kind: 'message'
      readonly transactional: boolean
      readonly prefix: string
      readonly content: string
      readonly lsn: Lsn
    }
  /** `endLsn`: the position after the commit record, for confirming or resuming. */
  | { readonly kind: 'commit'; readonly commitLsn: Lsn; readonly endLsn: Lsn }
  /**
   * Everything committed before `lsn` has been delivered (server keepalive). Follows any WAL, including the consumer's own writes, so persisting each one would
   * loop. Positions may repeat.
   */
  | { readonly kind: 'progress'; readonly lsn: Lsn }

/** A logical slot being read. */
export interface ReplicationStream extends AsyncDisposable {
  /**
   * Non-empty batches of events as they arrived. Applies backpressure. Ends on disposal; throws a `HoldfastError` (`replication_*`) if the connection or slot
   * is lost.
   */
  readonly batches: AsyncIterable<readonly ReplicationEvent[]>
  /**
   * Tells Postgres within a second that everything before `lsn` is durable here, so it may drop that WAL. Use a commit's `endLsn`, or the `lsn` of a
   * non-transactional message or a `progress`. Once everything delivered is confirmed, idle WAL is confirmed automatically, so the slot's position may be ahead
   * of the last confirmation.
   */
  confirm(lsn: Lsn): void
  /** Requests a keepalive, so that a `progress` follows even without changes. */
  requestProgress(): void
}
