import { assert } from '@holdfast/foundation'
import type { Pool, Queryable, Transaction } from '@holdfast/postgres'
import type { Lsn } from '@holdfast/replication'
import type { CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import { CHUNK_BYTES_MAX, CHUNK_OPS_MAX, STATEMENT_OPS_MAX } from '../limits.ts'
import {
  createBucketIds,
  writeBatch,
  writeChunk,
  writeTotals,
  type BucketIds,
  type ReplicatorState,
  type WrittenPosition,
} from '../storage/bucket-storage.ts'
import { createPendingOps, type BucketDelta, type PendingOps, type TakenOps } from '../storage/pending-ops.ts'

/** Bytes of one batch that are kept in memory for live fan-out. */
const KEPT_BATCH_BYTES_MAX = 4 * 1024 * 1024

/** A transaction that is open across several calls, because the source's transaction is larger than memory should hold. */
interface OpenTransaction {
  readonly tx: Transaction
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** The only writer of the log. Collects operations and writes them so that whole source transactions become visible at once. */
export interface LogWriter {
  readonly pending: PendingOps
  readonly ids: BucketIds
  /** Ids for operations that are written past it (a table's first rows). */
  nextOpId(): number
  readonly lastOpId: number
  /** Where statements that prepare operations run: not in the open transaction, whose connection takes in a chunk meanwhile. */
  readonly db: Queryable
  readonly position: WrittenPosition
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

export function createLogWriter(pool: Pool, feed: CheckpointFeed, state: ReplicatorState): LogWriter {
  let lastOpId = state.lastOpId
  let confirmedLsn = state.confirmedLsn
  const ids = createBucketIds(state.lastBucketId)
  const pending = createPendingOps(
    () => ++lastOpId,
    () => lastOpId,
  )
  let open: OpenTransaction | undefined
  let deltas = new Map<number, BucketDelta>()
  let cleared = new Set<number>()
  let superseded = new Set<number>()
  /** The only chunk of the batch so far; `undefined` once there were several, or one too large to keep. */
  let only: TakenOps | undefined
  let chunks = 0
  /** The chunk that is on its way into the open transaction. */
  let writing: Promise<void> = Promise.resolve()

  function add(taken: TakenOps): void {
    for (const id of taken.cleared) {
      cleared.add(id)
      deltas.delete(id)
    }
    for (const [id, delta] of taken.deltas) {
      const sum = deltas.get(id)
      if (sum) {
        sum.checksum = (sum.checksum + delta.checksum) | 0
        sum.count += delta.count
        sum.lastOpId = delta.lastOpId
      } else {
        deltas.set(id, { ...delta })
      }
    }
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

  function startOver(): void {
    deltas = new Map()
    cleared = new Set()
    superseded = new Set()
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
    db: pool,
    get position() {
      return position(confirmedLsn)
    },
    async spill() {
      if (pending.size < CHUNK_OPS_MAX && pending.bytes < CHUNK_BYTES_MAX) return
      const taken = pending.take()
      add(taken)
      await write(taken)
    },
    async complete(endLsn, beforePublish) {
      const bytes = pending.bytes
      const taken = pending.take()
      if (taken.ops.length === 0 && taken.cleared.length === 0 && chunks === 0) {
        confirmedLsn = endLsn
        beforePublish()
        feed.advance(endLsn)
        return
      }
      add(taken)
      const fresh = ids.takeNew(deltas)
      feed.announce(new Set([...superseded, ...cleared]))
      if (!open && taken.ops.length <= STATEMENT_OPS_MAX && taken.cleared.length === 0) {
        await pool.withClient((client) => writeBatch(client, taken, fresh, position(endLsn)))
      } else {
        await write(taken)
        await writing
        assert(open, 'a chunk opens a transaction')
        await writeTotals(open.tx, deltas, cleared, fresh, position(endLsn))
        await open.commit()
        open = undefined
      }
      confirmedLsn = endLsn
      beforePublish()
      feed.publish({
        fromOpId: feed.opId,
        toOpId: lastOpId,
        endLsn,
        taken: bytes <= KEPT_BATCH_BYTES_MAX ? only : undefined,
        deltas,
        cleared,
        fresh,
      })
      startOver()
    },
    async abandon() {
      pending.take()
      startOver()
      await writing.catch(() => undefined) // given up with the rest
      writing = Promise.resolve()
      await open?.rollback()
      open = undefined
    },
  }
}
