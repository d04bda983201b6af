import { useEffect, useRef } from 'react'
import { useAppearance } from '../lib/appearance.ts'
import { type FirstKey, readHotkey } from '../lib/hotkeys.ts'
import { isApple } from '../lib/shortcuts.ts'

/**
 * Runs handlers for keys anywhere in the window.
 *
 * Keys are written `mod+k`, `g h` (in sequence), `?`, `/`, `c`. Keys without `mod` work only while no text is being typed, no layer is open and single-letter
 * shortcuts are on.
 */
export function useHotkeys(handlers: Readonly<Record<string, () => void>>): void {
  const latest = useRef(handlers)
  const hasLetters = useAppearance((appearance) => appearance.hasLetterShortcuts)
  // Updates the handlers without re-registering the listener.
  useEffect(() => {
    latest.current = handlers
  })
  // Listens on the window, because no component receives these keys.
  useEffect(() => {
    let first: FirstKey
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return
      const { metaKey: isMeta, ctrlKey: isCtrl, altKey: isAlt, shiftKey: isShift } = event
      const press = {
        key: event.key.toLowerCase(),
        atMs: event.timeStamp,
        modifiers: { isMod: isApple() ? isMeta : isCtrl, isMeta, isCtrl, isAlt, isShift },
        isTaken: isTakenBy(event.target),
      }
      const isBound = (name: string): boolean => latest.current[name] !== undefined
      const read = readHotkey(first, press, { hasLetters, isBound })
      first = read.first
      const handler = read.name === undefined ? undefined : latest.current[read.name]
      if (!handler) return
      event.preventDefault()
      handler()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [hasLetters])
}

/** Whether a target takes letters itself: a text field, menu, grid or dialog. */
function isTakenBy(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false
  return (
    target.closest(
      'input, textarea, select, [contenteditable="true"], [role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], [role="grid"]',
    ) !== null
  )
}
