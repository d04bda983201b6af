import type { Lsn } from './lsn.ts'

/** A relation as pgoutput describes it before its first change. */
export interface Relation {
  readonly oid: number
  readonly schema: string
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly typeOid: number; readonly isKey: boolean }[]
}

/** Column values in the relation's order, in Postgres's text form (ISO dates, UTC); `null` is SQL NULL. */
export type Tuple = readonly (string | null)[]

/**
 * What the stream delivers, in commit order. Changes of a transaction stand between its `begin` and its `commit`, and those of
 * another never in between. Unchanged TOAST values are already filled in from the old row.
 */
export type ReplicationEvent =
  | { readonly kind: 'begin'; readonly xid: number; readonly commitLsn: Lsn; readonly committedAtMs: number }
  | { readonly kind: 'insert'; readonly relation: Relation; readonly row: Tuple }
  | { readonly kind: 'update'; readonly relation: Relation; readonly old: Tuple; readonly row: Tuple }
  | { readonly kind: 'delete'; readonly relation: Relation; readonly old: Tuple }
  | { readonly kind: 'truncate'; readonly relations: readonly Relation[] }
  /** An update or delete without its whole old row: the table, or a partition of it, was not set to `REPLICA IDENTITY FULL`. */
  | { readonly kind: 'incomplete'; readonly relation: Relation }
  /**
   * `pg_logical_emit_message`: inside its transaction when `transactional`, else on its own, between transactions. `lsn` is the
   * position after the message, which is what that function returned.
   */
  | {
      readonly kind: 'message'
      readonly transactional: boolean
      readonly prefix: string
      readonly content: string
      readonly lsn: Lsn
    }
  /** `endLsn`: the position after the commit record, to confirm or to resume from. */
  | { readonly kind: 'commit'; readonly commitLsn: Lsn; readonly endLsn: Lsn }
  /**
   * Everything committed before `lsn` has been delivered (a keepalive of the server). Comes whenever WAL has moved on, be it by the
   * consumer's own writes: persisting each one would go round in circles. Positions may repeat.
   */
  | { readonly kind: 'progress'; readonly lsn: Lsn }

/** One logical slot being read. */
export interface ReplicationStream extends AsyncDisposable {
  /**
   * Events in the batches in which they arrived, never empty. Reading pauses the socket while the consumer is busy. Ends when disposed; throws a
   * `HoldfastError` (`replication_*`) when the connection or the slot is lost.
   */
  readonly batches: AsyncIterable<readonly ReplicationEvent[]>
  /**
   * Tells Postgres that everything before `lsn` is durable here, so that it may drop that WAL; sent within a second. Take a commit's
   * `endLsn`, the `lsn` of a message outside transactions, or that of a `progress`. Once all that was delivered is confirmed, idle
   * WAL after it is confirmed without being asked, so the slot's position can be later than the last one confirmed here.
   */
  confirm(lsn: Lsn): void
  /** Asks the server for a keepalive now, so that a `progress` follows even when nothing changes. */
  requestProgress(): void
}
