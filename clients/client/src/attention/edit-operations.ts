import type { UploadOperation } from '@holdfast/protocol'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'

/** New values for records of a rejected change, by column. */
export interface EditedValues {
  readonly table: string
  readonly recordId: string
  readonly values: Readonly<Record<string, string | number | null>>
}

/** Fields of a record that are not sent again. */
export interface LeftOut {
  readonly table: string
  readonly recordId: string
  /** Absent: nothing is sent of the record. */
  readonly columns?: readonly string[]
}

/** Puts new values into the writes of a record: wherever the column is given, else into the first write. */
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

/** The transactions without the fields and records that are left out; one that has nothing left is not among them. */
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
