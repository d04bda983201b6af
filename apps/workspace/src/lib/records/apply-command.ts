import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import type { FieldValue } from '../fields/field.ts'
import { quoteName } from '../sql.ts'
import type { Command, RecordChange, RecordValues } from './record-change.ts'

/** Changes in one step; the server takes no more in one transaction. */
export const CHANGES_MAX = 10_000

export type ApplyOutcome =
  | { readonly kind: 'applied' }
  /** Something else changed the records since; nothing was written. */
  | { readonly kind: 'changed_since'; readonly records: readonly { readonly table: string; readonly id: string }[] }

/**
 * Writes a command as one local transaction: all or nothing, here and on the server.
 *
 * @param isChecked - compare with what the command expects to find (for undo and redo) instead of writing over it
 */
export async function applyCommand(
  database: CommonPowerSyncDatabase,
  command: Command,
  isChecked: boolean,
): Promise<ApplyOutcome> {
  return database.writeTransaction(async (tx): Promise<ApplyOutcome> => {
    const metadata = JSON.stringify({ cmd: command.label, at: new Date().toISOString() })
    const records: { readonly table: string; readonly id: string }[] = []
    for (const change of command.changes) {
      // Each change expects what the ones before it have written.
      if (isChecked && !(await isAsExpected(tx, change))) records.push({ table: change.table, id: change.id })
      else await write(tx, change, metadata)
    }
    if (records.length === 0) return { kind: 'applied' }
    await tx.rollback()
    return { kind: 'changed_since', records }
  })
}

/** Columns that the database itself moves on after a write are no change by somebody. */
const MOVED_BY_SERVER = new Set(['id', 'created_at', 'updated_at', 'created_by'])

async function isAsExpected(tx: Transaction, change: RecordChange): Promise<boolean> {
  const row = await tx.getOptional<RecordValues>(`select * from ${quoteName(change.table)} where id = ?`, [change.id])
  if (change.kind === 'insert') return row === null
  if (row === null) return false
  const expected = change.kind === 'update' ? change.before : change.values
  return Object.entries(expected).every(
    // What was left empty may have been filled in by the server.
    ([name, value]) =>
      MOVED_BY_SERVER.has(name) || isSame(row[name] ?? null, value) || (change.kind === 'delete' && value === null),
  )
}

/** The server may write the same value differently: `12.5` comes back as `12.50`, a moment with more digits. */
function isSame(current: FieldValue, expected: FieldValue): boolean {
  if (current === expected) return true
  if (current === null || expected === null) return false
  const [a, b] = [String(current), String(expected)]
  if (a === b) return true
  const isNumber = /^-?\d+(\.\d+)?$/
  if (isNumber.test(a) && isNumber.test(b)) return Number(a) === Number(b)
  return /^\d{4}-\d\d-\d\dT/.test(a) && Date.parse(a) === Date.parse(b)
}

async function write(tx: Transaction, change: RecordChange, metadata: string): Promise<void> {
  const table = quoteName(change.table)
  switch (change.kind) {
    case 'insert': {
      const entries = Object.entries(change.values).filter(([name, value]) => name !== 'id' && value !== null)
      const names = ['id', ...entries.map(([name]) => name), '_metadata'].map(quoteName).join(', ')
      await tx.execute(`insert into ${table} (${names}) values (${['?', ...entries.map(() => '?'), '?'].join(', ')})`, [
        change.id,
        ...entries.map(([, value]) => value),
        metadata,
      ])
      return
    }
    case 'update': {
      const entries = Object.entries(change.values)
      const sets = [...entries.map(([name]) => `${quoteName(name)} = ?`), '_metadata = ?'].join(', ')
      await tx.execute(`update ${table} set ${sets} where id = ?`, [
        ...entries.map(([, value]) => value),
        metadata,
        change.id,
      ])
      return
    }
    case 'delete':
      // With its own column the metadata travels; a plain DELETE would lose it.
      await tx.execute(`update ${table} set _deleted = true, _metadata = ? where id = ?`, [metadata, change.id])
      return
    default:
      change satisfies never
  }
}
