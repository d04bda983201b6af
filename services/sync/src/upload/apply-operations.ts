import { sql, type Transaction } from '@holdfast/postgres'
import type { OperationVerdict, UploadOperation, UploadRow } from '@holdfast/protocol'
import { applyRun, planRun } from './apply-run.ts'
import { isSameWrite, mergedColumns, mergeTexts } from './merge-texts.ts'
import { openGuardedRecords, type GuardedRecords } from './guarded-records.ts'
import { isDatabaseError, isRetryable, type DatabaseError } from './judge-error.ts'
import {
  planOperation,
  renderProbe,
  type GuardedValue,
  type PutForm,
  type UnplannableOperation,
} from './plan-operation.ts'
import { readableColumns, readRow } from './read-row.ts'
import { rowTriggersFor, writeAndCount } from './count-written.ts'
import type { WritableTable } from './writable-tables.ts'

/** Why a transaction stopped, and at which operation. */
export type Failure =
  | { readonly kind: 'verdict'; readonly operation: UploadOperation; readonly verdict: OperationVerdict }
  | { readonly kind: 'unplannable'; readonly operation: UploadOperation; readonly reason: UnplannableOperation }
  | { readonly kind: 'error'; readonly operation: UploadOperation; readonly error: DatabaseError }
  /** The one-statement form of PUT asks for more than an INSERT does: apply again, looking first whether the rows are there. */
  | { readonly kind: 'probe_first'; readonly table: string }
  /** A trigger may have done something else with the row: apply again, looking closely at what becomes of each row. */
  | { readonly kind: 'look_closely'; readonly table: string }
  /** Operations that were sent together stopped at one that has to be applied by itself, to see why. */
  | { readonly kind: 'one_by_one'; readonly from: number }

export interface Applied {
  readonly kind: 'applied'
  readonly now: ReadonlyMap<UploadOperation, UploadRow>
}

export interface ApplyInput {
  readonly operations: readonly UploadOperation[]
  readonly tables: ReadonlyMap<string, WritableTable>
  /** Local names of the tables whose PUTs must not use the one-statement form. */
  readonly probeTables: ReadonlySet<string>
  /** Local names of the tables whose triggers may do something else with a row. */
  readonly closeTables: ReadonlySet<string>
  /** How many of the first operations may go to Postgres in runs: from the one on that stopped a run before, they go one by one. */
  readonly togetherUntil: number
  readonly runOperationsMax: number
  /** The role that the transaction has assumed. */
  readonly role: string
  /** Asked between two round trips; throws to end it. */
  readonly check: () => void
}

/**
 * Applies the operations in order, as the role that the transaction has assumed, and the constraints that wait for the end.
 *
 * @returns what stopped it, or the guarded columns as they are now, by the operation that was the last on its record. After a failure the transaction has to go back to a savepoint.
 * @throws whatever is no judgement: broken connections and errors that may pass
 */
export async function applyOperations(tx: Transaction, input: ApplyInput): Promise<Failure | Applied> {
  const { operations, tables, check, runOperationsMax, role } = input
  const guarded = openGuardedRecords(tx, operations, tables)
  const rules = { tables, role, runOperationsMax, isAlone: (one: UploadOperation) => isAlone(one, input, guarded) }
  for (let next = 0; next < operations.length;) {
    check()
    const run = planRun(operations.slice(0, input.togetherUntil), next, rules)
    if (run) {
      const outcome = await applyRun(tx, run)
      if (outcome.kind === 'stopped') {
        if (outcome.error && isRetryable(outcome.error)) throw outcome.error
        return { kind: 'one_by_one', from: next + outcome.at }
      }
      next += run.operations.length
      continue
    }
    const operation = operations[next++]
    const failure = operation && (await applyGuarded(tx, operation, input, guarded))
    if (failure) return failure
  }
  const last = operations.at(-1)
  if (!last) return { kind: 'applied', now: new Map() }
  check()
  // Deferred constraints would otherwise fail at COMMIT, after the judgement was written.
  const failure = await judged(last, async () => {
    await tx.execute(sql`set constraints all immediate`)
    return undefined
  })
  if (failure?.kind === 'error') return { ...failure, operation: blamed(failure.error, operations, tables) ?? last }
  return failure ?? { kind: 'applied', now: await guarded.read() }
}

