import type { Transaction } from '@powersync/common'
import { type UploadOperation, foldName, quoteName } from '@holdfast/protocol'

/** The record is no longer on this device, so a change to it cannot be repeated. */
export class RecordGone extends Error {
  override readonly name = 'RecordGone'
  readonly table: string
  readonly recordId: string

  constructor(table: string, recordId: string) {
    super(`The record ${recordId} of ${table} is no longer on this device.`)
    this.table = table
    this.recordId = recordId
  }
}

/** Returns a table's local columns, lowercase; empty if the table no longer exists. */
export async function localColumns(tx: Transaction, table: string): Promise<ReadonlySet<string>> {
  const rows = await tx.getAll<{ readonly name: string }>('select name from pragma_table_info(?)', [table])
  return new Set(rows.map(({ name }) => foldName(name)))
}

/** Returns a record that the operations change but that is neither on this device nor created by them, or whose table is missing. */
export async function goneRecord(
  tx: Transaction,
  operations: readonly UploadOperation[],
): Promise<{ readonly table: string; readonly recordId: string } | undefined> {
  const created = new Set<string>()
  for (const { op, type, id } of operations) {
    const key = `${type}\0${id}`
    if ((await localColumns(tx, type)).size === 0) return { table: type, recordId: id }
    if (op === 'PUT') created.add(key)
    if (op !== 'PATCH' || created.has(key)) continue
    if (!(await tx.getOptional(`select 1 from ${quoteName(type)} where id = ?`, [id])))
      return { table: type, recordId: id }
  }
  return undefined
}

/** Applies an operation to the local row, limited to existing columns: the server decides about the others. */
export async function writeRow(tx: Transaction, operation: UploadOperation): Promise<void> {
  const table = quoteName(operation.type)
  const here = await localColumns(tx, operation.type)
  const columns = Object.entries(operation.data ?? {}).filter(([name]) => here.has(foldName(name)))
  switch (operation.op) {
    case 'PUT': {
      const names = ['id', ...columns.map(([name]) => quoteName(name))]
      const places = names.map(() => '?').join(', ')
      const values = [operation.id, ...columns.map(([, value]) => value)]
      await tx.execute(`insert or replace into ${table} (${names.join(', ')}) values (${places})`, values)
      return
    }
    case 'PATCH': {
      if (columns.length === 0) return
      const assignments = columns.map(([name]) => `${quoteName(name)} = ?`).join(', ')
      await tx.execute(`update ${table} set ${assignments} where id = ?`, [
        ...columns.map(([, value]) => value),
        operation.id,
      ])
      return
    }
    case 'DELETE':
      await tx.execute(`delete from ${table} where id = ?`, [operation.id])
      return
    default:
      operation.op satisfies never
  }
}
