import { randomBytes } from 'node:crypto'
import type { Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import type { Pool } from '@holdfast/postgres'
import { readTable, type CreatedSlot, type Relation } from '@holdfast/replication'
import { activatePlan } from '../buckets/active-plan.ts'
import { contentOf } from '../storage/definition-content.ts'
import { BATCH_BUCKETS_MAX, CHUNK_BYTES_MAX, CHUNK_OPS_MAX } from '../limits.ts'
import type { BucketIds } from '../storage/bucket-ids.ts'
import {
  insertDefinition,
  VOID,
  voidDefinitions,
  readShapes,
  writeChunk,
  writePosition,
  writeSums,
  type StoredDefinition,
} from '../storage/bucket-storage.ts'
import { createBucketSums } from '../storage/bucket-sums.ts'
import { createPendingMoments, writeMoments } from '../storage/moments.ts'
import { createPendingOps } from '../storage/pending-ops.ts'
import { applyChanges, createRouters, type RowChange } from '../rows/apply-changes.ts'
import type { RowEvaluator } from '../rows/row-evaluator.ts'

export interface FillOptions {
  readonly pool: Pool
  readonly evaluator: RowEvaluator
  /** Connects as `holdfast_reader`, for reading at the snapshot. */
  readonly url: string
  readonly plan: SyncPlan
  /** Ids of the definitions whose buckets are to be made. */
  readonly definitionIds: ReadonlySet<string>
  readonly slot: CreatedSlot
  readonly ids: BucketIds
  readonly nextOpId: () => number
  readonly lastOpId: () => number
  readonly logger: Logger
  /** Ends the reading at once, also while a table is locked. */
  readonly signal: AbortSignal
}

/**
 * Makes the buckets of some definitions from the tables' rows at the slot's snapshot, all in one transaction: either all of them exist
 * afterwards, or none.
 */
export async function fillDefinitions(options: FillOptions): Promise<StoredDefinition[]> {
  const { pool, plan, slot, ids } = options
  const started = Date.now()
  let rows = 0
  const filled = await pool.transaction(async (tx) => {
    const stored: StoredDefinition[] = []
    const shapes = await readShapes(
      tx,
      plan.tables.map((table) => table.oid),
    )
    for (const table of plan.tables) {
      for (const [id, definition] of new Map(table.definitions.map((one) => [one.id, one]))) {
        if (!options.definitionIds.has(id)) continue
        const content = contentOf(table, definition)
        const tag = randomBytes(4).toString('hex')
        const shape = shapes.get(table.oid) ?? VOID // dropped meanwhile
        stored.push(await insertDefinition(tx, { id, tag, shape, content, activeFrom: slot.consistentPoint }))
      }
    }
    const active = activatePlan(plan, stored)
    const pending = createPendingOps(options.nextOpId, options.lastOpId)
    const sums = createBucketSums()
    const moments = createPendingMoments()
    const settleBuckets = async (): Promise<void> => {
      const { deltas, cleared } = sums.take()
      await writeSums(tx, deltas, cleared, ids.takeNew(deltas))
    }
    const flush = async (): Promise<void> => {
      const taken = pending.take()
      sums.add(taken)
      await writeChunk(tx, taken)
      await writeMoments(tx, moments.take())
      if (sums.size > BATCH_BUCKETS_MAX) await settleBuckets()
    }
    for (const { table, definitions } of active.tables.values()) {
      if (definitions.length === 0) continue
      const relation: Relation = {
        oid: table.oid,
        schema: table.schema,
        name: table.name,
        columns: table.columns.map((column) => ({
          name: column.name,
          typeOid: column.typeOid,
          isKey: table.key.columns.includes(column.name),
        })),
      }
      const routers = createRouters(active)
      const batches = readTable({
        url: options.url,
        snapshotName: slot.snapshotName,
        schema: table.schema,
        table: table.name,
        columns: relation.columns.map((column) => column.name),
        signal: options.signal,
      })
      for await (const batch of batches) {
        rows += batch.length
        const changes = batch.map((row): RowChange => ({
          relation,
          old: undefined,
          row,
          commitLsn: slot.consistentPoint,
        }))
        await applyChanges(
          { db: tx, evaluator: options.evaluator, routers, ids, pending, batchDb: tx, moments },
          changes,
        )
        if (pending.size + moments.size >= CHUNK_OPS_MAX || pending.bytes >= CHUNK_BYTES_MAX) await flush()
      }
    }
    await flush()
    await settleBuckets()
    await writePosition(tx, { confirmedLsn: undefined, lastOpId: options.lastOpId(), lastBucketId: ids.lastId })
    const distrusted = options.evaluator.takeDistrusted()
    const isVoid = new Set(
      [...distrusted].flatMap((oid) => active.tables.get(oid)?.definitions ?? []).map((one) => one.stored.number),
    )
    await voidDefinitions(tx, [...isVoid])
    return stored.map((one) => (isVoid.has(one.number) ? { ...one, shape: VOID } : one))
  })
  if (filled.length > 0) {
    options.logger.log('info', 'tables were read for sync', {
      definitions: filled.length,
      rows,
      ms: Date.now() - started,
    })
  }
  return filled
}
