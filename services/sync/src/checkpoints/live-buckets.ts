import type { BucketState } from '../storage/bucket-storage.ts'
import type { BucketDelta } from '../storage/pending-ops.ts'
import { addTo, listenersOf, removeFrom } from './compact-set.ts'
import type { AppliedBatch, BucketListener, LiveBucket } from './live-bucket.ts'

/** State of users' buckets as of the newest checkpoint. */
export class LiveBuckets {
  readonly #byName = new Map<string, LiveBucket>()
  readonly #byId = new Map<number, LiveBucket>()
  /** Buckets of the batch being written. Reads from the log may already lack the operations it supersedes. */
  readonly #announced = new Set<number>()
  #isAnyAnnounced = false

  find(name: string): LiveBucket | undefined {
    return this.#byName.get(name)
  }

  names(): Iterable<string> {
    return this.#byName.keys()
  }

  ensure(name: string): LiveBucket {
    const known = this.#byName.get(name)
    if (known) return known
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
    this.#byName.set(name, bucket)
    return bucket
  }

  /** Sets the id of a bucket created after this operation. */
  identify(bucket: LiveBucket, id: number, fromOpId: number): void {
    bucket.id = id
    bucket.floor = fromOpId + 1
    this.#byId.set(id, bucket)
  }

  release(buckets: Iterable<LiveBucket>, listener: BucketListener): void {
    for (const bucket of buckets) {
      removeFrom(bucket, listener)
      if (bucket.listeners !== undefined || this.#byName.get(bucket.name) !== bucket) continue
      this.#byName.delete(bucket.name)
      if (bucket.id !== 0) this.#byId.delete(bucket.id)
    }
  }

  /** Forgets deleted buckets. @returns the listeners that hold them, which must end */
  retire(names: readonly string[]): ReadonlySet<BucketListener> {
    const listeners = new Set<BucketListener>()
    for (const name of names) {
      const bucket = this.#byName.get(name)
      if (!bucket) continue
      this.#byName.delete(name)
      this.#byId.delete(bucket.id)
      for (const listener of listenersOf(bucket)) listeners.add(listener)
    }
    return listeners
  }

  hold(names: readonly string[], listener: BucketListener): LiveBucket[] {
    return names.map((name) => {
      const bucket = this.ensure(name)
      addTo(bucket, listener)
      return bucket
    })
  }

  /** Marks that versions in these buckets, or in any, are about to be superseded in the log. */
  announce(ids: Iterable<number> | 'any'): void {
    if (ids === 'any') {
      this.#isAnyAnnounced = true
      for (const bucket of this.#byName.values()) bucket.supersededAt = Number.POSITIVE_INFINITY
      return
    }
    for (const id of ids) {
      this.#announced.add(id)
      const bucket = this.#byId.get(id)
      if (bucket) bucket.supersededAt = Number.POSITIVE_INFINITY
    }
  }

  /** Marks that superseded operations up to `floor` are about to be merged. */
  compact(id: number, floor: number): void {
    const bucket = this.#byId.get(id)
    if (!bucket) return
    bucket.floor = Math.max(bucket.floor, floor)
    bucket.supersededAt = Math.max(bucket.supersededAt, floor)
  }

  compacted(id: number, count: number): void {
    const bucket = this.#byId.get(id)
    if (bucket?.isFilled) bucket.count = count
  }

  /** Sets a bucket's sums from the log. */
  fillIn(bucket: LiveBucket, { id, checksum, count, lastOpId, floor }: BucketState): void {
    Object.assign(bucket, { id, checksum, count, lastOpId, floor })
    this.#byId.set(id, bucket)
    if (this.#isAnyAnnounced || this.#announced.has(id)) bucket.supersededAt = Number.POSITIVE_INFINITY
  }

  /** Applies the announced batch. @returns the buckets whose listeners must be notified */
  apply({ deltas, cleared, toOpId }: AppliedBatch): readonly LiveBucket[] {
    this.#announced.clear()
    const changed: LiveBucket[] = []
    if (this.#isAnyAnnounced) {
      this.#isAnyAnnounced = false
      // Streams that found a possible gap wait to be woken.
      for (const bucket of this.#byName.values()) {
        if (bucket.supersededAt !== Number.POSITIVE_INFINITY) continue
        bucket.supersededAt = toOpId
        if (bucket.isFilled && !deltas.has(bucket.id)) changed.push(bucket)
      }
    }
    for (const [id, delta] of deltas) {
      const bucket = this.#byId.get(id)
      if (!bucket) continue
      if (bucket.supersededAt === Number.POSITIVE_INFINITY) bucket.supersededAt = toOpId
      if (!bucket.isFilled) continue // a running fill applies this batch from its history
      if (delta.lastOpId > bucket.lastOpId) addDelta(bucket, delta, cleared.has(id)) // otherwise the fill has read it already
      changed.push(bucket)
    }
    return changed
  }

  /** Resets all sums. @returns the listeners of the buckets */
  reset(opId: number): ReadonlySet<BucketListener> {
    this.#announced.clear()
    this.#isAnyAnnounced = false
    this.#byId.clear()
    const listeners = new Set<BucketListener>()
    for (const bucket of this.#byName.values()) {
      Object.assign(bucket, {
        id: 0,
        checksum: 0,
        count: 0,
        lastOpId: 0,
        supersededAt: opId,
        floor: 0,
        isFilled: false,
      })
      for (const listener of listenersOf(bucket)) listeners.add(listener)
    }
    return listeners
  }
}

export function addDelta(bucket: LiveBucket, delta: BucketDelta, wasCleared: boolean): void {
  bucket.checksum = wasCleared ? delta.checksum : (bucket.checksum + delta.checksum) | 0
  bucket.count = wasCleared ? delta.count : bucket.count + delta.count
  bucket.lastOpId = delta.lastOpId
}
