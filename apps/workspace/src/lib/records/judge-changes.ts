import type { Judgement, PlannedWrite } from '@holdfast/client'
import type { ColumnDescriptor } from '@holdfast/protocol'
import type { RecordChange, RecordValues } from './record-change.ts'
import { refusalWords } from './refusal-words.ts'

/** A command's changes split by the expected policy decision. */
export interface JudgedChanges {
  /** Not refused: the server decides. */
  readonly going: readonly RecordChange[]
  readonly refused: readonly RecordChange[]
  /** The most frequent reason; `undefined` if nothing is refused. */
  readonly reason: string | undefined
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
  const [[reason] = []] = [...reasons].toSorted(([, a], [, b]) => b - a)
  return { going: changes.filter((change) => !refused.has(change)), refused: [...refused], reason }
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
