import { useEffect } from 'react'
import { isApple } from '../shortcuts.ts'
import type { RecordWriter } from './create-record-writer.ts'

/** Handles undo and redo keys anywhere on a screen, except in text input. */
export function useUndoKeys(writer: RecordWriter): void {
  // Window-level keys that no component receives.
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || !(isApple() ? event.metaKey : event.ctrlKey)) return
      if (
        event.target instanceof Element &&
        event.target.closest('input, textarea, select, [contenteditable="true"], [role="dialog"][aria-modal="true"]')
      )
        return
      const key = event.key.toLowerCase()
      const isRedo = (key === 'z' && event.shiftKey) || (key === 'y' && !event.shiftKey)
      if (!isRedo && key !== 'z') return
      event.preventDefault()
      void (isRedo ? writer.redo() : writer.undo())
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [writer])
}
