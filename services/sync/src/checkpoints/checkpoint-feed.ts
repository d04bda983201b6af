import type { Lsn } from '@holdfast/replication'
import type { BucketState } from '../storage/bucket-storage.ts'
import type { BucketDelta, TakenOps } from '../storage/pending-ops.ts'
import type { BucketGrant } from '../buckets/bucket-grant.ts'
import { addTo, everyOne, removeFrom, type Few } from './few.ts'
import { createExpectedBuckets, type Expectation } from './expected-buckets.ts'
import { createRecentOps, type RecentOps } from './recent-ops.ts'

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
  /** Who has it. */
  listeners: Few<BucketListener>
}

/** Told when a bucket that it holds changed in a new checkpoint. */
export interface BucketListener {
  bucketChanged(bucket: LiveBucket): void
  /** What is known of the buckets is void: they have to be filled in anew. */
  feedReset(): void
}

/** Told when a bucket that it expects comes into being: it holds the bucket from then on, whose numbers are right when it is told that the bucket changed. */
export interface ExpectingListener extends BucketListener {
  bucketAppeared(bucket: LiveBucket, grant: BucketGrant): void
}

export type Expected = readonly Expectation<ExpectingListener>[]

/**
 * Where the log stands, bucket by bucket, for those buckets that somebody has. One writer (the replicator), many readers; everything happens in one
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
  /** The buckets that somebody has or expects. */
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
  /** Those of some buckets that nobody has are about to be deleted: whoever takes one up waits until `end` is called. */
  retire(names: readonly string[]): { readonly names: ReadonlySet<string>; end(): void }
  /** Fills in what the log knows of buckets that have just become live. */
  fill(read: ReadBuckets, names: readonly string[]): Promise<void>
  /** Starts from a position of the log, at start or after a repair. What was filled in before has to be filled in again. */
  reset(opId: number, position: Lsn): void
  /** Grows with every reset. */
  readonly epoch: number
}

/** Reads buckets by name, and the position of the log at which they were so. */
export type ReadBuckets = (
  names: readonly string[],
) => Promise<{ readonly atOpId: number; readonly buckets: readonly BucketState[] }>

interface HistoryEntry {
  readonly fromOpId: number
  readonly toOpId: number
  readonly deltas: ReadonlyMap<number, BucketDelta>
  readonly cleared: ReadonlySet<number>
  readonly fresh: ReadonlyMap<number, { readonly name: string }>
}

