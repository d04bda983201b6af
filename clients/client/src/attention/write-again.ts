import type { Transaction } from '@powersync/common'
import type { UploadOperation } from '@holdfast/protocol'

/** The record is not on this device any more, so a change of it cannot be made again. */
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

/**
 * Makes operations again, inside the transaction of the caller: the local rows show them at once and the upload queue gets exactly these
 * operations. A plain UPDATE would queue only what differs from the local row, which may still show the refused change.
 *
 * @throws {RecordGone} when a record to change is not there; the caller's transaction has to roll back
 */
export async function writeAgain(tx: Transaction, operations: readonly UploadOperation[]): Promise<void> {
  const { last } = await tx.get<{ last: number }>('select ifnull(max(id), 0) as last from ps_crud')
  for (const operation of operations) await writeRow(tx, operation)
  await tx.execute('delete from ps_crud where id > ?', [last])
  for (const operation of operations) await queueOperation(tx, operation)
}

async function writeRow(tx: Transaction, operation: UploadOperation): Promise<void> {
  const table = quote(operation.type)
  const columns = Object.entries(operation.data ?? {})
  switch (operation.op) {
    case 'PUT': {
      const names = ['id', ...columns.map(([name]) => quote(name))]
      const places = names.map(() => '?').join(', ')
      const values = [operation.id, ...columns.map(([, value]) => value)]
      await tx.execute(`insert or replace into ${table} (${names.join(', ')}) values (${places})`, values)
      return
    }
    case 'PATCH': {
      if (!(await tx.getOptional(`select 1 from ${table} where id = ?`, [operation.id]))) {
        throw new RecordGone(operation.type, operation.id)
      }
      if (columns.length === 0) return
      const assignments = columns.map(([name]) => `${quote(name)} = ?`).join(', ')
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

async function queueOperation(tx: Transaction, operation: UploadOperation): Promise<void> {
  await tx.execute(
    'insert into powersync_crud (op, id, type, data, old_values, metadata) values (?, ?, ?, json(?), json(?), ?)',
    [
      operation.op,
      operation.id,
      operation.type,
      operation.data ? JSON.stringify(operation.data) : null,
      operation.old ? JSON.stringify(operation.old) : null,
      operation.metadata ?? null,
    ],
  )
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
