import type { JSX } from 'react'
import { type RecordWriter, useUndo } from '../../lib/records/create-record-writer.ts'
import { recordMessages as words } from '../../messages/record.ts'
import { ConfirmDialog } from '../dialog.tsx'

/** Confirms an undo or redo that would overwrite a later change. */
export function UndoDialog({ writer }: { readonly writer: RecordWriter }): JSX.Element | null {
  const pending = useUndo((state) => state.pending)
  if (!pending) return null
  return (
    <ConfirmDialog
      title={words.changedTitle}
      isOpen
      onClose={writer.dropPending}
      confirmLabel={pending.direction === 'undo' ? words.undoAnyway : words.redoAnyway}
      cancelLabel={words.keepLater}
      isDanger
      onConfirm={() => void writer.confirmPending()}
    >
      {words.changedDetail(pending.records.length, pending.command.label)}
    </ConfirmDialog>
  )
}
