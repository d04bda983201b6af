import { sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import type { UploadOperation } from '@holdfast/protocol'
import type { PlannedStatement } from './plan-operation.ts'
import { readableColumns, readRow } from './read-row.ts'
import type { RowTrigger, WritableTable } from './writable-tables.ts'

export interface CountedWrite {
  readonly operation: UploadOperation
  readonly table: WritableTable
  readonly planned: PlannedStatement
  /** Triggers that the operation fires. */
  readonly triggers: readonly RowTrigger[]
}

/** Returns the triggers that may change what the operation does to an existing row. */
export function rowTriggersFor(operation: UploadOperation, table: WritableTable | undefined): readonly RowTrigger[] {
  const wanted = operation.op === 'DELETE' ? 'delete' : 'update'
  return (table?.rowTriggers ?? []).filter(({ event }) => event === wanted)
}

/**
 * Runs the statement of an operation whose triggers may replace its effect, for example mark a row as deleted, or skip a change to the same values. Postgres then
 * reports no row.
 *
 * @returns the number of written rows. A row for which a trigger fired also counts if it is now gone, changed, or equal to the operation's result. A row that
 * the trigger left as it was does not count, because the user's change would be lost silently
 */
export async function writeAndCount(tx: Transaction, write: CountedWrite): Promise<number> {
  const { operation, table, planned, triggers } = write
  const columns = await readableColumns(tx, table)
  const { written: guards } = planned
  const before = await readRow(tx, { id: operation.id, table, columns })
  await tx.execute(sql`savepoint counted_write`)
  const touched = await tx.execute(planned.statement)
  if (touched > 0 || !before) {
    await tx.execute(sql`release savepoint counted_write`)
    return touched
  }
  // Runs the statement again, because the rollback undid the triggers' work.
  await tx.execute(sql`rollback to savepoint counted_write`)
  const isCalled = await callsTrigger(tx, planned.statement, triggers)
  await tx.execute(sql`release savepoint counted_write`)
  if (!isCalled) return 0
  const after = await readRow(tx, { id: operation.id, table, columns, guards })
  const isOther = JSON.stringify(after?.values) !== JSON.stringify(before.values)
  return isOther || (operation.op !== 'DELETE' && after?.unchanged === true) ? 1 : 0
}

/** Runs a statement. @returns whether one of the triggers fired: the row existed in the expected state and the user may write it */
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
