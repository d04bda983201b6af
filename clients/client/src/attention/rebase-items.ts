import type { CommonPowerSyncDatabase } from '@powersync/common'
import { rebaseGuards, type GuardBase, type UploadOperation, type UploadResponse } from '@holdfast/protocol'
import { recordsOf } from '../queue/guard-bases.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'
import { toRejectedChange, type AttentionRow } from './attention-item.ts'

/**
 * Updates the guarded values of undecided changes to the results of this device's own applied changes: a version incremented by an own change is not a
 * conflict.
 *
 * @param sent - applied transactions as sent
 */
export async function rebaseItems(
  database: CommonPowerSyncDatabase,
  sent: readonly QueuedTransaction[],
  responses: readonly UploadResponse[],
): Promise<void> {
  if (!(await database.getOptional(`select 1 from hf_local_attention where state = 'open' limit 1`))) return
  const moved = new Map(responses.flatMap((response, index) => movedRecords(sent[index]?.operations ?? [], response)))
  if (moved.size === 0) return
  await database.writeTransaction(async (tx) => {
    const rows = await tx.getAll<AttentionRow>(`select * from hf_local_attention where state = 'open'`)
    for (const { id, operations, held } of rows.map(toRejectedChange)) {
      if (![operations, ...held.map((one) => one.operations)].flat().some((one) => moved.has(recordKey(one)))) continue
      const rebase = (operation: UploadOperation): UploadOperation =>
        rebaseGuards(operation, moved.get(recordKey(operation)))
      await tx.execute('update hf_local_attention set operations = ?, held_ops = ? where id = ?', [
        JSON.stringify(operations.map(rebase)),
        JSON.stringify(held.map((one) => ({ ...one, operations: one.operations.map(rebase) }))),
        id,
      ])
    }
  })
}

/** Returns the guarded values before and after applied operations, by record. */
function movedRecords(
  operations: readonly UploadOperation[],
  { verdicts }: UploadResponse,
): readonly (readonly [string, GuardBase])[] {
  return recordsOf(operations).flatMap(({ operations: own }) => {
    const ids = new Set(own.map(({ op_id }) => op_id))
    const last = verdicts.findLast((verdict) => verdict.status === 'applied' && verdict.now && ids.has(verdict.op_id))
    const [first] = own
    if (!first?.old || last?.status !== 'applied' || !last.now) return []
    return [[recordKey(first), { was: first.old, now: last.now }] as const]
  })
}

function recordKey({ type, id }: Pick<UploadOperation, 'type' | 'id'>): string {
  return `${type}\0${id}`
}
