import { sql, type Transaction } from '@holdfast/postgres'
import type { OperationVerdict, UploadOperation, UploadRow } from '@holdfast/protocol'
import { applyRun, planRun } from './apply-run.ts'
import { isSameWrite, mergedColumns, mergeTexts } from './merge-texts.ts'
import { openGuardedRecords, type GuardedRecords, type ReadableColumns } from './guarded-records.ts'
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
  /** A one-statement PUT requires more privileges than INSERT. Apply again, checking first whether the rows exist. */
  | { readonly kind: 'probe_first'; readonly table: string }
  /** A trigger may have replaced an operation's effect. Apply again, counting written rows. */
  | { readonly kind: 'look_closely'; readonly table: string }
  /** A run stopped at an operation that must be applied alone to find the reason. */
  | { readonly kind: 'one_by_one'; readonly from: number }

export interface Applied {
  readonly kind: 'applied'
  readonly now: ReadonlyMap<UploadOperation, UploadRow>
  /** Readable columns of the tables that were read. */
  readonly readable: ReadableColumns
}

export interface ApplyInput {
  readonly operations: readonly UploadOperation[]
  readonly tables: ReadonlyMap<string, WritableTable>
  /** Local names of tables whose PUTs must not use the one-statement form. */
  readonly probeTables: ReadonlySet<string>
  /** Local names of tables whose triggers may replace an operation's effect. */
  readonly closeTables: ReadonlySet<string>
  /** Number of leading operations that may be applied in runs. The operation that stopped an earlier run, and later ones, are applied one by one. */
  readonly togetherUntil: number
  readonly runOperationsMax: number
  /** The role assumed by the transaction. */
  readonly role: string
  /** Called between round trips; throws to abort. */
  readonly check: () => void
}

/**
 * Applies operations in order, and checks deferred constraints, as the role assumed by the transaction.
 *
 * @returns why it stopped, or the current guarded columns by the last operation on each record. After a failure the caller must roll back to a savepoint
 * @throws errors that are not verdicts: broken connections and transient errors
 */
export async function applyOperations(tx: Transaction, input: ApplyInput): Promise<Failure | Applied> {
  const { operations, tables, check, runOperationsMax, role } = input
  const guarded = openGuardedRecords(operations, tables)
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
  if (!last) return { kind: 'applied', now: new Map(), readable: new Map() }
  check()
  // Otherwise deferred constraints would fail at COMMIT, after the verdict was written.
  const failure = await judged(last, async () => {
    await tx.execute(sql`set constraints all immediate`)
    return undefined
  })
  if (failure?.kind === 'error') return { ...failure, operation: blamed(failure.error, operations, tables) ?? last }
  return failure ?? { kind: 'applied', now: await guarded.read(tx), readable: guarded.readable }
}

/** Whether an operation needs no reads before or after its statement. */
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
    await guarded.applied(tx, operation, found.merged)
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

/** Returns the last operation on the table of a deferred constraint that failed. */
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
    // The same write with the same previous texts would match no row again.
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
  // Postgres does not support ON CONFLICT with deferrable constraints.
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

/** An applied operation. */
interface Done {
  readonly kind: 'done'
  /** Columns whose text was merged. */
  readonly merged: readonly string[]
}

/** Maximum merges of one operation: its texts may change again between reading and writing. */
const MERGES_MAX = 5

/** Explains why no row was affected: a guarded column changed, the row is gone, or row-level security hides it. */
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
