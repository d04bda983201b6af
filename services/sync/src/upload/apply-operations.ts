import { sql, type Transaction } from '@holdfast/postgres'
import type { OperationVerdict, UploadOperation, UploadRow } from '@holdfast/protocol'
import { openGuardedRecords } from './guarded-records.ts'
import { isDatabaseError, isRetryable, type DatabaseError } from './judge-error.ts'
import {
  planOperation,
  renderProbe,
  type GuardedValue,
  type PutForm,
  type UnplannableOperation,
} from './plan-operation.ts'
import { readableColumns, readRow } from './read-row.ts'
import type { WritableTable } from './writable-tables.ts'

/** Why a transaction stopped, and at which operation. */
export type Failure =
  | { readonly kind: 'verdict'; readonly operation: UploadOperation; readonly verdict: OperationVerdict }
  | { readonly kind: 'unplannable'; readonly operation: UploadOperation; readonly reason: UnplannableOperation }
  | { readonly kind: 'error'; readonly operation: UploadOperation; readonly error: DatabaseError }
  /** The one-statement form of PUT asks for more than an INSERT does: apply again, looking first whether the rows are there. */
  | { readonly kind: 'look_first'; readonly table: string }

export interface Applied {
  readonly kind: 'applied'
  readonly now: ReadonlyMap<UploadOperation, UploadRow>
}

/**
 * Applies the operations in order, as the role that the transaction has assumed, and the constraints that wait for the end.
 *
 * @param lookFirst - local names of the tables whose PUTs must not use the one-statement form
 * @returns what stopped it, or the guarded columns as they are now, by the operation that was the last on its record. After a failure the transaction has to go back to a savepoint.
 * @throws whatever is no judgement: broken connections and errors that may pass
 */
export async function applyOperations(
  tx: Transaction,
  operations: readonly UploadOperation[],
  tables: ReadonlyMap<string, WritableTable>,
  lookFirst: ReadonlySet<string>,
): Promise<Failure | Applied> {
  const guarded = openGuardedRecords(tx, operations, tables)
  for (const operation of operations) {
    const table = tables.get(operation.type)
    const failure = await judged(operation, async () => {
      const found = await applyOne(tx, guarded.rebase(operation), table, lookFirst.has(operation.type))
      if (!found) await guarded.applied(operation)
      return found && { ...found, ...('operation' in found ? { operation } : {}) }
    })
    if (!failure) continue
    const mayBeTheForm =
      operation.op === 'PUT' &&
      failure.kind === 'error' &&
      failure.error.code === '42501' &&
      !lookFirst.has(operation.type)
    return mayBeTheForm ? { kind: 'look_first', table: operation.type } : failure
  }
  const last = operations.at(-1)
  if (!last) return { kind: 'applied', now: new Map() }
  // Deferred constraints would otherwise fail at COMMIT, after the judgement was written.
  const failure = await judged(last, async () => {
    await tx.execute(sql`set constraints all immediate`)
    return undefined
  })
  if (failure?.kind === 'error') return { ...failure, operation: blamed(failure.error, operations, tables) ?? last }
  return failure ?? { kind: 'applied', now: await guarded.read() }
}

async function judged(
  operation: UploadOperation,
  body: () => Promise<Failure | undefined>,
): Promise<Failure | undefined> {
  try {
    return await body()
  } catch (thrown) {
    if (isDatabaseError(thrown) && !isRetryable(thrown)) return { kind: 'error', operation, error: thrown }
    throw thrown
  }
}

/** The last operation on the table of a constraint that was checked at the end. */
function blamed(
  error: DatabaseError,
  operations: readonly UploadOperation[],
  tables: ReadonlyMap<string, WritableTable>,
): UploadOperation | undefined {
  return operations.findLast((operation) => tables.get(operation.type)?.name === error.table)
}

async function applyOne(
  tx: Transaction,
  operation: UploadOperation,
  table: WritableTable | undefined,
  lookFirst: boolean,
): Promise<Failure | undefined> {
  const putForm = table && operation.op === 'PUT' ? await choosePutForm(tx, operation, table, lookFirst) : 'upsert'
  const planned = planOperation(operation, table, putForm)
  if (planned.kind === 'unplannable') return { kind: 'unplannable', operation, reason: planned.reason }
  const touched = await tx.execute(planned.statement)
  if (touched > 0 || !table) return undefined
  return { kind: 'verdict', operation, verdict: await explainNoRow(tx, operation, table, planned.guards) }
}

async function choosePutForm(
  tx: Transaction,
  operation: UploadOperation,
  table: WritableTable,
  lookFirst: boolean,
): Promise<PutForm> {
  // Postgres has no ON CONFLICT for keys that are checked later.
  if (!lookFirst && !table.key.deferrable) return 'upsert'
  const readable = await tx.query<{ readable: boolean }>(sql`
    select bool_and(pg_catalog.has_column_privilege(
             format('%I.%I', ${table.schema}::text, ${table.name}::text), k.name, 'select')) as readable
      from unnest(${table.key.columns.map((column) => column.name)}::text[]) k (name)
  `)
  if (!readable[0]?.readable) return 'insert'
  const seen = await tx.query(renderProbe(operation, table))
  return seen.length > 0 ? 'replace' : 'insert'
}

/** No row was touched: somebody changed a guarded column, or the row is gone, or row-level security hides it. */
async function explainNoRow(
  tx: Transaction,
  operation: UploadOperation,
  table: WritableTable,
  guards: readonly GuardedValue[],
): Promise<OperationVerdict> {
  const row =
    guards.length > 0
      ? await readRow(tx, { id: operation.id, table, columns: await readableColumns(tx, table), guards })
      : undefined
  if (row && !row.unchanged) {
    const current = guards.map(({ column }) => [column.localName, row.values[column.localName] ?? null] as const)
    return {
      op_id: operation.op_id,
      status: 'conflict',
      message: 'Somebody else changed this record in the meantime.',
      current: Object.fromEntries(current),
      row: row.values,
    }
  }
  return {
    op_id: operation.op_id,
    status: 'no_row',
    message: 'The record is gone, or it may not be changed by this person.',
  }
}

/** The verdict on an operation that Postgres refused. */
export function renderErrorVerdict(
  operation: UploadOperation,
  error: DatabaseError,
  reasons: { readonly policies: readonly string[] | undefined; readonly rule: string | undefined },
): OperationVerdict {
  return {
    op_id: operation.op_id,
    status: 'error',
    sqlstate: error.code,
    message: error.message,
    ...(error.detail ? { detail: error.detail } : {}),
    ...(error.hint ? { hint: error.hint } : {}),
    table: operation.type,
    ...(error.column ? { column: error.column } : {}),
    ...(error.constraint ? { constraint: error.constraint } : {}),
    ...(reasons.policies ? { policies: reasons.policies } : {}),
    ...(reasons.rule ? { rule: reasons.rule } : {}),
  }
}
