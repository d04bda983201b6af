import { useEffect } from 'react'

/**
 * Binds `⌥↑` and `⌥↓` to the previous and next record while one is open, unless the focused control uses these keys. Escape closes the record if nothing has
 * the focus.
 */
export function useStepKeys(
  onPrevious: (() => void) | undefined,
  onNext: (() => void) | undefined,
  onClose: () => void,
): void {
  // Listens on the window, because the focus may be in the grid or in the panel.
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && event.target === document.body && !event.defaultPrevented) onClose()
      if (!event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return
      const step = event.key === 'ArrowUp' ? onPrevious : event.key === 'ArrowDown' ? onNext : undefined
      if (!step || isOwnKey(event.target)) return
      event.preventDefault()
      step()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [onPrevious, onNext, onClose])
}

/** Whether a control uses Alt with an arrow key, as lists and date fields do to open. */
function isOwnKey(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('[aria-haspopup], [role="listbox"], [role="menu"], input[type^="date"]') !== null
  )
}
