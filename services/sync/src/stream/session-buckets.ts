import type { BucketGrant } from '../buckets/bucket-grant.ts'
import type { CheckpointFeed, Expected, ExpectingListener, LiveBucket } from '../checkpoints/checkpoint-feed.ts'
import type { ReadBuckets } from '../checkpoints/checkpoint-feed.ts'
import type { Downloads } from './downloads.ts'
import { expectInstead, NOTHING_EXPECTED, regrant, stillExpected } from './expect-buckets.ts'
import { isDescribed } from './next-checkpoint.ts'
import { restartBucket, heldBucket, type HeldBucket } from './send-ops.ts'
import type { HeldSize } from './session-state.ts'

export interface SessionBucketsOptions {
  readonly feed: CheckpointFeed
  readonly downloads: Downloads
  readonly readBuckets: ReadBuckets
  readonly device: string
  readonly listener: ExpectingListener
  /** Positions that the device reported, by bucket name. */
  readonly positions: ReadonlyMap<string, number>
  /** Aborts when the session ends. */
  readonly signal: AbortSignal
}

/** The buckets of one session, and what the device still has to be told about them. */
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
  /** Used for the first checkpoint only, after which the device drops all buckets that it does not name. */
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

  /** Whether the bucket sums belong to the feed's current epoch. */
  get isOfEpoch(): boolean {
    return this.#feed.epoch === this.#epoch
  }

  /** The most urgent priority among buckets changed since the last checkpoint. */
  get highestDirtyPriority(): number {
    return this.#highestDirtyPriority
  }

  markDirty(bucket: LiveBucket): void {
    this.#dirty ??= new Set()
    this.#dirty.add(bucket)
  }

  /** Marks a bucket that could not be sent, unless the device no longer has it. */
  markUnsent(entry: HeldBucket): void {
    if (this.#held.get(entry.bucket.name) === entry) this.markDirty(entry.bucket)
  }

  /** Called when a new checkpoint has changed a bucket. */
  changed(bucket: LiveBucket): void {
    this.markDirty(bucket)
    const priority = this.#held.get(bucket.name)?.grant.priority
    if (priority !== undefined && priority < this.#highestDirtyPriority) this.#highestDirtyPriority = priority
  }

  /** Called when an expected bucket has been created. The device has no data of it. */
  appeared(bucket: LiveBucket, grant: BucketGrant): void {
    this.#held.set(bucket.name, heldBucket(bucket, grant, 0))
  }

  /** Replaces the session's buckets. Call {@link SessionBuckets.fill} in the same turn. */
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

  /** Reads all bucket sums again after a repair of the log, and marks all buckets as changed. */
  async refill(): Promise<void> {
    const next = this.#feed.epoch
    const grants = stillExpected({ held: this.#held, expected: this.#expected })
    this.#expected = this.#feed.expect(this.#listener, this.#expected, NO_GRANTS, NO_GRANTS)
    this.#hold([...grants.keys()], grants)
    await this.fill()
    this.#epoch = next
    for (const entry of this.#held.values()) this.markDirty(entry.bucket)
  }

  /** Returns the buckets that the next checkpoint must name. The device knows them from then on. */
  takeChanged(): readonly HeldBucket[] {
    const changed: HeldBucket[] = []
    const empty: HeldBucket[] = []
    for (const bucket of this.#dirty ?? []) {
      const entry = this.#held.get(bucket.name)
      if (!entry) continue
      // The bucket has never had a row, so only a subscription requires it. The device drops what the first checkpoint does not name.
      if (bucket.id === 0 && !entry.grant.isSubscribed) {
        if (!entry.announced && bucket.isFilled) empty.push(entry)
        continue
      }
      if (entry.announced && isDescribed(entry) && bucket.lastOpId <= entry.upTo) continue
      // The device is ahead of the log, which was restored, or has a deleted bucket.
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

  /** Called when a checkpoint is sent that names the changed and lost buckets. */
  told(): void {
    this.#lost = undefined
    this.#positions = NO_POSITIONS
  }

  /** Returns all buckets that the device knows. */
  announced(): readonly HeldBucket[] {
    return [...this.#held.values()].filter((entry) => entry.announced)
  }

  /** Makes the next checkpoint start all buckets that the device knows from the beginning. */
  restart(): void {
    for (const entry of this.#held.values()) {
      if (!entry.announced || entry.bucket.id === 0) continue
      restartBucket(entry)
      this.markDirty(entry.bucket)
    }
  }

  size(): HeldSize {
    let buckets = 0
    let operations = 0
    let operationsLeft = 0
    for (const { bucket, announced, upTo } of this.#held.values()) {
      if (!announced) continue
      buckets += 1
      operations += bucket.count
      if (upTo < bucket.lastOpId) operationsLeft += bucket.count
    }
    return { buckets, operations, operationsLeft }
  }

  /** Ids of the buckets that the device knows. */
  ids(): readonly number[] {
    return this.announced().flatMap(({ bucket }) => (bucket.id === 0 ? [] : [bucket.id]))
  }

  /** Whether a batch being written supersedes versions in one of these buckets. */
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

// Shared by sessions without any.
const NO_GRANTS: ReadonlyMap<string, BucketGrant> = new Map()
const NO_NAMES: readonly string[] = []
const NO_POSITIONS: ReadonlyMap<string, number> = new Map()
