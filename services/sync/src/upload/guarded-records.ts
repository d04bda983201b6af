import type { Transaction } from '@holdfast/postgres'
import { nextGuardBase, rebaseGuards, type GuardBase, type UploadOperation, type UploadRow } from '@holdfast/protocol'
import { canReadTogether, readableColumns, readRow, readTogether, type WantedRow } from './read-row.ts'
import type { WritableColumn, WritableTable } from './writable-tables.ts'

/** Tracks guarded columns within one transaction, so that its operations do not conflict with each other. */
export interface GuardedRecords {
  /** Whether no other operation concerns the same record. */
  isAlone(operation: UploadOperation): boolean
  /** Returns the operation with the previous values that result from earlier operations of the transaction. */
  rebase(operation: UploadOperation): UploadOperation
  /** Records an applied operation if a later one depends on its result. @param merged - columns whose text was merged */
  applied(operation: UploadOperation, merged: readonly string[]): Promise<void>
  /** Reads the guarded columns of every written record that still exists, by the last operation on it. */
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
  const repeated = new Set<string>()
  for (const operation of operations) {
    if (!guardedOf.has(operation.type)) continue
    const key = recordKey(operation)
    if (last.has(key)) repeated.add(key)
    last.set(key, operation)
  }
  const bases = new Map<string, GuardBase>()
  const mergedOf = new Map<string, Set<string>>()
  const written = writtenRows(operations)

  return {
    isAlone: (operation) => repeated.size === 0 || !repeated.has(recordKey(operation)),
    rebase: (operation) => rebaseGuards(operation, bases.get(recordKey(operation))),
    async applied(operation, merged) {
      const key = recordKey(operation)
      if (merged.length > 0) mergedOf.set(key, new Set([...(mergedOf.get(key) ?? []), ...merged]))
      const final = last.get(key)
      if (final === undefined || final === operation) return
      const now = await readGuarded(operation)
      if (now)
        bases.set(key, nextGuardBase(operation, bases.get(key), withoutTexts(operation, now, operation.data ?? {})))
      else bases.delete(key)
    },
    async read() {
      const found = new Map<UploadOperation, UploadRow>()
      const together: { operation: UploadOperation; wanted: WantedRow }[] = []
      for (const operation of last.values()) {
        const wanted = operation.op === 'DELETE' ? undefined : await guardedRow(operation)
        if (!wanted) continue
        if (canReadTogether(wanted)) together.push({ operation, wanted })
        else {
          const now = await readRow(tx, wanted)
          if (now) found.set(operation, withoutTexts(operation, now.values, written.get(recordKey(operation)) ?? {}))
        }
      }
      const rows = await readTogether(
        tx,
        together.map(({ wanted }) => wanted),
      )
      for (const [index, { operation }] of together.entries()) {
        const now = rows[index]
        if (now) found.set(operation, withoutTexts(operation, now, written.get(recordKey(operation)) ?? {}))
      }
      return found
    },
  }

  function withoutTexts(operation: UploadOperation, now: UploadRow, written: UploadRow): UploadRow {
    return withoutOwnTexts(tables.get(operation.type), now, written, mergedOf.get(recordKey(operation)))
  }

  async function readGuarded(operation: UploadOperation): Promise<UploadRow | undefined> {
    const wanted = await guardedRow(operation)
    return wanted && (await readRow(tx, wanted))?.values
  }

  async function guardedRow(operation: UploadOperation): Promise<WantedRow | undefined> {
    const table = tables.get(operation.type)
    const guarded = guardedOf.get(operation.type)
    if (!table || !guarded) return undefined
    let shown = readable.get(operation.type)
    if (!shown) readable.set(operation.type, (shown = new Set(await readableColumns(tx, table))))
    const columns = guarded.filter((column) => shown.has(column))
    return columns.length === 0 ? undefined : { id: operation.id, table, columns }
  }
}

/**
 * Removes texts equal to those written, which the device has, and merged texts: the device's next change is based on its own version and must be merged again
 * with that base.
 */
function withoutOwnTexts(
  table: WritableTable | undefined,
  now: UploadRow,
  written: UploadRow,
  merged: ReadonlySet<string> | undefined,
): UploadRow {
  return Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) =>
        !table?.columns.get(name)?.merged || (name in written && written[name] !== value && !merged?.has(name)),
    ),
  )
}

/** Returns all written values by record. */
function writtenRows(operations: readonly UploadOperation[]): ReadonlyMap<string, UploadRow> {
  const rows = new Map<string, UploadRow>()
  for (const operation of operations) {
    const key = recordKey(operation)
    rows.set(key, { ...rows.get(key), ...operation.data })
  }
  return rows
}

function recordKey(operation: UploadOperation): string {
  return `${operation.type}\0${operation.id}`
}
