import type { BucketGrant } from '../buckets/bucket-grant.ts'
import type { CheckpointFeed, Expected, ExpectingListener, LiveBucket } from '../checkpoints/checkpoint-feed.ts'
import type { ReadBuckets } from '../checkpoints/checkpoint-feed.ts'
import type { Downloads } from './downloads.ts'
import { expectInstead, NOTHING_EXPECTED, regrant, stillExpected } from './expect-buckets.ts'
import { isDescribed } from './next-checkpoint.ts'
import { restartBucket, heldBucket, type HeldBucket } from './send-ops.ts'

export interface SessionBucketsOptions {
  readonly feed: CheckpointFeed
  readonly downloads: Downloads
  readonly readBuckets: ReadBuckets
  readonly device: string
  readonly listener: ExpectingListener
  /** What the device holds already: position by bucket name. */
  readonly positions: ReadonlyMap<string, number>
  /** The end of the session. */
  readonly signal: AbortSignal
}

/** The buckets of one session: those of its user, and what the device still has to be told about them. */
export class SessionBuckets {
  readonly #feed: CheckpointFeed
  readonly #downloads: Downloads
  readonly #readBuckets: ReadBuckets
  readonly #device: string
  readonly #listener: ExpectingListener
  readonly #signal: AbortSignal
  readonly #held = new Map<string, HeldBucket>()
  /** Further buckets of the user, unknown to the device because they have never had a row. */
  #expected: Expected = NOTHING_EXPECTED
  /** Buckets that changed since the last checkpoint. */
  #dirty: Set<LiveBucket> | undefined
  /** Buckets that the device still believes to have, until the next checkpoint tells it otherwise. */
  #lost: Map<string, HeldBucket> | undefined
  /** Hold for the first checkpoint only: it makes the device drop all buckets that it does not name. */
  #positions: ReadonlyMap<string, number>
  #highestDirtyPriority = Number.POSITIVE_INFINITY
  #epoch: number

  constructor(options: SessionBucketsOptions) {
    this.#feed = options.feed
    this.#downloads = options.downloads
    this.#readBuckets = options.readBuckets
    this.#device = options.device
    this.#listener = options.listener
    this.#signal = options.signal
    this.#positions = options.positions
    this.#epoch = options.feed.epoch
  }

  /** Whether the numbers of the buckets are of the feed's epoch. */
  get isOfEpoch(): boolean {
    return this.#feed.epoch === this.#epoch
  }

  /** The first priority of the buckets that have changed since the last checkpoint. */
  get highestDirtyPriority(): number {
    return this.#highestDirtyPriority
  }

  markDirty(bucket: LiveBucket): void {
    this.#dirty ??= new Set()
    this.#dirty.add(bucket)
  }

