import type { ClipboardEvent } from 'react'
import { showToast } from '../../components/toast.tsx'
import { gridMessages as words } from '../../messages/grid.ts'
import type { GridController } from './grid-controller.ts'
import { type CellRange, cellsIn, rangeOf } from './selection.ts'

export interface GridClipboard {
  readonly onCopy: (event: ClipboardEvent) => void
  readonly onCut: (event: ClipboardEvent) => void
  readonly onPaste: (event: ClipboardEvent) => void
}

/** Copies, cuts and pastes the selected cells, while no editor is open. */
export function gridClipboard({ edit, edits, selection, canUpdate }: GridController): GridClipboard {
  const copy = async (range: CellRange): Promise<boolean> => {
    const text = await edits.copy(range)
    if (text === undefined) return false
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      showToast({ text: words.clipboardDenied })
      return false
    }
    if (cellsIn(range) > 1) showToast({ text: words.copied(cellsIn(range)) })
    return true
  }
  return {
    onCopy(event) {
      if (edit.isOpen) return
      event.preventDefault()
      void copy(rangeOf(selection))
    },
    onCut(event) {
      if (edit.isOpen) return
      event.preventDefault()
      const range = rangeOf(selection)
      // Cells are emptied only once their values are in the clipboard.
      void copy(range).then((isCopied) => (isCopied && canUpdate ? edits.clear(range) : undefined))
    },
    onPaste(event) {
      if (edit.isOpen) return
      event.preventDefault()
      const text = event.clipboardData.getData('text/plain')
      if (!canUpdate) showToast({ text: words.readOnlyTable })
      else if (text === '') showToast({ text: words.pasteNothing })
      else void edits.paste(text, rangeOf(selection))
    },
  }
}
