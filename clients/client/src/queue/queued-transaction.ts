import type { CrudEntry, CrudTransaction } from '@powersync/common'
import type { UploadOperation } from '@holdfast/protocol'

/** A queued local transaction. */
export interface QueuedTransaction {
  /** The `op_id` of its last operation. */
  readonly position: number
  readonly operations: readonly UploadOperation[]
}

export function toQueuedTransaction(transaction: Pick<CrudTransaction, 'crud'>): QueuedTransaction {
  const operations = transaction.crud.map(toOperation)
  return { position: operations.at(-1)?.op_id ?? 0, operations }
}

function toOperation(entry: CrudEntry): UploadOperation {
  return {
    op_id: entry.clientId,
    op: entry.op,
    type: entry.table,
    id: entry.id,
    ...(entry.opData ? { data: entry.opData } : {}),
    ...(entry.previousValues ? { old: entry.previousValues } : {}),
    ...(entry.metadata ? { metadata: entry.metadata } : {}),
  }
}
