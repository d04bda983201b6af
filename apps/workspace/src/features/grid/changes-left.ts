import type { LocalDatabase } from '@holdfast/client'
import { askForPart } from '../../components/records/part-question.tsx'
import { showToast } from '../../components/toast.tsx'
import { judgeChanges } from '../../lib/records/judge-changes.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { RecordChange } from '../../lib/records/record-change.ts'
import { rightMessages } from '../../messages/rights.ts'
import type { GridRow } from './window-cache.ts'

/** What asking about a command on several records requires. */
interface Asking extends Pick<LocalDatabase, 'judge'> {
  readonly table: TableInfo
  /** Returns the label of the given changes. */
  readonly labelOf: (changes: readonly RecordChange[]) => string
}

/**
 * Returns the changes of a command that policies allow, as far as this device knows: all of them, the part the user accepts if some are refused, or none.
 *
 * @param rows - the rows before the command
 */
export async function changesLeft(
  { judge, table, labelOf }: Asking,
  changes: readonly RecordChange[],
  rows: readonly GridRow[],
): Promise<readonly RecordChange[]> {
  const { going, refused, reason } = await judgeChanges(judge, changes, rows, table.descriptor.columns)
  if (reason === undefined) return changes
  if (going.length === 0) {
    showToast({ text: rightMessages.noneGoes(labelOf(changes), reason) })
    return []
  }
  const names = { one: table.noun, many: table.many }
  const question = { label: labelOf(changes), going: going.length, refused: refused.length, reason, ...names }
  return (await askForPart(question)) ? going : []
}
