import type { JSX } from 'react'
import { type RecordWriter, useUndo } from '../../lib/records/create-record-writer.ts'
import { lateLayer } from '../late-content.tsx'

const { Content: UndoDialog } = lateLayer(async () => (await import('./undo-dialog.tsx')).UndoDialog)

/** Dialog for an undo that would overwrite a later change, lazily loaded. */
export function LateUndoDialog({ writer }: { readonly writer: RecordWriter }): JSX.Element | null {
  const isAsked = useUndo((state) => state.pending !== undefined)
  return isAsked ? <UndoDialog writer={writer} /> : null
}
