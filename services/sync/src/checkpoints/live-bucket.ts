import type { Lsn } from '@holdfast/replication'
import type { BucketGrant } from '../buckets/bucket-grant.ts'
import type { BucketState } from '../storage/bucket-storage.ts'
import type { BucketDelta, PendingOp } from '../storage/pending-ops.ts'
import type { Expectation } from './expected-buckets.ts'
import type { CompactSet } from './compact-set.ts'

/** What live fan-out needs of an operation. */
export type RecentOp = Pick<PendingOp, 'opId' | 'bucketId' | 'checksum' | 'objectId' | 'isPut' | 'doc'>

/** One batch of whole transactions that is now in the log. */
export interface AppliedBatch {
  readonly fromOpId: number
  readonly toOpId: number
  /** Position after its last commit. */
  readonly endLsn: Lsn
  /** `undefined` if the batch is too large to keep in memory. */
  readonly taken: { readonly ops: readonly RecentOp[] } | undefined
  readonly deltas: ReadonlyMap<number, BucketDelta>
  readonly cleared: ReadonlySet<number>
  /** Buckets created by the batch. */
  readonly fresh: ReadonlyMap<number, { readonly name: string }>
}

/** The state of a bucket as of the newest checkpoint, shared by the streams that have it. */
export interface LiveBucket {
  readonly name: string
  /** 0 if no row has ever been in it. */
  id: number
  checksum: number
  count: number
  lastOpId: number
  /** The last checkpoint that superseded a stored version. Reads from the log before it may have gaps. */
  supersededAt: number
  /** Superseded operations up to here have been, or are about to be, merged. */
  floor: number
  /** Whether the sums are those of the log. Otherwise a fill is running. */
  isFilled: boolean
  /** Its listeners. */
  listeners: CompactSet<BucketListener>
}

/** Notified when a held bucket changes in a new checkpoint. */
export interface BucketListener {
  bucketChanged(bucket: LiveBucket): void
  /** All bucket sums are invalid and have to be filled again. */
  feedReset(): void
}

/** Notified when an expected bucket is created. The listener holds it from then on; its sums are correct once the listener is notified of its change. */
export interface ExpectingListener extends BucketListener {
  bucketAppeared(bucket: LiveBucket, grant: BucketGrant): void
}

export type Expected = readonly Expectation<ExpectingListener>[]

/** Reads buckets by name and the log position that they correspond to. */
export type ReadBuckets = (
  names: readonly string[],
) => Promise<{ readonly atOpId: number; readonly buckets: readonly BucketState[] }>
