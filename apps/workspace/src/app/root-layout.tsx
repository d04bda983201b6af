import { Outlet, type ParsedLocation, useRouter, useRouterState } from '@tanstack/react-router'
import { type JSX, useEffect, useRef } from 'react'
import { shellMessages } from '../messages/shell.ts'

/** Wraps every screen: skip link, and focus on the heading after navigation. */
export function RootLayout(): JSX.Element {
  useFocusOnNavigation()
  return (
    <>
      <a
        href="#content"
        className="print:hidden fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-accent px-3 py-2 text-on-accent focus:translate-y-0"
      >
        {shellMessages.skipToContent}
      </a>
      <Outlet />
    </>
  )
}

/** Time in ms to wait for the heading of a screen whose record is still loading. */
const HEADING_WAIT_MS = 2_000

/** Focuses the new screen's `h1` after navigation, so that screen readers announce it. Skips the first load. */
function useFocusOnNavigation(): void {
  const router = useRouter()
  const pathname = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  const last = useRef<string | undefined>(undefined)
  const from = useRef<Element | null>(null)
  // The router's events and the document's focus are outside React.
  useEffect(() => {
    let index = historyIndexOf(router.latestLocation)
    return router.subscribe('onBeforeNavigate', ({ toLocation }) => {
      // A redirect is not a user action: whatever the user has focused or opened stays.
      if (historyIndexOf(toLocation) === index) return
      index = historyIndexOf(toLocation)
      from.current = document.activeElement
    })
  }, [router])
  useEffect(() => {
    if (pathname === undefined) return
    const isFirst = last.current === undefined
    const isSame = last.current === pathname
    last.current = pathname
    if (isFirst || isSame) return
    return focusHeading(from.current)
  }, [pathname])
}

/** Returns a location's position in this tab's history. */
function historyIndexOf({ state }: ParsedLocation): number {
  return state.__TSR_index
}

/**
 * Checks on every frame whether the focus is lost, until the user acts, because a closing overlay may return the focus to a part of the previous screen.
 *
 * @param from the element that led to the new screen and gives up the focus
 * @returns a function that stops checking
 */
function focusHeading(from: Element | null): () => void {
  const until = performance.now() + HEADING_WAIT_MS
  const stopped = new AbortController()
  const stop = (): void => stopped.abort()
  addEventListener('keydown', stop, { capture: true, signal: stopped.signal })
  addEventListener('pointerdown', stop, { capture: true, signal: stopped.signal })
  requestAnimationFrame(look)
  return stop

  function look(): void {
    if (stopped.signal.aborted) return
    if (performance.now() > until) return stop()
    const main = document.querySelector('#content')
    const active = document.activeElement
    // A screen that has already placed the focus, for example in a field or grid, keeps it.
    const isNowhere = active === null || active === document.body || (active === from && !main?.contains(active))
    if (isNowhere) main?.querySelector('h1')?.focus({ preventScroll: true })
    requestAnimationFrame(look)
  }
}
