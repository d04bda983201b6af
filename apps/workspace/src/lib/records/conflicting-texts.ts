import type { RejectedChange } from '@holdfast/client'
import { type ColumnDescriptor, isLongText } from '@holdfast/protocol'
import { bothTexts } from '../fields/settle-text.ts'
import type { LocalValueOf } from '../fields/field-value.ts'

/** A text in which two users changed the same lines. */
export interface ConflictingText {
  readonly column: ColumnDescriptor
  readonly mine: string
  readonly theirs: string
  /** The lines of both versions, the server's first. */
  readonly both: string
}

/** Returns the texts of a conflict that could not be merged; none for conflicts about other values. */
export function conflictingTexts(
  change: RejectedChange,
  {
    fields,
  }: { readonly fields: readonly { readonly column: ColumnDescriptor; readonly yours: LocalValueOf | undefined }[] },
): readonly ConflictingText[] {
  const { verdict, operations } = change
  if (verdict.status !== 'conflict') return []
  const old = operations.find(({ op_id }) => op_id === verdict.op_id)?.old ?? {}
  return fields.flatMap(({ column, yours }) => {
    const isText = column.guard === 'column' && column.local === 'text' && column.choices === undefined
    if (!isText || yours === undefined || !(column.name in verdict.current)) return []
    const [base, mine, theirs] = [old[column.name], yours, verdict.current[column.name]].map((text) =>
      String(text ?? ''),
    )
    if (base === undefined || mine === undefined || theirs === undefined || theirs === base) return []
    return [{ column, mine, theirs, both: bothTexts(base, mine, theirs, isLongText(column.name)) }]
  })
}
