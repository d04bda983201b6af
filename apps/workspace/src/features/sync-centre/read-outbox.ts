import type { UploadOperation } from '@holdfast/protocol'

/** A row of the local upload queue. */
export interface OutboxRow {
  readonly id: number
  readonly tx_id: number | null
  readonly data: string
}

/** One local transaction in the outbox, which the server judges as a whole. */
export interface OutboxStep {
  readonly key: string
  readonly operations: readonly UploadOperation[]
}

/** Groups queue rows, in order, into transactions. */
export function readOutbox(rows: readonly OutboxRow[]): readonly OutboxStep[] {
  const steps: { readonly key: string; readonly txId: number | null; readonly operations: UploadOperation[] }[] = []
  for (const row of rows) {
    const operation = { ...(JSON.parse(row.data) as Omit<UploadOperation, 'op_id'>), op_id: row.id }
    const last = steps.at(-1)
    if (last && row.tx_id !== null && last.txId === row.tx_id) last.operations.push(operation)
    else steps.push({ key: `${row.tx_id ?? 'row'}-${row.id}`, txId: row.tx_id, operations: [operation] })
  }
  return steps
}
