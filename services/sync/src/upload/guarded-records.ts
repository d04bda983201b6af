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
  applied(tx: Transaction, operation: UploadOperation, merged: readonly string[]): Promise<void>
  /** Reads the guarded columns of every written record that still exists, by the last operation on it. */
  read(tx: Transaction): Promise<ReadonlyMap<UploadOperation, UploadRow>>
  /** Plans what `read` reads after operations without merged texts. `undefined` if that takes more than one statement per record, or readable columns are unknown. */
  plannedReads(known: ReadableColumns): readonly PlannedRead[] | undefined
  /** Readable columns of the tables that were read. */
  readonly readable: ReadableColumns
}

/** A read of the guarded columns of a record after the last operation on it. */
export interface PlannedRead {
  readonly operation: UploadOperation
  readonly wanted: WantedRow
  /** Returns the columns to send to the device. */
  shown(now: UploadRow): UploadRow
}

/** Columns that the caller may select, by table. */
export type ReadableColumns = ReadonlyMap<WritableTable, ReadonlySet<WritableColumn>>

export function openGuardedRecords(
  operations: readonly UploadOperation[],
  tables: ReadonlyMap<string, WritableTable>,
): GuardedRecords {
  const readable = new Map<WritableTable, ReadonlySet<WritableColumn>>()
  const guardedOf = guardedColumns(operations, tables)
  const { last, repeated } = lastOperations(operations.filter(({ type }) => guardedOf.has(type)))
  const bases = new Map<string, GuardBase>()
  const mergedOf = new Map<string, Set<string>>()
  const written = writtenRows(operations)

  return {
    isAlone: (operation) => repeated.size === 0 || !repeated.has(recordKey(operation)),
    rebase: (operation) => rebaseGuards(operation, bases.get(recordKey(operation))),
    async applied(tx, operation, merged) {
      const key = recordKey(operation)
      if (merged.length > 0) mergedOf.set(key, new Set([...(mergedOf.get(key) ?? []), ...merged]))
      const final = last.get(key)
      if (final === undefined || final === operation) return
      const now = await readGuarded(tx, operation)
      if (now)
        bases.set(key, nextGuardBase(operation, bases.get(key), withoutTexts(operation, now, operation.data ?? {})))
      else bases.delete(key)
    },
    async read(tx) {
      const found = new Map<UploadOperation, UploadRow>()
      const together: { operation: UploadOperation; wanted: WantedRow }[] = []
      for (const operation of last.values()) {
        const wanted = operation.op === 'DELETE' ? undefined : await guardedRow(tx, operation)
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
    readable,
    plannedReads(known) {
      const reads: PlannedRead[] = []
      for (const operation of last.values()) {
        const table = tables.get(operation.type)
        const shown = table && known.get(table)
        if (operation.op === 'DELETE' || !table) continue
        if (!shown) return undefined
        const wanted = shownRow(operation, table, guardedOf, shown)
        if (!wanted) continue
        if (!canReadTogether(wanted)) return undefined
        const data = written.get(recordKey(operation)) ?? {}
        reads.push({ operation, wanted, shown: (now) => withoutTexts(operation, now, data) })
      }
      return reads
    },
  }

  function withoutTexts(operation: UploadOperation, now: UploadRow, written: UploadRow): UploadRow {
    return withoutOwnTexts(tables.get(operation.type), now, written, mergedOf.get(recordKey(operation)))
  }

  async function readGuarded(tx: Transaction, operation: UploadOperation): Promise<UploadRow | undefined> {
    const wanted = await guardedRow(tx, operation)
    return wanted && (await readRow(tx, wanted))?.values
  }

  async function guardedRow(tx: Transaction, operation: UploadOperation): Promise<WantedRow | undefined> {
    const table = tables.get(operation.type)
    if (!table || !guardedOf.has(operation.type)) return undefined
    let shown = readable.get(table)
    if (!shown) readable.set(table, (shown = new Set(await readableColumns(tx, table))))
    return shownRow(operation, table, guardedOf, shown)
  }
}

/** Returns the guarded columns by local name of their table: those declared, and those for which the device sent previous values. */
function guardedColumns(
  operations: readonly UploadOperation[],
  tables: ReadonlyMap<string, WritableTable>,
): ReadonlyMap<string, readonly WritableColumn[]> {
  const guardedOf = new Map<string, readonly WritableColumn[]>()
  for (const [name, table] of tables) {
    const sent = new Set(operations.flatMap((entry) => (entry.type === name ? Object.keys(entry.old ?? {}) : [])))
    const guarded = [...table.columns.values()].filter(
      (column) =>
        sent.has(column.localName) || (column.guarded && !column.generated && !table.key.columns.includes(column)),
    )
    if (guarded.length > 0) guardedOf.set(name, guarded)
  }
  return guardedOf
}

/** @returns `undefined` if no guarded column is shown to the caller */
function shownRow(
  { id, type }: UploadOperation,
  table: WritableTable,
  guardedOf: ReadonlyMap<string, readonly WritableColumn[]>,
  shown: ReadonlySet<WritableColumn>,
): WantedRow | undefined {
  const columns = (guardedOf.get(type) ?? []).filter((column) => shown.has(column))
  return columns.length === 0 ? undefined : { id, table, columns }
}

/** Returns the last operation by record, and the records with several. */
function lastOperations(operations: readonly UploadOperation[]): {
  readonly last: ReadonlyMap<string, UploadOperation>
  readonly repeated: ReadonlySet<string>
} {
  const last = new Map<string, UploadOperation>()
  const repeated = new Set<string>()
  for (const operation of operations) {
    const key = recordKey(operation)
    if (last.has(key)) repeated.add(key)
    last.set(key, operation)
  }
  return { last, repeated }
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
