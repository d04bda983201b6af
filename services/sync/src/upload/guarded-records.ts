import type { Transaction } from '@holdfast/postgres'
import { nextGuardBase, rebaseGuards, type GuardBase, type UploadOperation, type UploadRow } from '@holdfast/protocol'
import { readableColumns, readRow } from './read-row.ts'
import type { WritableColumn, WritableTable } from './writable-tables.ts'

/** Follows the guarded columns of the records of one transaction, so that its operations do not conflict with one another. */
export interface GuardedRecords {
  /** The operation with the previous values that the record has by earlier operations of the transaction. */
  rebase(operation: UploadOperation): UploadOperation
  /** Notes that an operation was applied, when a later one depends on what became of its record. */
  applied(operation: UploadOperation): Promise<void>
  /** The guarded columns of every record that is there and was written, by the last operation on it. */
  read(): Promise<ReadonlyMap<UploadOperation, UploadRow>>
}

export function openGuardedRecords(
  tx: Transaction,
  operations: readonly UploadOperation[],
  tables: ReadonlyMap<string, WritableTable>,
): GuardedRecords {
  const guardedOf = new Map<string, readonly WritableColumn[]>()
  const readable = new Map<string, ReadonlySet<WritableColumn>>()
  for (const [name, table] of tables) {
    const sent = new Set(operations.flatMap((entry) => (entry.type === name ? Object.keys(entry.old ?? {}) : [])))
    const guarded = [...table.columns.values()].filter(
      (column) =>
        sent.has(column.localName) || (column.guarded && !column.generated && !table.key.columns.includes(column)),
    )
    if (guarded.length > 0) guardedOf.set(name, guarded)
  }
  const last = new Map<string, UploadOperation>()
  for (const operation of operations) if (guardedOf.has(operation.type)) last.set(recordKey(operation), operation)
  const bases = new Map<string, GuardBase>()

  return {
    rebase: (operation) => rebaseGuards(operation, bases.get(recordKey(operation))),
    async applied(operation) {
      const key = recordKey(operation)
      const final = last.get(key)
      if (final === undefined || final === operation) return
      const now = await readGuarded(operation)
      if (now) bases.set(key, nextGuardBase(operation, bases.get(key), now))
      else bases.delete(key)
    },
    async read() {
      const found = new Map<UploadOperation, UploadRow>()
      for (const operation of last.values()) {
        const now = operation.op === 'DELETE' ? undefined : await readGuarded(operation)
        if (now) found.set(operation, now)
      }
      return found
    },
  }

  async function readGuarded(operation: UploadOperation): Promise<UploadRow | undefined> {
    const table = tables.get(operation.type)
    const guarded = guardedOf.get(operation.type)
    if (!table || !guarded) return undefined
    let shown = readable.get(operation.type)
    if (!shown) readable.set(operation.type, (shown = new Set(await readableColumns(tx, table))))
    const columns = guarded.filter((column) => shown.has(column))
    return columns.length === 0 ? undefined : (await readRow(tx, { id: operation.id, table, columns }))?.values
  }
}

function recordKey(operation: UploadOperation): string {
  return `${operation.type}\0${operation.id}`
}
