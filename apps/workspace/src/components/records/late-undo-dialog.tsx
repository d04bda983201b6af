import type { JSX } from 'react'
import { type RecordWriter, useUndo } from '../../lib/records/create-record-writer.ts'
import { lateLayer } from '../late-content.tsx'

const { Content: UndoDialog } = lateLayer(async () => (await import('./undo-dialog.tsx')).UndoDialog)

/** The dialog of an undo that would write over a later change, loaded with the first of them. */
export function LateUndoDialog({ writer }: { readonly writer: RecordWriter }): JSX.Element | null {
  const isAsked = useUndo((state) => state.pending !== undefined)
  return isAsked ? <UndoDialog writer={writer} /> : null
}
