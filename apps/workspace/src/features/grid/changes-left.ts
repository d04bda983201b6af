import type { LocalDatabase } from '@holdfast/client'
import { askForPart } from '../../components/records/part-question.tsx'
import { showToast } from '../../components/toast.tsx'
import { judgeChanges } from '../../lib/records/judge-changes.ts'
import type { RecordChange } from '../../lib/records/record-change.ts'
import { rightMessages } from '../../messages/rights.ts'
import type { GridRow } from './window-cache.ts'

/** What is needed to ask about a command over several records. */
interface Asking extends Pick<LocalDatabase, 'judge'> {
  /** What some of its changes are called. */
  readonly labelOf: (changes: readonly RecordChange[]) => string
  /** Names of its records, for sentences. */
  readonly one: string
  readonly many: string
}

/**
 * The changes of a command that policies leave, as far as this device knows: all of them, the part that the person wants when some are refused, or none.
 *
 * @param rows - as they are before it
 */
export async function changesLeft(
  { judge, labelOf, one, many }: Asking,
  changes: readonly RecordChange[],
  rows: readonly GridRow[],
): Promise<readonly RecordChange[]> {
  const { going, refused, reason } = await judgeChanges(judge, changes, rows)
  if (reason === undefined) return changes
  if (going.length === 0) {
    showToast({ text: rightMessages.noneGoes(labelOf(changes), reason) })
    return []
  }
  const question = { label: labelOf(changes), going: going.length, refused: refused.length, reason, one, many }
  return (await askForPart(question)) ? going : []
}
