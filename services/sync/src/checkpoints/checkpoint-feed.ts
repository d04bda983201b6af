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
 * The state of users' buckets as of the newest checkpoint. One writer (the replicator), many readers, one thread: between two `await`s the view is one
 * checkpoint.
 */
export interface CheckpointFeed {
  /** The newest checkpoint. */
  readonly opId: number
  /** The newest checkpoint contains everything committed before this position. */
  readonly position: Lsn
  readonly recent: RecentOps
  /** Call before writing a batch that supersedes versions in these buckets, or in any. */
  announce(bucketIds: Iterable<number> | 'any'): void
  /** Names of buckets that connected devices have or expect. */
  liveNames(): readonly string[]
  /** Call before superseded operations up to `floor` are merged in the log: readers of an older checkpoint will miss some. */
  compact(bucketId: number, floor: number): void
  /** Sets the number of operations of a bucket after compaction. */
  compacted(bucketId: number, count: number): void
  publish(batch: AppliedBatch): void
  /** Advances the position without changes for sync. */
  advance(position: Lsn): void
  /** Resolves once `position` has reached `lsn`, or the feed was reset, after which it may never be. Rejects when the signal aborts. */
  reached(lsn: Lsn, signal: AbortSignal): Promise<void>
  /** Makes buckets live for a listener until `release`. Call {@link CheckpointFeed.fill} for those that were not live before. */
  hold(names: readonly string[], listener: BucketListener): LiveBucket[]
  release(buckets: Iterable<LiveBucket>, listener: BucketListener): void
  /**
   * Replaces `before` with expectations of buckets that are not in the log, which cost far less than holding them. Call in the same turn in which the buckets
   * were released or were in `before`. `granted`: all buckets that the listener holds or expects.
   */
  expect(
    listener: ExpectingListener,
    before: Expected,
    names: ReadonlyMap<string, BucketGrant>,
    granted: Iterable<readonly [string, BucketGrant]>,
  ): Expected
  /** Call before deleting buckets. A stream that requests one of them waits until `end` is called. @returns those that no stream has */
  retire(names: readonly string[]): { readonly names: ReadonlySet<string>; end(): void }
  /** Forgets buckets that another server has deleted. @returns the listeners that hold them, which must end */
  retired(names: readonly string[]): ReadonlySet<BucketListener>
  /** Fills newly live buckets from the log. Rejects if the signal aborts while waiting for the checkpoint that contains what was read. */
  fill(read: ReadBuckets, names: readonly string[], signal?: AbortSignal): Promise<void>
  /**
   * Restarts at a position of the log, at startup or after a repair. It may be earlier, because a failover loses what the new primary has not received.
   * Filled buckets have to be filled again.
   */
  reset(opId: number, position: Lsn): void
  /** Increases with every reset. */
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
    retired: (names) => live.retire(names),
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
      positions.restart(nextPosition)
      for (const listener of listeners) listener.feedReset()
    },
  }
}

/** Makes new buckets live for users who expect them. */
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
      // This batch contains all its operations. A running fill will find it filled.
      if (waiting.length > 0) bucket.isFilled = true
    }
    for (const { listener, grant } of waiting) if (addTo(bucket, listener)) listener.bucketAppeared(bucket, grant)
  }
}
