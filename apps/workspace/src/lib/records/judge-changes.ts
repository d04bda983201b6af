import type { Judgement, PlannedWrite } from '@holdfast/client'
import type { ColumnDescriptor } from '@holdfast/protocol'
import type { RecordChange, RecordValues } from './record-change.ts'
import { refusalWords } from './refusal-words.ts'

/** A command's changes split by the expected policy decision. */
export interface JudgedChanges {
  /** Not refused: the server decides. */
  readonly going: readonly RecordChange[]
  readonly refused: readonly RecordChange[]
  /** Why, the most frequent reason first. */
  readonly reasons: readonly RefusalCount[]
}

/** A reason, and how many changes it refuses. */
export interface RefusalCount {
  readonly words: string
  readonly count: number
}

/**
 * Judges changes to local records.
 *
 * @param columns - of their table
 */
export async function judgeChanges(
  judge: (writes: readonly PlannedWrite[]) => Promise<readonly Judgement[]>,
  changes: readonly RecordChange[],
  rows: readonly (RecordValues & { readonly id: string })[],
  columns: Columns,
): Promise<JudgedChanges> {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const judgements = await judge(changes.map((change) => toPlanned(change, byId.get(change.id), columns)))
  const reasons = new Map<string, number>()
  const refused = new Set<RecordChange>()
  for (const [index, change] of changes.entries()) {
    const judgement = judgements[index]
    if (judgement?.kind !== 'refused') continue
    refused.add(change)
    const words = refusalWords(judgement.refusal)
    reasons.set(words, (reasons.get(words) ?? 0) + 1)
  }
  return { going: changes.filter((change) => !refused.has(change)), refused: [...refused], reasons: inOrder(reasons) }
}

function inOrder(reasons: ReadonlyMap<string, number>): readonly RefusalCount[] {
  return [...reasons].map(([words, count]) => ({ words, count })).toSorted((a, b) => b.count - a.count)
}

type Columns = readonly ColumnDescriptor[] | undefined

/**
 * Converts a change for judging.
 *
 * @param row - the record before it
 * @param columns - of its table: missing values of a new record are empty
 */
export function toPlanned(
  { kind, table, id, values }: RecordChange,
  row: RecordValues | undefined,
  columns: Columns,
): PlannedWrite {
  const before = { ...row, id }
  if (kind === 'delete') return { table, command: 'delete', before }
  if (kind === 'insert') {
    const empty = Object.fromEntries((columns ?? []).map(({ name }) => [name, null]))
    return { table, command: 'insert', after: { ...empty, ...values, id } }
  }
  return { table, command: 'update', before, after: { ...before, ...values }, changed: Object.keys(values) }
}