/** Whether the statement of an operation is known without reading anything, and nothing has to be read after it. */
function isAlone(
  operation: UploadOperation,
  { tables, probeTables, closeTables }: ApplyInput,
  guarded: GuardedRecords,
): boolean {
  if (!guarded.isAlone(operation) || closeTables.has(operation.type)) return false
  return operation.op !== 'PUT' || !(probeTables.has(operation.type) || tables.get(operation.type)?.key.deferrable)
}

async function applyGuarded(
  tx: Transaction,
  operation: UploadOperation,
  { tables, probeTables, closeTables }: ApplyInput,
  guarded: GuardedRecords,
): Promise<Failure | undefined> {
  const isProbedFirst = probeTables.has(operation.type)
  const isClose = closeTables.has(operation.type)
  const failure = await judged(operation, async () => {
    const found = await applyOne(tx, guarded.rebase(operation), tables.get(operation.type), { isProbedFirst, isClose })
    if (found.kind !== 'done') return { ...found, ...('operation' in found ? { operation } : {}) }
    await guarded.applied(operation, found.merged)
    return undefined
  })
  const mayBeUpsertPrivilegeError =
    operation.op === 'PUT' && failure?.kind === 'error' && failure.error.code === '42501' && !isProbedFirst
  return mayBeUpsertPrivilegeError ? { kind: 'probe_first', table: operation.type } : failure
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
  { isProbedFirst, isClose }: { readonly isProbedFirst: boolean; readonly isClose: boolean },
): Promise<Failure | Done> {
  const putForm = table && operation.op === 'PUT' ? await choosePutForm(tx, operation, table, isProbedFirst) : 'upsert'
  let attempt: UploadOperation = operation
  for (let merges = 0; ; merges += 1) {
    const planned = planOperation(attempt, table, putForm)
    if (planned.kind === 'unplannable') return { kind: 'unplannable', operation, reason: planned.reason }
    const triggers = rowTriggersFor(operation, table)
    const touched =
      table && triggers.length > 0 && isClose
        ? await writeAndCount(tx, { operation: attempt, table, planned, triggers })
        : await tx.execute(planned.statement)
    if (touched > 0 || !table)
      return { kind: 'done', merged: attempt === operation ? [] : mergedColumns(operation, attempt) }
    if (triggers.length > 0 && !isClose) return { kind: 'look_closely', table: operation.type }
    const verdict = await explainNoRow(tx, operation, table, planned.guards)
    const merged = merges < MERGES_MAX && mergeTexts(operation, table, verdict)
    // A statement that found no row with the same texts before would find none again.
    if (!merged || isSameWrite(merged, attempt)) return { kind: 'verdict', operation, verdict }
    attempt = merged
  }
}

async function choosePutForm(
  tx: Transaction,
  operation: UploadOperation,
  table: WritableTable,
  isProbedFirst: boolean,
): Promise<PutForm> {
  // Postgres has no ON CONFLICT for keys that are checked later.
  if (!isProbedFirst && !table.key.deferrable) return 'upsert'
  const readable = await tx.query<{ readable: boolean }>(sql`
    select bool_and(pg_catalog.has_column_privilege(
             format('%I.%I', ${table.schema}::text, ${table.name}::text), k.name, 'select')) as readable
      from unnest(${table.key.columns.map((column) => column.name)}::text[]) k (name)
  `)
  if (!readable[0]?.readable) return 'insert'
  const seen = await tx.query(renderProbe(operation, table))
  return seen.length > 0 ? 'replace' : 'insert'
}

/** An operation that was applied. */
interface Done {
  readonly kind: 'done'
  /** Columns whose text was merged with what was there. */
  readonly merged: readonly string[]
}

/** A text may change again between reading and writing it; each time what is there then is merged. */
const MERGES_MAX = 5

/** No row was touched: a person changed a guarded column, or the row is gone, or row-level security hides it. */
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
      message: 'Another person changed this record in the meantime.',
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
