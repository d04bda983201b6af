import { runPipeline, type PipelineStep, type Transaction } from '@holdfast/postgres'
import type { UploadOperation } from '@holdfast/protocol'
import type { DatabaseError } from './judge-error.ts'
import { PREPARE_FROM_REPEATS } from './limits.ts'
import { planOperation } from './plan-operation.ts'
import type { WritableTable } from './writable-tables.ts'

/** Consecutive operations that can go to Postgres in one write, as nothing has to be read between them. */
export interface Run {
  readonly operations: readonly UploadOperation[]
  readonly steps: readonly PipelineStep[]
}

export interface RunRules {
  readonly tables: ReadonlyMap<string, WritableTable>
  /** Operations of one run; below 2 there is none. */
  readonly runOperationsMax: number
  /** Part of what a prepared plan depends on. */
  readonly role: string
  /** Whether an operation can be applied by its own statement alone, whatever others do. */
  readonly isAlone: (operation: UploadOperation) => boolean
}

/**
 * The run that begins at an operation: the same statements, in the same order, that would be sent one by one, so that Postgres judges the same. Rows
 * are not merged into statements of many rows: policies and triggers would then not see what earlier operations wrote.
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
    // Types of parameters are fixed when a statement is prepared, so that the key has to say those of the table's columns.
    ...((uses.get(text) ?? 0) >= PREPARE_FROM_REPEATS ? { key: `${rules.role} ${typesOf(table)} ${text}` } : {}),
  }))
  return { operations: taken, steps }
}

const types = new WeakMap<WritableTable, string>()

function typesOf(table: WritableTable): string {
  const known = types.get(table)
  if (known !== undefined) return known
  const text = JSON.stringify([...table.columns.values()].map(({ name, type }) => [name, type]))
  types.set(table, text)
  return text
}

/** How far a run came: all of it, or up to an operation that failed or touched no row. */
export type RunOutcome =
  | { readonly kind: 'applied' }
  | { readonly kind: 'stopped'; readonly at: number; readonly error: DatabaseError | undefined }

/** Applies a run in one round trip. After a failure the transaction has to go back to a savepoint. */
export async function applyRun(tx: Transaction, { steps }: Run): Promise<RunOutcome> {
  const [answer] = await runPipeline(tx.client, [steps], { timeoutMs: 0, rowBytesMax: 1 })
  const untouched = answer?.steps.findIndex(({ affected }) => affected === 0) ?? -1
  if (untouched >= 0) return { kind: 'stopped', at: untouched, error: undefined }
  if (answer?.error) return { kind: 'stopped', at: answer.steps.length, error: answer.error as DatabaseError }
  return { kind: 'applied' }
}
