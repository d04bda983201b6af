import type { JSX } from 'react'
import { latePart, useLatePart } from '../../lib/late-part.ts'
import { type RecordWriter, useUndo } from '../../lib/records/create-record-writer.ts'
import { LayerNotLoaded } from '../layers/layer-trigger.tsx'

const dialogCode = latePart(async () => await import('./undo-dialog.tsx'))

/** The dialog of an undo that would write over a later change, loaded with the first of them. */
export function LateUndoDialog({ writer }: { readonly writer: RecordWriter }): JSX.Element | null {
  const isAsked = useUndo((state) => state.pending !== undefined)
  const { part, hasFailed } = useLatePart(dialogCode, isAsked)
  if (part) return <part.UndoDialog writer={writer} />
  return hasFailed ? <LayerNotLoaded /> : null
}
