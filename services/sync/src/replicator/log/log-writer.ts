import type { Pool, Queryable } from '@holdfast/postgres'
import type { Lsn } from '@holdfast/replication'
import type { CheckpointFeed } from '../../checkpoints/checkpoint-feed.ts'
import type { NoteDraft } from '../../followers/note-publisher.ts'
import { insertNoteText, noteValues, writeNote } from '../../followers/notes.ts'
import { BATCH_BUCKETS_MAX, BUCKET_IDS_PER_HELD, CHUNK_BYTES_MAX, CHUNK_OPS_MAX } from '../../limits.ts'
import { createBucketIds, type BucketIds } from '../../storage/bucket-ids.ts'
import {
  isSmall,
  writeBatch,
  writeChunk,
  writePosition,
  writeSums,
  writeTotals,
  type ReplicatorState,
  type WrittenPosition,
} from '../../storage/bucket-storage.ts'
import { createBucketSums } from '../../storage/bucket-sums.ts'
import { createPendingMoments, writeMoments } from '../../storage/moments.ts'
import { type TakenOps, PendingOps } from '../../storage/pending-ops.ts'
import { BatchTransaction } from './batch-transaction.ts'
import { readLiveBuckets } from './live-buckets.ts'

/** Maximum bytes of one batch kept in memory for live fan-out. */
const KEPT_BATCH_BYTES_MAX = 4 * 1024 * 1024

/** Limits for the part of an incomplete batch that is held in memory. */
export interface BatchLimits {
  /** Operations. */
  readonly chunkOps: number
  /** Maximum buckets: beyond it, a batch writes their sums before it is complete. */
  readonly buckets: number
}

/** The chunks of a batch written so far. */
interface Chunks {
  readonly count: number
  /** The only chunk so far; `undefined` once there were several. */
  readonly only: TakenOps | undefined
  /** Buckets with superseded stored operations. */
  readonly superseded: Set<number>
  /** Some bucket sums are already in the open transaction; only Postgres knows which. */
  readonly isPartial: boolean
}

const noChunks = (): Chunks => ({ count: 0, only: undefined, superseded: new Set(), isPartial: false })

/** The only writer of the log. Collects operations and writes them so that whole source transactions become visible at once. */
export class LogWriter {
  readonly pending: PendingOps
  readonly ids: BucketIds
  readonly moments = createPendingMoments()
  /** Number of operations that justify a {@link LogWriter.spill}. */
  readonly chunkOps: number
  readonly #pool: Pool
  readonly #feed: CheckpointFeed
  readonly #epoch: ReplicatorState['epoch']
  readonly #bucketsMax: number
  readonly #sums = createBucketSums()
  readonly #transaction: BatchTransaction
  #lastOpId: number
  #confirmedLsn: Lsn | undefined
  #chunks = noChunks()

  constructor(
    pool: Pool,
    feed: CheckpointFeed,
    state: ReplicatorState,
    limits: BatchLimits = { chunkOps: CHUNK_OPS_MAX, buckets: BATCH_BUCKETS_MAX },
  ) {
    this.#pool = pool
    this.#feed = feed
    this.#epoch = state.epoch
    this.#lastOpId = state.lastOpId
    this.#confirmedLsn = state.confirmedLsn
    this.#bucketsMax = limits.buckets
    this.chunkOps = limits.chunkOps
    this.#transaction = new BatchTransaction(pool)
    this.ids = createBucketIds(state.lastBucketId, limits.buckets * BUCKET_IDS_PER_HELD)
    this.pending = new PendingOps(
      () => ++this.#lastOpId,
      () => this.#lastOpId,
    )
  }

