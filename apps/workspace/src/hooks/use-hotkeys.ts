import { useEffect, useRef } from 'react'
import { useAppearance } from '../lib/appearance.ts'
import { isApple } from '../lib/shortcuts.ts'

/** How long the second key of a pair such as `G H` may take. */
const PAIR_MS = 1_200

/**
 * Runs handlers for keys anywhere in the window.
 *
 * Keys are written `mod+k`, `g h` (one after another), `?`, `/`, `c`. Without `mod` they only work while no text is being
 * typed, no layer is open, and when the person has not switched single-letter shortcuts off.
 */
export function useHotkeys(handlers: Readonly<Record<string, () => void>>): void {
  const latest = useRef(handlers)
  const hasLetters = useAppearance((appearance) => appearance.hasLetterShortcuts)
  // The handlers of the last render; the listener itself stays.
  useEffect(() => {
    latest.current = handlers
  })
  // Keys of the whole window, which no component receives.
  useEffect(() => {
    let first: { readonly key: string; readonly at: number } | undefined
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return
      const key = event.key.toLowerCase()
      const hasMod = isApple() ? event.metaKey : event.ctrlKey
      let name: string | undefined
      if (hasMod && !event.altKey && !event.shiftKey) {
        name = `mod+${key}`
      } else if (hasLetters && !event.metaKey && !event.ctrlKey && !event.altKey && !isTakenBy(event.target)) {
        const pair = first && event.timeStamp - first.at < PAIR_MS ? `${first.key} ${key}` : undefined
        name = pair !== undefined && latest.current[pair] ? pair : key
        first = pair === name ? undefined : { key, at: event.timeStamp }
      }
      const handler = name === undefined ? undefined : latest.current[name]
      if (!handler) return
      event.preventDefault()
      handler()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [hasLetters])
}

/** Text is being typed there, or a menu, grid or dialog uses letters itself. */
function isTakenBy(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false
  return (
    target.closest(
      'input, textarea, select, [contenteditable="true"], [role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], [role="grid"]',
    ) !== null
  )
}
