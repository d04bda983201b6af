import type { AppliedBatch, LiveBucket, ReadBuckets } from './live-bucket.ts'
import { addDelta, type LiveBuckets } from './live-buckets.ts'
import type { Waiters } from './waiters.ts'

type HistoryEntry = Pick<AppliedBatch, 'fromOpId' | 'toOpId' | 'deltas' | 'cleared' | 'fresh'>

/** Reads bucket sums from the log while batches are published, and advances them to the newest checkpoint. */
export class BucketFills {
  readonly #live: LiveBuckets
  readonly #opId: Waiters<number>
  /** The newest position read by a fill. Until it is published, the sums of some bucket are ahead of the checkpoint. */
  #aheadTo = 0
  /** Batches published during a fill, which may be newer than what it read. */
  #history: HistoryEntry[] = []
  #underWay = 0
  #resets = 0

  constructor(live: LiveBuckets, opId: Waiters<number>) {
    this.#live = live
    this.#opId = opId
  }

  published(batch: AppliedBatch): void {
    if (this.#underWay > 0) this.#history.push(batch)
  }

  /** Invalidates earlier reads. */
  reset(opId: number): void {
    this.#resets++
    this.#aheadTo = opId
    this.#history = []
  }

  /**
   * Fills buckets that are not filled yet, and waits until what was read is published.
   *
   * @param signal - ends the wait: if another server takes over the log, publication may never happen
   * @returns `void` if a reset invalidated the read, which has to be repeated
   */
  async fill(read: ReadBuckets, names: readonly string[], signal?: AbortSignal): Promise<'filled' | 'void'> {
    const missing = names.filter((name) => this.#live.find(name)?.isFilled !== true)
    this.#underWay++
    try {
      const resets = this.#resets
      const { atOpId, buckets } = missing.length > 0 ? await read(missing) : { atOpId: 0, buckets: [] }
      if (resets !== this.#resets) return 'void' // batches published since then are unknown
      this.#aheadTo = Math.max(this.#aheadTo, atOpId)
      const stored = new Map(buckets.map((bucket) => [bucket.name, bucket]))
      const byId = new Map<number, LiveBucket>()
      for (const name of missing) {
        const bucket = this.#live.find(name)
        if (!bucket || bucket.isFilled) continue
        bucket.isFilled = true
        const known = stored.get(name)
        if (known) this.#live.fillIn(bucket, known)
        if (bucket.id !== 0) byId.set(bucket.id, bucket)
      }
      for (const entry of this.#history) if (entry.toOpId > atOpId) this.#catchUp(entry, missing, byId)
      // The log may be one batch ahead of the published checkpoint, for this fill or another one. The sums are consistent only once it is published.
      await this.#opId.wait(this.#aheadTo, signal)
      return resets === this.#resets ? 'filled' : 'void'
    } finally {
      if (--this.#underWay === 0) this.#history = []
    }
  }

  /** Applies a batch published after the read. */
  #catchUp(entry: HistoryEntry, missing: readonly string[], byId: Map<number, LiveBucket>): void {
    for (const [id, { name }] of entry.fresh) {
      const bucket = this.#live.find(name)
      if (!bucket || !missing.includes(name)) continue
      byId.set(id, bucket)
      bucket.floor = Math.max(bucket.floor, entry.fromOpId + 1)
    }
    for (const [id, bucket] of byId) {
      const delta = entry.deltas.get(id)
      if (delta && delta.lastOpId > bucket.lastOpId) addDelta(bucket, delta, entry.cleared.has(id))
    }
  }
}