  get lastOpId(): number {
    return this.#lastOpId
  }
  /**
   * Connection for statements that prepare operations. Not the open transaction, whose connection is receiving a chunk, unless only that transaction sees
   * some buckets.
   */
  get db(): Queryable {
    return this.#chunks.isPartial ? this.#transaction : this.#pool
  }
  /** Connection that sees the batch's written operations. */
  get batchDb(): Queryable {
    return this.#transaction.isOpen ? this.#transaction : this.#pool
  }
  /** Number of buckets held in memory for the batch. */
  get bucketsHeld(): number {
    return Math.max(this.#sums.size, this.ids.newCount, this.#chunks.superseded.size)
  }
  /** Whether it is between two batches, so nothing refers to a bucket by its id. */
  get isIdle(): boolean {
    return this.pending.size === 0 && this.#chunks.count === 0 && !this.#transaction.isOpen && this.ids.newCount === 0
  }
  get position(): WrittenPosition {
    return this.#positionAt(this.#confirmedLsn)
  }

  /** Returns the next operation id, for operations that bypass this writer (the first rows of a table). */
  nextOpId(): number {
    return ++this.#lastOpId
  }

  /** Writes collected operations in the middle of a large transaction once there are enough. */
  async spill(): Promise<void> {
    const { moments, pending, chunkOps } = this
    if (moments.size >= chunkOps) await this.#writeMoments()
    if (pending.size < chunkOps && pending.bytes < CHUNK_BYTES_MAX) return
    const taken = pending.take()
    this.#add(taken)
    await this.#transaction.write((tx) => writeChunk(tx, taken))
    if (this.bucketsHeld > this.#bucketsMax) this.#settleBuckets()
  }

  /**
   * Completes and publishes a batch of complete transactions that ends at `endLsn`. `beforePublish` runs once the batch is durable.
   *
   * @param draft - of the note to other servers, which is written in the batch's transaction
   */
  async complete(endLsn: Lsn, beforePublish: () => void, draft?: NoteDraft): Promise<void> {
    const bytes = this.pending.bytes
    const taken = this.pending.take()
    if (taken.ops.length === 0 && taken.cleared.length === 0 && this.#chunks.count === 0) {
      await this.#completeEmpty(endLsn, draft)
      beforePublish()
      this.#feed.advance(endLsn)
      return
    }
    this.#add(taken)
    const { isPartial, only, superseded } = this.#chunks
    const { deltas, cleared } = this.#sums.take()
    const fresh = this.ids.takeNew(deltas)
    this.#feed.announce(isPartial ? 'any' : new Set([...superseded, ...cleared]))
    if (this.moments.size > 0) await this.#writeMoments()
    const position = this.#positionAt(endLsn)
    const batch = isPartial ? 'unknown' : { deltas, cleared, fresh, superseded, ops: only?.ops }
    const note = draft?.render({ fromOpId: this.#feed.opId, toOpId: this.#lastOpId, endLsn, batch })
    if (!this.#transaction.isOpen && isSmall(taken)) {
      const noted = note && { text: insertNoteText, values: noteValues(note) }
      await this.#pool.withClient((client) => writeBatch(client, taken, fresh, position, this.#epoch, noted))
    } else {
      await this.#transaction.write((tx) => writeChunk(tx, taken))
      await this.#transaction.commit(async (tx) => {
        await writeTotals(tx, deltas, cleared, fresh, position)
        if (note) await writeNote(tx, note)
      })
    }
    this.#confirmedLsn = endLsn
    const changed = isPartial ? await readLiveBuckets(this.#pool, this.#feed) : { deltas, cleared, fresh }
    beforePublish()
    this.#feed.publish({
      fromOpId: this.#feed.opId,
      toOpId: this.#lastOpId,
      endLsn,
      taken: bytes <= KEPT_BATCH_BYTES_MAX ? only : undefined,
      ...changed,
    })
    this.#startOver()
  }

  /** Discards collected operations; the stream delivers them again. */
  async abandon(): Promise<void> {
    this.pending.take()
    this.moments.take()
    this.#startOver()
    await this.#transaction.rollback()
  }

  /**
   * Completes a batch without operations, possibly with moments of rows. The last operation id stays the published one, because streams would wait for a
   * later one.
   */
  async #completeEmpty(endLsn: Lsn, draft: NoteDraft | undefined): Promise<void> {
    if (this.moments.size > 0) await this.#writeMoments()
    const { opId } = this.#feed
    const note = draft?.isNeeded ? draft.render({ fromOpId: opId, toOpId: opId, endLsn }) : undefined
    if (this.#transaction.isOpen) {
      await this.#transaction.commit(async (tx) => {
        await writePosition(tx, { ...this.#positionAt(endLsn), lastOpId: opId })
        if (note) await writeNote(tx, note)
      })
    } else if (note) await this.#pool.transaction((tx) => writeNote(tx, note))
    this.#confirmedLsn = endLsn
  }

  #positionAt(confirmedLsn: Lsn | undefined): WrittenPosition {
    return { confirmedLsn, lastOpId: this.#lastOpId, lastBucketId: this.ids.lastId }
  }

  #add(taken: TakenOps): void {
    this.#sums.add(taken)
    const { count, superseded } = this.#chunks
    for (const { bucketId } of taken.superseded) superseded.add(bucketId)
    this.#chunks = { ...this.#chunks, count: count + 1, only: count === 0 ? taken : undefined }
  }

  /** Writes the bucket sums so far to the open transaction to free memory. */
  #settleBuckets(): void {
    const { deltas, cleared } = this.#sums.take()
    const fresh = this.ids.takeNew(deltas)
    this.#chunks = { ...this.#chunks, superseded: new Set(), isPartial: true }
    this.#transaction.append((tx) => writeSums(tx, deltas, cleared, fresh))
  }

  async #writeMoments(): Promise<void> {
    await this.#transaction.write((tx) => writeMoments(tx, this.moments.take()))
  }

  #startOver(): void {
    this.#sums.take()
    this.#chunks = noChunks()
  }
}
