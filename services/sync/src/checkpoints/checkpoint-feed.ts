import type { Lsn } from '@holdfast/replication'
import type { BucketGrant } from '../buckets/bucket-grant.ts'
import { BucketFills } from './bucket-fills.ts'
import { createExpectedBuckets, type ExpectedBuckets } from './expected-buckets.ts'
import { addTo, listenersOf } from './compact-set.ts'
import type {
  AppliedBatch,
  BucketListener,
  Expected,
  ExpectingListener,
  LiveBucket,
  ReadBuckets,
} from './live-bucket.ts'
import { LiveBuckets } from './live-buckets.ts'
import { createRecentOps, type RecentOps } from './recent-ops.ts'
import { Waiters } from './waiters.ts'

export type { AppliedBatch, BucketListener, Expected, ExpectingListener, LiveBucket, ReadBuckets }

/**
 * Where the log stands, bucket by bucket, for those buckets that a person has. One writer (the replicator), many readers; everything happens in one
 * thread, so between two `await`s the view is one checkpoint.
 */
export interface CheckpointFeed {
  /** The newest checkpoint. */
  readonly opId: number
  /** Everything that committed before this position is in the newest checkpoint. */
  readonly position: Lsn
  readonly recent: RecentOps
  /** Called before a batch is written: versions in these buckets, or in any, are about to be superseded in the log. */
  announce(bucketIds: Iterable<number> | 'any'): void
  /** The buckets that a person has or expects. */
  liveNames(): readonly string[]
  /** Called before superseded operations up to `floor` become one in the log: a reader of an older checkpoint will miss some. */
  compact(bucketId: number, floor: number): void
  /** How many operations a bucket has after that. */
  compacted(bucketId: number, count: number): void
  publish(batch: AppliedBatch): void
  /** Nothing happened for sync, but the reader has come further. */
  advance(position: Lsn): void
  /** Resolves once `position` has reached `lsn`. Rejects when the signal aborts. */
  reached(lsn: Lsn, signal: AbortSignal): Promise<void>
  /** Makes buckets live for a listener; to be undone with `release`. Call {@link CheckpointFeed.fill} for those that were not live before. */
  hold(names: readonly string[], listener: BucketListener): LiveBucket[]
  release(buckets: Iterable<LiveBucket>, listener: BucketListener): void
  /**
   * Instead of holding buckets that are not in the log, in place of `before`: they cost next to nothing. To be called in the turn in which they were let
   * go, or were in `before`. `granted`: everything that the listener holds or expects.
   */
  expect(
    listener: ExpectingListener,
    before: Expected,
    names: ReadonlyMap<string, BucketGrant>,
    granted: Iterable<readonly [string, BucketGrant]>,
  ): Expected
  /** Buckets that no stream has are about to be deleted: a stream that takes one up waits until `end` is called. */
  retire(names: readonly string[]): { readonly names: ReadonlySet<string>; end(): void }
  /** Fills in what the log knows of buckets that have just become live. Rejects when the signal aborts while it waits for the checkpoint that has it. */
  fill(read: ReadBuckets, names: readonly string[], signal?: AbortSignal): Promise<void>
  /**
   * Starts from a position of the log, at start or after a repair: also from an earlier one, as a failover takes back what had not reached the server that took
   * over. What was filled in before has to be filled in again.
   */
  reset(opId: number, position: Lsn): void
  /** Grows with every reset. */
  readonly epoch: number
}

export function createCheckpointFeed(): CheckpointFeed {
  const live = new LiveBuckets()
  const expected = createExpectedBuckets<ExpectingListener>()
  const opIds = new Waiters<number>(0)
  const positions = new Waiters<Lsn>(0n as Lsn)
  const fills = new BucketFills(live, opIds)
  let retiring: { readonly names: ReadonlySet<string>; readonly ended: Promise<void> } | undefined
  let recent = createRecentOps()
  let epoch = 0

  function advance(next: Lsn): void {
    if (next > positions.current) positions.moveTo(next)
  }

  return {
    get opId() {
      return opIds.current
    },
    get position() {
      return positions.current
    },
    get recent() {
      return recent
    },
    get epoch() {
      return epoch
    },
    liveNames: () => [...new Set([...live.names(), ...expected.names()])],
    announce: (bucketIds) => live.announce(bucketIds),
    compact: (bucketId, floor) => live.compact(bucketId, floor),
    compacted: (bucketId, count) => live.compacted(bucketId, count),
    publish(batch) {
      opIds.moveTo(batch.toOpId)
      recent.add(batch)
      fills.published(batch)
      welcome(live, expected, batch)
      const changed = live.apply(batch)
      advance(batch.endLsn)
      for (const bucket of changed) for (const listener of listenersOf(bucket)) listener.bucketChanged(bucket)
    },
    advance,
    reached: (lsn, signal) => positions.wait(lsn, signal),
    hold: (names, listener) => live.hold(names, listener),
    release: (buckets, listener) => live.release(buckets, listener),
    expect: (listener, before, names, granted) => expected.replace(listener, before, names, granted),
    retire(names) {
      const ended = Promise.withResolvers<void>()
      const unused = new Set(names.filter((name) => !live.find(name)))
      retiring = { names: unused, ended: ended.promise }
      return {
        names: unused,
        end() {
          retiring = undefined
          ended.resolve()
        },
      }
    },
    async fill(read, names, signal) {
      do {
        if (names.some((name) => retiring?.names.has(name))) await retiring?.ended
      } while ((await fills.fill(read, names, signal)) === 'void')
    },
    reset(nextOpId, nextPosition) {
      epoch++
      opIds.restart(nextOpId)
      recent = createRecentOps()
      fills.reset(nextOpId)
      const listeners = new Set<BucketListener>([...expected.listeners(), ...live.reset(nextOpId)])
      positions.moveTo(nextPosition)
      for (const listener of listeners) listener.feedReset()
    },
  }
}

/** Makes buckets live that came into being and that a person expects. */
function welcome(
  live: LiveBuckets,
  expected: ExpectedBuckets<ExpectingListener>,
  { fresh, fromOpId }: AppliedBatch,
): void {
  for (const [id, { name }] of fresh) {
    const waiting = [...expected.of(name)]
    if (!live.find(name) && waiting.length === 0) continue
    const bucket = live.ensure(name)
    if (bucket.id === 0) {
      live.identify(bucket, id, fromOpId)
      // All that it has is in this batch. A fill that is under way finds it filled.
      if (waiting.length > 0) bucket.isFilled = true
    }
    for (const { listener, grant } of waiting) if (addTo(bucket, listener)) listener.bucketAppeared(bucket, grant)
  }
}
