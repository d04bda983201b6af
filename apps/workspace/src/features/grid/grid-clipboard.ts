import type { ClipboardEvent } from 'react'
import { showToast } from '../../components/toast.tsx'
import { gridMessages as words } from '../../messages/grid.ts'
import type { GridController } from './grid-controller.ts'
import { rangeOf } from './selection.ts'

export interface GridClipboard {
  readonly onCopy: (event: ClipboardEvent) => void
  readonly onCut: (event: ClipboardEvent) => void
  readonly onPaste: (event: ClipboardEvent) => void
}

/** Copies, cuts and pastes the selected cells while no editor is open. */
export function gridClipboard({ edit, edits, selection, canUpdate }: GridController): GridClipboard {
  return {
    onCopy(event) {
      if (edit.isOpen) return
      event.preventDefault()
      void edits.copy(rangeOf(selection))
    },
    onCut(event) {
      if (edit.isOpen) return
      event.preventDefault()
      const range = rangeOf(selection)
      // Cells are cleared only after the clipboard has their values.
      void edits.copy(range).then((isCopied) => (isCopied && canUpdate ? edits.clear(range) : undefined))
    },
    onPaste(event) {
      if (edit.isOpen) return
      event.preventDefault()
      // Read now: clipboardData is empty after the event.
      const text = event.clipboardData.getData('text/plain')
      const html = event.clipboardData.getData('text/html')
      if (!canUpdate) showToast({ text: words.readOnlyTable })
      else void edits.paste({ text, html }, rangeOf(selection))
    },
  }
}
