import type { SyncPlan } from '@holdfast/policy'
import { dropSlot, findSlot, type CreatedSlot } from '@holdfast/replication'
import { fillDefinitions } from '../../fill/fill-definitions.ts'
import { SNAPSHOT_BYTES_MAX } from '../../limits.ts'
import {
  dropDefinitions,
  readDefinitions,
  readState,
  resetState,
  VOID,
  writePosition,
  type ReplicatorState,
  type StoredDefinition,
} from '../../storage/bucket-storage.ts'
import { invalidateRenamedLabels } from '../../storage/enum-labels.ts'
import { writeFirstFilling } from '../../storage/fills.ts'
import type { LogWriter } from '../log/log-writer.ts'
import { createChangeSlot, type ChangeSlotOptions } from './change-slot.ts'
import type { ReplicatorOptions } from './replicator-options.ts'
import { readTableBytes } from '../../storage/table-bytes.ts'

/** Returns the state to continue from, with a new slot if there is none. @param voided - why earlier data cannot be continued */
export async function prepareState(
  options: ReplicatorOptions,
  slotName: string,
  voided: string | undefined,
  making: Pick<ChangeSlotOptions, 'signal' | 'onWaiting'>,
): Promise<{ readonly state: ReplicatorState; readonly slot: CreatedSlot | undefined }> {
  const { pool, logger } = options
  const state = await readState(pool)
  const slot = await findSlot(pool, slotName)
  const isUsable =
    voided === undefined &&
    slot !== undefined &&
    slot.walStatus !== 'lost' &&
    slot.invalidationReason === undefined &&
    state?.slotName === slotName
  if (state?.confirmedLsn !== undefined && isUsable) return { state, slot: undefined }
  if (state?.confirmedLsn !== undefined) {
    logger.log('warn', 'the replication slot is gone: all tables are read again', {
      reason: voided ?? slot?.invalidationReason ?? slot?.walStatus ?? 'missing',
    })
  }
  await dropSlot(pool, slotName)
  await resetState(pool, slotName)
  const old = await readDefinitions(pool)
  await dropDefinitions(
    pool,
    old.map((definition) => definition.number),
  )
  const fresh = await readState(pool)
  const created = await createChangeSlot({ pool, url: options.url, logger, name: slotName, ...making })
  return {
    state: fresh ?? { slotName, confirmedLsn: undefined, lastOpId: 0, lastBucketId: 0, epoch: 0 },
    slot: created,
  }
}

export interface FirstReading {
  readonly plan: SyncPlan
  readonly slot: CreatedSlot
  readonly writer: LogWriter
  readonly signal: AbortSignal
  /** Called before tables are read at the snapshot of the slot. */
  readonly onReading: () => void
}

/**
 * Reads all tables for the first time: small ones at the slot's snapshot. Larger ones are read later in chunks, whose progress survives a restart.
 *
 * @returns the filled definitions; void for tables that were given up or locked. `undefined` if none was filled
 */
export async function readFirst(
  options: ReplicatorOptions,
  { plan, slot, writer, signal, onReading }: FirstReading,
): Promise<StoredDefinition[] | undefined> {
  const { pool } = options
  const oids = plan.tables.map((table) => table.oid)
  if ((await readTableBytes(pool, oids)) > (options.snapshotBytesMax ?? SNAPSHOT_BYTES_MAX)) {
    await writeFirstFilling(pool, slot.consistentPoint)
    return undefined
  }
  onReading()
  return await fillFirst(options, writer, plan, slot, signal)
}

/** Ends the first read: the stream continues from the slot's snapshot. */
export async function startFromSlot({ pool }: ReplicatorOptions, writer: LogWriter, slot: CreatedSlot): Promise<void> {
  await writePosition(pool, { ...writer.position, confirmedLsn: slot.consistentPoint })
}

/** Whether a table was given up or omitted, so the stored definitions must be looked up again. */
export function hasVoid(stored: readonly StoredDefinition[]): boolean {
  return stored.some(({ shape }) => shape === VOID)
}

/** Creates all buckets of a plan from one snapshot. */
async function fillFirst(
  options: ReplicatorOptions,
  writer: LogWriter,
  plan: SyncPlan,
  slot: CreatedSlot,
  signal: AbortSignal,
): Promise<StoredDefinition[]> {
  await invalidateRenamedLabels(options.pool, false) // rows read from here on have the current labels
  const filled = await fillDefinitions({
    pool: options.pool,
    evaluator: options.evaluator,
    url: options.readerUrl,
    plan,
    definitionIds: new Set(plan.tables.flatMap((table) => table.definitions.map(({ id }) => id))),
    slot,
    ids: writer.ids,
    nextOpId: () => writer.nextOpId(),
    lastOpId: () => writer.lastOpId,
    logger: options.logger,
    signal,
  })
  writer.ids.forgetAll()
  return filled
}
