import type { UploadOperation } from '@holdfast/protocol'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'

/** New values for records of a rejected change, by column. */
export interface EditedValues {
  readonly table: string
  readonly recordId: string
  readonly values: Readonly<Record<string, string | number | null>>
}

/** Fields of a record to omit when sending again. */
export interface LeftOut {
  readonly table: string
  readonly recordId: string
  /** Omitted: the whole record. */
  readonly columns?: readonly string[]
}

/** Applies new values to the writes of a record: wherever the column is written, otherwise to the first write. */
export function editOperations(
  transactions: readonly QueuedTransaction[],
  edits: readonly EditedValues[],
): readonly QueuedTransaction[] {
  const edited = transactions.map(({ position, operations }) => ({ position, operations: [...operations] }))
  const places = edited.flatMap(({ operations }) => operations.map((_, index) => ({ operations, index })))
  for (const { table, recordId, values } of edits) {
    const writes = places.filter(({ operations, index }) => {
      const operation = operations[index]
      return operation?.type === table && operation.id === recordId && operation.op !== 'DELETE'
    })
    for (const [column, value] of Object.entries(values)) {
      const given = writes.filter(({ operations, index }) => {
        const data = operations[index]?.data
        return data !== undefined && column in data
      })
      for (const { operations, index } of given.length > 0 ? given : writes.slice(0, 1)) {
        const operation = operations[index]
        if (operation) operations[index] = { ...operation, data: { ...operation.data, [column]: value } }
      }
    }
  }
  return edited
}

/** Removes omitted fields and records; drops transactions that become empty. */
export function leaveOut(
  transactions: readonly QueuedTransaction[],
  leftOut: readonly LeftOut[],
): readonly QueuedTransaction[] {
  if (leftOut.length === 0) return transactions
  return transactions
    .map(({ position, operations }) => ({
      position,
      operations: operations.flatMap((operation) => withoutLeftOut(operation, leftOut) ?? []),
    }))
    .filter(({ operations }) => operations.length > 0)
}

function withoutLeftOut(operation: UploadOperation, leftOut: readonly LeftOut[]): UploadOperation | undefined {
  const own = leftOut.filter(({ table, recordId }) => table === operation.type && recordId === operation.id)
  if (own.some(({ columns }) => columns === undefined)) return undefined
  const columns = new Set(own.flatMap((one) => one.columns ?? []))
  if (columns.size === 0 || !operation.data) return operation
  const data = Object.fromEntries(Object.entries(operation.data).filter(([column]) => !columns.has(column)))
  return operation.op === 'PATCH' && Object.keys(data).length === 0 ? undefined : { ...operation, data }
}
