import { randomBytes } from 'node:crypto'
import type { Logger } from '@holdfast/foundation'
import type { SyncPlan, TablePlan } from '@holdfast/policy'
import { SQLSTATE, sqlstateOf, type Pool, type Transaction } from '@holdfast/postgres'
import { readTable, type CreatedSlot } from '@holdfast/replication'
import { activatePlan, type ActivePlan } from '../buckets/active-plan.ts'
import { contentOf } from '../storage/definition-content.ts'
import { BATCH_BUCKETS_MAX, CHUNK_BYTES_MAX, CHUNK_OPS_MAX, READ_LOCK_TIMEOUT_MS } from '../limits.ts'
import type { BucketIds } from '../storage/bucket-ids.ts'
import {
  insertDefinition,
  VOID,
  invalidateDefinitions,
  readShapes,
  writeChunk,
  writePosition,
  writeSums,
  type StoredDefinition,
} from '../storage/bucket-storage.ts'
import { createBucketSums, type BucketSums } from '../storage/bucket-sums.ts'
import { createPendingMoments, writeMoments, type PendingMoments } from '../storage/moments.ts'
import { PendingOps } from '../storage/pending-ops.ts'
import { applyChanges, createRouters, type RowChange } from '../rows/apply-changes.ts'
import { relationOf } from './relation-of.ts'
import type { RowEvaluator } from '../rows/row-evaluator.ts'

export interface FillOptions {
  readonly pool: Pool
  readonly evaluator: RowEvaluator
  /** Connects as `holdfast_reader`, to read at the snapshot. */
  readonly url: string
  readonly plan: SyncPlan
  /** Ids of the definitions to fill. */
  readonly definitionIds: ReadonlySet<string>
  readonly slot: CreatedSlot
  readonly ids: BucketIds
  readonly nextOpId: () => number
  readonly lastOpId: () => number
  readonly logger: Logger
  /** Aborts reading immediately, even while waiting for a lock. */
  readonly signal: AbortSignal
}

/** Collects the rows of all tables before they are written to the log. */
interface Collected {
  readonly tx: Transaction
  readonly pending: PendingOps
  readonly sums: BucketSums
  readonly moments: PendingMoments
}

/**
 * Fills definitions from the tables' rows at the slot's snapshot in one transaction.
 *
 * @returns the stored definitions. Those of tables that were given up or locked are void: their buckets have to be filled again
 */
export async function fillDefinitions(options: FillOptions): Promise<StoredDefinition[]> {
  const { pool, plan, ids, logger } = options
  const started = Date.now()
  let rows = 0
  const filled = await pool.transaction(async (tx) => {
    const stored = await insertDefinitions(tx, options)
    const active = activatePlan(plan, stored)
    const pending = new PendingOps(options.nextOpId, options.lastOpId)
    const collected: Collected = { tx, pending, sums: createBucketSums(), moments: createPendingMoments() }
    const untrusted = new Set<number>()
    for (const { table, definitions } of active.tables.values()) {
      if (definitions.length === 0) continue
      try {
        rows += await fillTable(options, active, table, collected)
      } catch (error) {
        if (sqlstateOf(error) !== SQLSTATE.lockNotAvailable) throw error
        logger.log('info', 'a table is locked and will be read later', { table: `${table.schema}.${table.name}` })
        untrusted.add(table.oid)
      }
    }
    await flush(options, collected)
    await writeCollectedSums(options, collected)
    await writePosition(tx, { confirmedLsn: undefined, lastOpId: options.lastOpId(), lastBucketId: ids.lastId })
    for (const oid of options.evaluator.takeDistrusted()) untrusted.add(oid)
    const isVoid = new Set(
      [...untrusted].flatMap((oid) => active.tables.get(oid)?.definitions ?? []).map((one) => one.stored.number),
    )
    await invalidateDefinitions(tx, [...isVoid])
    return stored.map((one) => (isVoid.has(one.number) ? { ...one, shape: VOID } : one))
  })
  if (filled.length > 0) {
    logger.log('info', 'tables were read for sync', { definitions: filled.length, rows, ms: Date.now() - started })
  }
  return filled
}

async function insertDefinitions(
  tx: Transaction,
  { plan, definitionIds, slot }: FillOptions,
): Promise<StoredDefinition[]> {
  const stored: StoredDefinition[] = []
  const shapes = await readShapes(
    tx,
    plan.tables.map((table) => table.oid),
  )
  for (const table of plan.tables) {
    for (const [id, definition] of new Map(table.definitions.map((one) => [one.id, one]))) {
      if (!definitionIds.has(id)) continue
      const content = contentOf(table, definition)
      const tag = randomBytes(4).toString('hex')
      const shape = shapes.get(table.oid) ?? VOID // dropped meanwhile
      stored.push(await insertDefinition(tx, { id, tag, shape, content, activeFrom: slot.consistentPoint }))
    }
  }
  return stored
}

/** @returns the number of rows @throws SQLSTATE 55P03 while the table is locked */
async function fillTable(
  options: FillOptions,
  active: ActivePlan,
  table: TablePlan,
  collected: Collected,
): Promise<number> {
  const { slot, ids, evaluator } = options
  const { tx, pending, moments } = collected
  const relation = relationOf(table)
  const routers = createRouters(active)
  let rows = 0
  const batches = readTable({
    url: options.url,
    snapshotName: slot.snapshotName,
    schema: table.schema,
    table: table.name,
    columns: relation.columns.map((column) => column.name),
    signal: options.signal,
    lockTimeoutMs: READ_LOCK_TIMEOUT_MS,
  })
  for await (const batch of batches) {
    rows += batch.length
    const changes = batch.map((row): RowChange => ({ relation, old: undefined, row, commitLsn: slot.consistentPoint }))
    await applyChanges({ db: tx, evaluator, routers, ids, pending, batchDb: tx, moments }, changes)
    if (pending.size + moments.size >= CHUNK_OPS_MAX || pending.bytes >= CHUNK_BYTES_MAX)
      await flush(options, collected)
  }
  return rows
}

async function flush(options: FillOptions, collected: Collected): Promise<void> {
  const { tx, pending, sums, moments } = collected
  const taken = pending.take()
  sums.add(taken)
  await writeChunk(tx, taken)
  await writeMoments(tx, moments.take())
  if (sums.size > BATCH_BUCKETS_MAX) await writeCollectedSums(options, collected)
}

async function writeCollectedSums({ ids }: FillOptions, { tx, sums }: Collected): Promise<void> {
  const { deltas, cleared } = sums.take()
  await writeSums(tx, deltas, cleared, ids.takeNew(deltas))
}
