import { useEffect, useRef } from 'react'

/**
 * Captures keys while a component that will need them loads, so that input is neither lost nor reaches the screen below.
 *
 * @param onText - receives all input so far on each key
 * @param onCancel - called on Escape
 */
export function KeysMeanwhile({
  onText,
  onCancel,
}: {
  readonly onText: (text: string) => void
  readonly onCancel: () => void
}): null {
  const typed = useRef('')
  // Keyboard events are external to React.
  useEffect(() => {
    const take = (text: string): void => {
      typed.current = text
      onText(text)
    }
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'Escape') onCancel()
      else if (event.key === 'Backspace') take(typed.current.slice(0, -1))
      else if (event.key.length === 1) take(typed.current + event.key)
      else return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    addEventListener('keydown', onKeyDown, { capture: true })
    return () => removeEventListener('keydown', onKeyDown, { capture: true })
  }, [onText, onCancel])
  return null
}
