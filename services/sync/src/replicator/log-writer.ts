import { assert } from '@holdfast/foundation'
import type { Pool, Queryable, SqlFragment, Transaction } from '@holdfast/postgres'
import type { Lsn } from '@holdfast/replication'
import type { AppliedBatch, CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import {
  BATCH_BUCKETS_MAX,
  BUCKET_IDS_PER_HELD,
  CHUNK_BYTES_MAX,
  CHUNK_OPS_MAX,
  STATEMENT_OPS_MAX,
  TOTALS_BUCKETS_MAX,
} from '../limits.ts'
import { createBucketIds, type BucketIds } from '../storage/bucket-ids.ts'
import {
  readBuckets,
  writeBatch,
  writeChunk,
  writePosition,
  writeSums,
  writeTotals,
  type ReplicatorState,
  type WrittenPosition,
} from '../storage/bucket-storage.ts'
import { createBucketSums } from '../storage/bucket-sums.ts'
import { createPendingMoments, writeMoments, type PendingMoments } from '../storage/moments.ts'
import { createPendingOps, type BucketDelta, type PendingOps, type TakenOps } from '../storage/pending-ops.ts'

/** Bytes of one batch that are kept in memory for live fan-out. */
const KEPT_BATCH_BYTES_MAX = 4 * 1024 * 1024

/** A transaction that is open across several calls, because the source's transaction is larger than memory should hold. */
interface OpenTransaction {
  readonly tx: Transaction
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** What is held in memory of a batch that is not complete. */
export interface BatchLimits {
  /** Operations. */
  readonly chunkOps: number
  /** Buckets: a batch of more writes what it knows of them before it is complete. */
  readonly buckets: number
}

/** The only writer of the log. Collects operations and writes them so that whole source transactions become visible at once. */
export interface LogWriter {
  readonly pending: PendingOps
  readonly ids: BucketIds
  /** Ids for operations that are written past it (a table's first rows). */
  nextOpId(): number
  readonly lastOpId: number
  /**
   * Where statements that prepare operations run: not in the open transaction, whose connection takes in a chunk meanwhile, unless there are buckets that only
   * that transaction sees.
   */
  readonly db: Queryable
  /** Where the operations of the batch are that were handed on already. */
  readonly batchDb: Queryable
  readonly moments: PendingMoments
  /** Buckets that are held in memory for the batch. */
  readonly bucketsHeld: number
  /** Operations that are worth a {@link LogWriter.spill}. */
  readonly chunkOps: number
  readonly position: WrittenPosition
  /** Whether it is between two batches: nothing refers to a bucket by its id. */
  readonly isIdle: boolean
  /** Writes what has piled up in the middle of a large transaction, when it is much. */
  spill(): Promise<void>
  /** Completes a batch of whole transactions that ends at `endLsn`, and publishes it. `beforePublish` runs when it is durable. */
  complete(endLsn: Lsn, beforePublish: () => void): Promise<void>
  /** Gives up what was collected; the stream delivers it again. */
  abandon(): Promise<void>
}

async function openTransaction(pool: Pool): Promise<OpenTransaction> {
  const opened = Promise.withResolvers<Transaction>()
  const finish = Promise.withResolvers<void>()
  const done = pool.transaction(async (tx) => {
    opened.resolve(tx)
    await finish.promise
  })
  done.catch(opened.reject)
  const tx = await opened.promise
  return {
    tx,
    async commit() {
      finish.resolve()
      await done
    },
    async rollback() {
      finish.reject(new Error('given up'))
      await done.catch(() => undefined) // the rejection is the one of the line above, or the connection is gone: rolled back either way
    },
  }
}

export function createLogWriter(
  pool: Pool,
  feed: CheckpointFeed,
  state: ReplicatorState,
  limits: BatchLimits = { chunkOps: CHUNK_OPS_MAX, buckets: BATCH_BUCKETS_MAX },
): LogWriter {
  let lastOpId = state.lastOpId
  let confirmedLsn = state.confirmedLsn
  const ids = createBucketIds(state.lastBucketId, limits.buckets * BUCKET_IDS_PER_HELD)
  const pending = createPendingOps(
    () => ++lastOpId,
    () => lastOpId,
  )
  let open: OpenTransaction | undefined
  const sums = createBucketSums()
  const moments = createPendingMoments()
  let superseded = new Set<number>()
  /** Sums of buckets are in the open transaction already; which ones, only Postgres knows. */
  let isPartial = false
  /** The only chunk of the batch so far; `undefined` once there were several, or one too large to keep. */
  let only: TakenOps | undefined
  let chunks = 0
  /** The chunk that is on its way into the open transaction. */
  let writing: Promise<void> = Promise.resolve()

  /** Behind the chunk that is being written. */
  const inside: Queryable = {
    async query<Row extends object>(statement: SqlFragment) {
      await writing
      assert(open, 'a partial batch is in a transaction')
      return open.tx.query<Row>(statement)
    },
    async execute(statement) {
      await writing
      assert(open, 'a partial batch is in a transaction')
      return open.tx.execute(statement)
    },
  }

  function add(taken: TakenOps): void {
    sums.add(taken)
    for (const entry of taken.superseded) superseded.add(entry.bucketId)
    only = chunks++ === 0 ? taken : undefined
  }

  function position(lsn: Lsn | undefined): WrittenPosition {
    return { confirmedLsn: lsn, lastOpId, lastBucketId: ids.lastId }
  }

  /** Hands a chunk on once the one before is written, so that the next is made while this one is being written. */
  async function write(taken: TakenOps): Promise<void> {
    await writing
    open ??= await openTransaction(pool)
    writing = writeChunk(open.tx, taken)
    writing.catch(() => undefined) // seen by whoever writes or completes next
  }

  function bucketsHeld(): number {
    return Math.max(sums.size, ids.newCount, superseded.size)
  }

  /** Lets the open transaction remember the buckets of the chunks so far. */
  function settleBuckets(): void {
    assert(open, 'a chunk opens a transaction')
    const { tx } = open
    const { deltas, cleared } = sums.take()
    const fresh = ids.takeNew(deltas)
    superseded = new Set()
    isPartial = true
    writing = writing.then(() => writeSums(tx, deltas, cleared, fresh))
    writing.catch(() => undefined) // as above
  }

  /** After a partial batch was committed: what the log has of the buckets that a person has, as if the batch had made them from scratch. */
  async function readLive(): Promise<Pick<AppliedBatch, 'deltas' | 'cleared' | 'fresh'>> {
    const deltas = new Map<number, BucketDelta>()
    const fresh = new Map<number, { readonly name: string }>()
    const asked = new Set<string>()
    for (;;) {
      // Streams that come meanwhile may have read their buckets as they were before.
      const names = feed.liveNames().filter((name) => !asked.has(name))
      if (names.length === 0) return { deltas, cleared: new Set(deltas.keys()), fresh }
      for (let at = 0; at < names.length; at += TOTALS_BUCKETS_MAX) {
        const some = names.slice(at, at + TOTALS_BUCKETS_MAX)
        for (const { id, name, checksum, count, lastOpId: last, floor } of (await readBuckets(pool, some)).buckets) {
          if (last <= feed.opId) continue
          deltas.set(id, { checksum, count, lastOpId: last })
          if (floor > feed.opId) fresh.set(id, { name }) // it begins with this batch
        }
      }
      for (const name of names) asked.add(name)
    }
  }

  /** Behind the chunk that is being written, in the transaction of the batch. */
  async function settleMoments(): Promise<void> {
    await writing
    open ??= await openTransaction(pool)
    writing = writeMoments(open.tx, moments.take())
    writing.catch(() => undefined) // as above
  }

  function startOver(): void {
    sums.take()
    superseded = new Set()
    isPartial = false
    only = undefined
    chunks = 0
  }

  return {
    pending,
    ids,
    nextOpId: () => ++lastOpId,
    get lastOpId() {
      return lastOpId
    },
    get db() {
      return isPartial ? inside : pool
    },
    get batchDb() {
      return open ? inside : pool
    },
    moments,
    chunkOps: limits.chunkOps,
    get bucketsHeld() {
      return bucketsHeld()
    },
    get isIdle() {
      return pending.size === 0 && chunks === 0 && !open && ids.newCount === 0
    },
    get position() {
      return position(confirmedLsn)
    },
    async spill() {
      if (moments.size >= limits.chunkOps) await settleMoments()
      if (pending.size < limits.chunkOps && pending.bytes < CHUNK_BYTES_MAX) return
      const taken = pending.take()
      add(taken)
      await write(taken)
      if (bucketsHeld() > limits.buckets) settleBuckets()
    },
    async complete(endLsn, beforePublish) {
      const bytes = pending.bytes
      const taken = pending.take()
      if (taken.ops.length === 0 && taken.cleared.length === 0 && chunks === 0) {
        if (moments.size > 0) await settleMoments()
        if (open) {
          await writing
          await writePosition(open.tx, position(endLsn))
          await open.commit()
          open = undefined
        }
        confirmedLsn = endLsn
        beforePublish()
        feed.advance(endLsn)
        return
      }
      add(taken)
      const { deltas, cleared } = sums.take()
      const fresh = ids.takeNew(deltas)
      feed.announce(isPartial ? 'any' : new Set([...superseded, ...cleared]))
      if (moments.size > 0) await settleMoments()
      if (!open && taken.ops.length <= STATEMENT_OPS_MAX && taken.cleared.length === 0) {
        await pool.withClient((client) => writeBatch(client, taken, fresh, position(endLsn), state.epoch))
      } else {
        await write(taken)
        await writing
        assert(open, 'a chunk opens a transaction')
        await writeTotals(open.tx, deltas, cleared, fresh, position(endLsn))
        await open.commit()
        open = undefined
      }
      confirmedLsn = endLsn
      const changed = isPartial ? await readLive() : { deltas, cleared, fresh }
      beforePublish()
      feed.publish({
        fromOpId: feed.opId,
        toOpId: lastOpId,
        endLsn,
        taken: bytes <= KEPT_BATCH_BYTES_MAX ? only : undefined,
        ...changed,
      })
      startOver()
    },
    async abandon() {
      pending.take()
      moments.take()
      startOver()
      await writing.catch(() => undefined) // given up with the rest
      writing = Promise.resolve()
      await open?.rollback()
      open = undefined
    },
  }
}
