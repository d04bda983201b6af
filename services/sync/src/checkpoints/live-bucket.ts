import type { Lsn } from '@holdfast/replication'
import type { BucketGrant } from '../buckets/bucket-grant.ts'
import type { BucketState } from '../storage/bucket-storage.ts'
import type { BucketDelta, TakenOps } from '../storage/pending-ops.ts'
import type { Expectation } from './expected-buckets.ts'
import type { CompactSet } from './compact-set.ts'

/** One batch of whole transactions that is now in the log. */
export interface AppliedBatch {
  readonly fromOpId: number
  readonly toOpId: number
  /** Position after its last commit. */
  readonly endLsn: Lsn
  /** `undefined` when the batch is too large to be kept in memory. */
  readonly taken: TakenOps | undefined
  readonly deltas: ReadonlyMap<number, BucketDelta>
  readonly cleared: ReadonlySet<number>
  /** Buckets that came into being. */
  readonly fresh: ReadonlyMap<number, { readonly name: string }>
}

/** A live view of one bucket, shared by the streams that have it. Its numbers are those of the newest checkpoint. */
export interface LiveBucket {
  readonly name: string
  /** 0 while no row has ever been in it. */
  id: number
  checksum: number
  count: number
  lastOpId: number
  /** The last checkpoint at which a stored version was superseded: what was read from the log before it may have holes. */
  supersededAt: number
  /** Superseded operations up to here are, or are about to be, one in the log. */
  floor: number
  /** Whether its numbers are those of the log; else a fill is under way. */
  isFilled: boolean
  /** Its listeners. */
  listeners: CompactSet<BucketListener>
}

/** Told when a bucket that it holds changed in a new checkpoint. */
export interface BucketListener {
  bucketChanged(bucket: LiveBucket): void
  /** The numbers of the buckets are void: they have to be filled again. */
  feedReset(): void
}

/** Told when a bucket that it expects comes into being: it holds the bucket from then on, whose numbers are right when it is told that the bucket changed. */
export interface ExpectingListener extends BucketListener {
  bucketAppeared(bucket: LiveBucket, grant: BucketGrant): void
}

export type Expected = readonly Expectation<ExpectingListener>[]

/** Reads buckets by name, and the position of the log at which they were so. */
export type ReadBuckets = (
  names: readonly string[],
) => Promise<{ readonly atOpId: number; readonly buckets: readonly BucketState[] }>
