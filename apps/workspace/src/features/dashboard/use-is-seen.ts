import { type RefObject, useEffect, useState } from 'react'

/** How far outside the window a tile counts as seen, so that it is calculated before it scrolls in. */
const MARGIN = '240px'

/** Whether an element is near the visible part of the page, or the page is being printed. Tiles out of sight calculate nothing. */
export function useIsSeen(element: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false)
  // What is visible, and printing, are outside React.
  useEffect(() => {
    const { current } = element
    if (!current) return
    const seen = new IntersectionObserver(([entry]) => setSeen(entry?.isIntersecting === true), { rootMargin: MARGIN })
    const print = (): void => setSeen(true)
    seen.observe(current)
    addEventListener('beforeprint', print)
    return () => {
      seen.disconnect()
      removeEventListener('beforeprint', print)
    }
  }, [element])
  return isSeen
}
