import { sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import type { UploadOperation } from '@holdfast/protocol'
import type { PlannedStatement } from './plan-operation.ts'
import { readableColumns, readRow } from './read-row.ts'
import type { RowTrigger, WritableTable } from './writable-tables.ts'

export interface CloseWrite {
  readonly operation: UploadOperation
  readonly table: WritableTable
  readonly planned: PlannedStatement
  /** Those that the operation has Postgres call. */
  readonly triggers: readonly RowTrigger[]
}

/** The triggers that may do something else than the operation with a row that is there. */
export function rowTriggersFor(operation: UploadOperation, table: WritableTable | undefined): readonly RowTrigger[] {
  const wanted = operation.op === 'DELETE' ? 'delete' : 'update'
  return (table?.rowTriggers ?? []).filter(({ event }) => event === wanted)
}

/**
 * Runs the statement of an operation whose triggers may do something else with the row and leave it untouched: mark it as deleted, for example, or leave out a change to
 * what is there already. Postgres reports no row then.
 *
 * @returns how many rows were written. One that a trigger was called for counts as well when it is gone, has changed, or is what the operation makes of it. A row that
 * the trigger kept as it was does not: what the person did would be lost without a word
 */
export async function writeClosely(tx: Transaction, write: CloseWrite): Promise<number> {
  const { operation, table, planned, triggers } = write
  const columns = await readableColumns(tx, table)
  const { written: guards } = planned
  const before = await readRow(tx, { id: operation.id, table, columns })
  await tx.execute(sql`savepoint write_closely`)
  const touched = await tx.execute(planned.statement)
  if (touched > 0 || !before) {
    await tx.execute(sql`release savepoint write_closely`)
    return touched
  }
  // The same again, as what the triggers did is undone with the savepoint.
  await tx.execute(sql`rollback to savepoint write_closely`)
  const isCalled = await callsTrigger(tx, planned.statement, triggers)
  await tx.execute(sql`release savepoint write_closely`)
  if (!isCalled) return 0
  const after = await readRow(tx, { id: operation.id, table, columns, guards })
  const isOther = JSON.stringify(after?.values) !== JSON.stringify(before.values)
  return isOther || (operation.op !== 'DELETE' && after?.unchanged === true) ? 1 : 0
}

/** Runs a statement. @returns whether Postgres called one of the triggers: the row was there, as the operation needs it, and the person may write it */
async function callsTrigger(
  tx: Transaction,
  statement: SqlFragment,
  triggers: readonly RowTrigger[],
): Promise<boolean> {
  const names = new Set(triggers.map(({ name }) => name))
  const [answer] = await tx.query<{ 'QUERY PLAN': readonly Explained[] }>(
    sql`explain (analyze, format json, costs off, timing off, summary off, buffers off) ${statement}`,
  )
  const called = (answer?.['QUERY PLAN'] ?? []).flatMap(({ Triggers = [] }) => Triggers)
  return called.some((one) => names.has(one['Trigger Name']) && one.Calls > 0)
}

interface Explained {
  readonly Triggers?: readonly { readonly 'Trigger Name': string; readonly Calls: number }[]
}
