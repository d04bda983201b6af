import type { LocalDatabase } from '@holdfast/client'
import { askForPart, type RefusalReason } from '../../components/records/part-question.tsx'
import { showToast } from '../../components/toast.tsx'
import { judgeChanges } from '../../lib/records/judge-changes.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { RecordChange } from '../../lib/records/record-change.ts'
import { rightMessages } from '../../messages/rights.ts'
import type { CellChanges } from './edit-changes.ts'
import type { GridRow } from './window-cache.ts'

/** What asking about a command on several records requires. */
interface Asking extends Pick<LocalDatabase, 'judge'> {
  readonly table: TableInfo
  /** Returns the label of the given changes. */
  readonly labelOf: (changes: readonly RecordChange[]) => string
}

/**
 * Returns the changes of a command that this device expects to be accepted: all of them, the part that the user confirms after seeing what is refused and why,
 * or none.
 *
 * @param wanted - the changes, and the cells that cannot take their value
 * @param rows - the rows before the command
 */
export async function changesLeft(
  { judge, table, labelOf }: Asking,
  wanted: Pick<CellChanges, 'changes' | 'refusals'>,
  rows: readonly GridRow[],
): Promise<readonly RecordChange[]> {
  const { going, refused, reasons } = await judgeChanges(judge, wanted.changes, rows, table.descriptor.columns)
  const all: readonly RefusalReason[] = [
    ...reasons.map((reason) => ({ ...reason, of: 'records' as const })),
    ...countedCells(wanted.refusals),
  ]
  const [first] = all
  if (first === undefined) return wanted.changes
  if (going.length === 0 && refused.length + wanted.refusals.length === 1) {
    showToast({ text: rightMessages.noneGoes(labelOf(wanted.changes), first.words) })
    return []
  }
  const question = {
    label: labelOf(wanted.changes),
    going: going.length,
    refused: refused.length,
    cells: wanted.refusals.length,
    reasons: all,
    isDeletion: wanted.changes.every(({ kind }) => kind === 'delete'),
    one: table.noun,
    many: table.many,
  }
  return (await askForPart(question)) ? going : []
}

/** Counts equal messages, the most frequent first. */
function countedCells(refusals: readonly string[]): readonly RefusalReason[] {
  return [...Map.groupBy(refusals, (words) => words)]
    .map(([words, { length }]) => ({ words, count: length, of: 'cells' as const }))
    .toSorted((a, b) => b.count - a.count)
}
