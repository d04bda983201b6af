import type { LocalDatabase } from '@holdfast/client'
import { askForPart } from '../../components/records/part-question.tsx'
import { showToast } from '../../components/toast.tsx'
import { judgeChanges } from '../../lib/records/judge-changes.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { RecordChange } from '../../lib/records/record-change.ts'
import { rightMessages } from '../../messages/rights.ts'
import type { GridRow } from './window-cache.ts'

/** What is needed to ask about a command over several records. */
interface Asking extends Pick<LocalDatabase, 'judge'> {
  readonly table: TableInfo
  /** What some of its changes are called. */
  readonly labelOf: (changes: readonly RecordChange[]) => string
}

/**
 * The changes of a command that policies leave, as far as this device knows: all of them, the part that the person wants when some are refused, or none.
 *
 * @param rows - as they are before it
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
