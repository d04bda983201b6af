import { useEffect, useRef } from 'react'

/**
 * Takes the keys while a part loads that is going to have them, so that nothing typed is lost or reaches the screen
 * below.
 *
 * @param onText - receives all that was typed so far, with each letter
 * @param onCancel - called for Escape
 */
export function KeysMeanwhile({
  onText,
  onCancel,
}: {
  readonly onText: (text: string) => void
  readonly onCancel: () => void
}): null {
  const typed = useRef('')
  // The keyboard is outside of React.
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