export function createCheckpointFeed(): CheckpointFeed {
  const live = new Map<string, LiveBucket>()
  const liveById = new Map<number, LiveBucket>()
  const expected = createExpectedBuckets<ExpectingListener>()
  /** Buckets of the batch that is being written: what is read from the log from now on may lack what it supersedes. */
  const announced = new Set<number>()
  let isAnyAnnounced = false
  /** The newest position that a fill has read: until it is published, the numbers of some bucket are ahead of it. */
  let aheadTo = 0
  /** Batches applied while a fill is under way: what it read may be older than they are. */
  let history: HistoryEntry[] = []
  let fills = 0
  let retiring: { readonly names: ReadonlySet<string>; readonly ended: Promise<void> } | undefined
  let opId = 0
  let position = 0n as Lsn
  let recent = createRecentOps()
  let epoch = 0
  let waiters: { readonly lsn: Lsn; readonly resolve: () => void }[] = []
  let opWaiters: { readonly opId: number; readonly resolve: () => void }[] = []

  function createLive(name: string): LiveBucket {
    const bucket: LiveBucket = {
      name,
      id: 0,
      checksum: 0,
      count: 0,
      lastOpId: 0,
      supersededAt: 0,
      floor: 0,
      isFilled: false,
      listeners: undefined,
    }
    live.set(name, bucket)
    return bucket
  }

  /** Buckets that came into being, and whoever expects them. */
  function welcome({ fresh, fromOpId }: Pick<AppliedBatch, 'fresh' | 'fromOpId'>): void {
    for (const [id, { name }] of fresh) {
      const waiting = [...expected.of(name)]
      let bucket = live.get(name)
      if (!bucket && waiting.length === 0) continue
      bucket ??= createLive(name)
      if (bucket.id === 0) {
        bucket.id = id
        bucket.floor = fromOpId + 1
        liveById.set(id, bucket)
        // All that it has is in this batch. A fill that is under way finds it filled.
        if (waiting.length > 0) bucket.isFilled = true
      }
      for (const { listener, grant } of waiting) {
        if (!addTo(bucket, listener)) continue
        listener.bucketAppeared(bucket, grant)
      }
    }
  }

  function apply(bucket: LiveBucket, delta: BucketDelta, wasCleared: boolean): void {
    bucket.checksum = wasCleared ? delta.checksum : (bucket.checksum + delta.checksum) | 0
    bucket.count = wasCleared ? delta.count : bucket.count + delta.count
    bucket.lastOpId = delta.lastOpId
  }

  function releaseOpWaiters(): void {
    if (opWaiters.length === 0) return
    const ready = opWaiters.filter((waiter) => waiter.opId <= opId)
    opWaiters = opWaiters.filter((waiter) => waiter.opId > opId)
    for (const waiter of ready) waiter.resolve()
  }

  function moveTo(next: Lsn): void {
    if (next <= position) return
    position = next
    const ready = waiters.filter((waiter) => waiter.lsn <= next)
    if (ready.length === 0) return
    waiters = waiters.filter((waiter) => waiter.lsn > next)
    for (const waiter of ready) waiter.resolve()
  }

  async function fill(read: ReadBuckets, names: readonly string[]): Promise<void> {
    if (names.some((name) => retiring?.names.has(name))) await retiring?.ended
    const missing = names.filter((name) => live.get(name)?.isFilled !== true)
    fills++
    try {
      const startEpoch = epoch
      const { atOpId, buckets } = missing.length > 0 ? await read(missing) : { atOpId: 0, buckets: [] }
      if (epoch !== startEpoch) return await fill(read, names) // read before a reset, and batches since are unknown
      aheadTo = Math.max(aheadTo, atOpId)
      const byName = new Map(buckets.map((bucket) => [bucket.name, bucket]))
      const byId = new Map<number, LiveBucket>()
      for (const name of missing) {
        const bucket = live.get(name)
        if (!bucket || bucket.isFilled) continue
        bucket.isFilled = true
        const stored = byName.get(name)
        if (stored) {
          bucket.id = stored.id
          bucket.checksum = stored.checksum
          bucket.count = stored.count
          bucket.lastOpId = stored.lastOpId
          bucket.floor = stored.floor
          liveById.set(stored.id, bucket)
          if (isAnyAnnounced || announced.has(stored.id)) bucket.supersededAt = Number.POSITIVE_INFINITY
        }
        if (bucket.id !== 0) byId.set(bucket.id, bucket)
      }
      for (const entry of history) {
        if (entry.toOpId <= atOpId) continue
        for (const [id, { name }] of entry.fresh) {
          const bucket = live.get(name)
          if (!bucket || !missing.includes(name)) continue
          byId.set(id, bucket)
          bucket.floor = Math.max(bucket.floor, entry.fromOpId + 1)
        }
        for (const [id, bucket] of byId) {
          const delta = entry.deltas.get(id)
          if (delta && delta.lastOpId > bucket.lastOpId) apply(bucket, delta, entry.cleared.has(id))
        }
      }
      // The log may be one batch ahead of what has been published, for this fill or another's; the numbers belong together only from then on.
      const until = aheadTo
      if (until > opId) await new Promise<void>((resolve) => opWaiters.push({ opId: until, resolve }))
    } finally {
      if (--fills === 0) history = []
    }
  }

  return {
    get opId() {
      return opId
    },
    get position() {
      return position
    },
    get recent() {
      return recent
    },
    liveNames: () => [...new Set([...live.keys(), ...expected.names()])],
    announce(bucketIds) {
      if (bucketIds === 'any') {
        isAnyAnnounced = true
        for (const bucket of live.values()) bucket.supersededAt = Number.POSITIVE_INFINITY
        return
      }
      for (const id of bucketIds) {
        announced.add(id)
        const bucket = liveById.get(id)
        if (bucket) bucket.supersededAt = Number.POSITIVE_INFINITY
      }
    },
    compact(bucketId, floor) {
      const bucket = liveById.get(bucketId)
      if (!bucket) return
      bucket.floor = Math.max(bucket.floor, floor)
      bucket.supersededAt = Math.max(bucket.supersededAt, floor)
    },
    compacted(bucketId, count) {
      const bucket = liveById.get(bucketId)
      if (bucket?.isFilled) bucket.count = count
    },
    publish(batch) {
      opId = batch.toOpId
      recent.add(batch)
      if (fills > 0) history.push(batch)
      announced.clear()
      welcome(batch)
      const changed: LiveBucket[] = []
      if (isAnyAnnounced) {
        isAnyAnnounced = false
        // Whoever found a hole, or thought that there might be one, waits to be woken.
        for (const bucket of live.values()) {
          if (bucket.supersededAt !== Number.POSITIVE_INFINITY) continue
          bucket.supersededAt = opId
          if (bucket.isFilled && !batch.deltas.has(bucket.id)) changed.push(bucket)
        }
      }
      for (const [id, delta] of batch.deltas) {
        const bucket = liveById.get(id)
        if (!bucket) continue
        if (bucket.supersededAt === Number.POSITIVE_INFINITY) bucket.supersededAt = opId
        if (!bucket.isFilled) continue // a fill is under way and takes this batch from the history
        if (delta.lastOpId > bucket.lastOpId) apply(bucket, delta, batch.cleared.has(id)) // else the fill has seen it already
        changed.push(bucket)
      }
      moveTo(batch.endLsn)
      releaseOpWaiters()
      for (const bucket of changed) for (const listener of everyOne(bucket)) listener.bucketChanged(bucket)
    },
    advance: moveTo,
    async reached(lsn, signal) {
      if (position >= lsn) return
      signal.throwIfAborted()
      await new Promise<void>((resolve, reject) => {
        const onAbort = (): void => {
          waiters = waiters.filter((entry) => entry !== waiter)
          reject(signal.reason as Error)
        }
        const waiter = {
          lsn,
          resolve: () => {
            signal.removeEventListener('abort', onAbort)
            resolve()
          },
        }
        waiters.push(waiter)
        signal.addEventListener('abort', onAbort, { once: true })
      })
    },
    hold(names, listener) {
      return names.map((name) => {
        const bucket = live.get(name) ?? createLive(name)
        addTo(bucket, listener)
        return bucket
      })
    },
    release(buckets, listener) {
      for (const bucket of buckets) {
        removeFrom(bucket, listener)
        if (bucket.listeners !== undefined || live.get(bucket.name) !== bucket) continue
        live.delete(bucket.name)
        if (bucket.id !== 0) liveById.delete(bucket.id)
      }
    },
    expect: (listener, before, names, granted) => expected.replace(listener, before, names, granted),
    retire(names) {
      const ended = Promise.withResolvers<void>()
      const unused = new Set(names.filter((name) => !live.has(name)))
      retiring = { names: unused, ended: ended.promise }
      return {
        names: unused,
        end() {
          retiring = undefined
          ended.resolve()
        },
      }
    },
    fill,
    reset(nextOpId, nextPosition) {
      epoch++
      opId = nextOpId
      aheadTo = nextOpId
      recent = createRecentOps()
      history = []
      announced.clear()
      isAnyAnnounced = false
      liveById.clear()
      const listeners = new Set<BucketListener>(expected.listeners())
      for (const bucket of live.values()) {
        Object.assign(bucket, {
          id: 0,
          checksum: 0,
          count: 0,
          lastOpId: 0,
          supersededAt: nextOpId,
          floor: 0,
          isFilled: false,
        })
        for (const listener of everyOne(bucket)) listeners.add(listener)
      }
      moveTo(nextPosition)
      releaseOpWaiters()
      for (const listener of listeners) listener.feedReset()
    },
    get epoch() {
      return epoch
    },
  }
}
