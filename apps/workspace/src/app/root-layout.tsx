import { Outlet, useRouterState } from '@tanstack/react-router'
import { type JSX, useEffect, useRef } from 'react'
import { shellMessages } from '../messages/shell.ts'

/** Around every screen: the skip link, and focus on the heading after a change of screen. */
export function RootLayout(): JSX.Element {
  useFocusOnNavigation()
  return (
    <>
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-accent px-3 py-2 text-on-accent focus:translate-y-0"
      >
        {shellMessages.skipToContent}
      </a>
      <Outlet />
    </>
  )
}

/** Moves focus to the new screen's `h1`, so that a screen reader says where one is; not on the first load. */
function useFocusOnNavigation(): void {
  const pathname = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  const last = useRef<string | undefined>(undefined)
  // Focus is the document's, not React's.
  useEffect(() => {
    if (pathname === undefined) return
    const isFirst = last.current === undefined
    const isSame = last.current === pathname
    last.current = pathname
    if (isFirst || isSame) return
    const frame = requestAnimationFrame(() => {
      // A screen that has already put focus where it belongs (a field, a grid) keeps it.
      const main = document.querySelector('#content')
      if (main?.contains(document.activeElement)) return
      document.querySelector<HTMLElement>('#content h1')?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [pathname])
}