  /** Looks again at a bucket that could not be sent, unless it was lost meanwhile. */
  markUnsent(entry: HeldBucket): void {
    if (this.#held.get(entry.bucket.name) === entry) this.markDirty(entry.bucket)
  }

  /** A new checkpoint of the feed has changed a bucket. */
  changed(bucket: LiveBucket): void {
    this.markDirty(bucket)
    const priority = this.#held.get(bucket.name)?.grant.priority
    if (priority !== undefined && priority < this.#highestDirtyPriority) this.#highestDirtyPriority = priority
  }

  /** A bucket that was expected has come into being: the device has nothing of it, and was not told of it by a checkpoint before. */
  appeared(bucket: LiveBucket, grant: BucketGrant): void {
    this.#held.set(bucket.name, heldBucket(bucket, grant, 0))
  }

  /** Gives the session these buckets, in place of those that it had. To be filled in the same turn. */
  grant(grants: ReadonlyMap<string, BucketGrant>): void {
    for (const [name, entry] of this.#held) {
      const grant = grants.get(name)
      if (grant) {
        entry.grant = grant
        if (!isDescribed(entry)) this.markDirty(entry.bucket)
        continue
      }
      this.#held.delete(name)
      this.#dirty?.delete(entry.bucket)
      this.#feed.release([entry.bucket], this.#listener)
      if (entry.announced) (this.#lost ??= new Map()).set(name, entry)
    }
    const next = regrant(this.#expecting(), grants)
    this.#expected = next.expected
    this.#hold(next.gained, grants)
  }

  /** Loads the counts and checksums of buckets from the log where they are unknown. */
  async fill(): Promise<void> {
    await this.#feed.fill(this.#readBuckets, [...this.#held.keys()], this.#signal)
  }

  /** After a repair of the log: the numbers of the buckets are read again, and all of them are looked at. */
  async refill(): Promise<void> {
    const next = this.#feed.epoch
    const grants = stillExpected({ held: this.#held, expected: this.#expected })
    this.#expected = this.#feed.expect(this.#listener, this.#expected, NO_GRANTS, NO_GRANTS)
    this.#hold([...grants.keys()], grants)
    await this.fill()
    this.#epoch = next
    for (const entry of this.#held.values()) this.markDirty(entry.bucket)
  }

  /** The buckets that the next checkpoint has to name: from then on the device knows of them. */
  takeChanged(): readonly HeldBucket[] {
    const changed: HeldBucket[] = []
    const empty: HeldBucket[] = []
    for (const bucket of this.#dirty ?? []) {
      const entry = this.#held.get(bucket.name)
      if (!entry) continue
      // No row has ever been in it: only a subscription that names it asks for it. What the first checkpoint does not name the device drops.
      if (bucket.id === 0 && !entry.grant.isSubscribed) {
        if (!entry.announced && bucket.isFilled) empty.push(entry)
        continue
      }
      if (entry.announced && isDescribed(entry) && bucket.lastOpId <= entry.upTo) continue
      // The device is ahead of the log, which was restored, or has a bucket that was deleted.
      if (entry.upTo > this.#feed.opId || (bucket.id === 0 && entry.position > 0)) restartBucket(entry)
      entry.announced = true
      entry.described = entry.grant
      changed.push(entry)
    }
    this.#expected = expectInstead(this.#expecting(), empty)
    this.#dirty = undefined
    this.#highestDirtyPriority = Number.POSITIVE_INFINITY
    return changed
  }

  /** Returns the names of the buckets that the device has to drop. */
  lost(): readonly string[] {
    return this.#lost ? [...this.#lost.keys()] : NO_NAMES
  }

  /** A checkpoint leaves that names what was lost, and all that the device may keep. */
  told(): void {
    this.#lost = undefined
    this.#positions = NO_POSITIONS
  }

  /** Returns all buckets that the device knows. */
  announced(): readonly HeldBucket[] {
    return [...this.#held.values()].filter((entry) => entry.announced)
  }

  /** Whether a batch is being written that supersedes versions in one of these buckets. */
  isBatchAnnounced(buckets: readonly LiveBucket[]): boolean {
    return buckets.some(
      (bucket) => bucket.supersededAt === Number.POSITIVE_INFINITY && this.#held.get(bucket.name)?.bucket === bucket,
    )
  }

  release(): void {
    this.#feed.release(
      [...this.#held.values()].map((entry) => entry.bucket),
      this.#listener,
    )
    this.#expected = this.#feed.expect(this.#listener, this.#expected, NO_GRANTS, NO_GRANTS)
  }

  #expecting(): Parameters<typeof expectInstead>[0] {
    return { feed: this.#feed, holder: this.#listener, held: this.#held, expected: this.#expected }
  }

  #hold(gained: readonly string[], grants: ReadonlyMap<string, BucketGrant>): void {
    for (const bucket of this.#feed.hold(gained, this.#listener)) {
      const grant = grants.get(bucket.name)
      if (!grant) continue
      const before = this.#lost?.get(bucket.name)
      // Lost and regained between two checkpoints: the device has not noticed and continues from its position.
      this.#lost?.delete(bucket.name)
      const position = this.#positions.get(bucket.name) ?? 0
      const since = position > 0 ? this.#downloads.sinceOf(this.#device, bucket.name, position) : undefined
      this.#held.set(
        bucket.name,
        before ? { ...before, bucket, grant, since: undefined } : heldBucket(bucket, grant, position, since),
      )
      this.markDirty(bucket)
    }
  }
}

// Shared by all who have none.
const NO_GRANTS: ReadonlyMap<string, BucketGrant> = new Map()
const NO_NAMES: readonly string[] = []
const NO_POSITIONS: ReadonlyMap<string, number> = new Map()
