import { runPipeline, type PipelineStep, type Transaction } from '@holdfast/postgres'
import type { UploadOperation } from '@holdfast/protocol'
import type { DatabaseError } from './judge-error.ts'
import { PREPARE_FROM_REPEATS } from './limits.ts'
import { planOperation } from './plan-operation.ts'
import { typesOf, type WritableTable } from './writable-tables.ts'

/** Consecutive operations that are sent in one write, because nothing has to be read between them. */
export interface Run {
  readonly operations: readonly UploadOperation[]
  readonly steps: readonly PipelineStep[]
}

export interface RunRules {
  readonly tables: ReadonlyMap<string, WritableTable>
  /** Maximum operations per run; runs are disabled below 2. */
  readonly runOperationsMax: number
  /** Part of the key of prepared statements. */
  readonly role: string
  /** Whether an operation can be applied by its own statement alone, independently of others. */
  readonly isAlone: (operation: UploadOperation) => boolean
}

/**
 * Plans the run starting at an operation: the same statements in the same order as one by one, so Postgres decides the same. They are not combined into
 * multi-row statements, in which policies and triggers would not see the results of earlier operations.
 *
 * @returns `undefined` for fewer than two operations
 */
export function planRun(operations: readonly UploadOperation[], from: number, rules: RunRules): Run | undefined {
  const taken: UploadOperation[] = []
  const statements: { readonly text: string; readonly values: readonly unknown[]; readonly table: WritableTable }[] = []
  for (const operation of operations.slice(from, from + rules.runOperationsMax)) {
    const table = rules.tables.get(operation.type)
    if (!table || !rules.isAlone(operation)) break
    const planned = planOperation(operation, table, 'upsert')
    if (planned.kind !== 'statement') break
    taken.push(operation)
    statements.push({ ...planned.statement.render(), table })
  }
  if (taken.length < 2) return undefined
  const uses = new Map<string, number>()
  for (const { text } of statements) uses.set(text, (uses.get(text) ?? 0) + 1)
  const steps = statements.map(({ text, values, table }) => ({
    text,
    values,
    // Parameter types are fixed when a statement is prepared, so the key includes the column types.
    ...((uses.get(text) ?? 0) >= PREPARE_FROM_REPEATS ? { key: `${rules.role} ${typesOf(table)} ${text}` } : {}),
  }))
  return { operations: taken, steps }
}

/** Result of a run: complete, or stopped at an operation that failed or affected no row. */
export type RunOutcome =
  | { readonly kind: 'applied' }
  | { readonly kind: 'stopped'; readonly at: number; readonly error: DatabaseError | undefined }

/** Applies a run in one round trip. After a failure the caller must roll back to a savepoint. */
export async function applyRun(tx: Transaction, { steps }: Run): Promise<RunOutcome> {
  const [answer] = await runPipeline(tx.client, [steps], { timeoutMs: 0, rowBytesMax: 1 })
  const untouched = answer?.steps.findIndex(({ affected }) => affected === 0) ?? -1
  if (untouched >= 0) return { kind: 'stopped', at: untouched, error: undefined }
  if (answer?.error) return { kind: 'stopped', at: answer.steps.length, error: answer.error as DatabaseError }
  return { kind: 'applied' }
}
