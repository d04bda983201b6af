import { Outlet, type ParsedLocation, useRouter, useRouterState } from '@tanstack/react-router'
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

/** A screen whose record is still being read has its heading a moment later; in milliseconds. */
const HEADING_WAIT_MS = 2_000

/** Moves focus to the new screen's `h1`, so that a screen reader says where one is; not on the first load. */
function useFocusOnNavigation(): void {
  const router = useRouter()
  const pathname = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  const last = useRef<string | undefined>(undefined)
  const from = useRef<Element | null>(null)
  // The router's events and the document's focus are outside React.
  useEffect(() => {
    let index = historyIndexOf(router.latestLocation)
    return router.subscribe('onBeforeNavigate', ({ toLocation }) => {
      // A redirect is no act of the person: what they has focused or opened meanwhile stays as it is.
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

/** The position of a location in the history of this tab. */
function historyIndexOf({ state }: ParsedLocation): number {
  return state.__TSR_index
}

/**
 * Looks with every frame whether the focus is nowhere, until the person does something: a layer that closes may give the
 * focus back to a part of the screen that has just been left.
 *
 * @param from what led to the new screen, and gives up the focus
 * @returns ends the looking
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
    // A screen that has already put focus where it belongs (a field, a grid) keeps it.
    const isNowhere = active === null || active === document.body || (active === from && !main?.contains(active))
    if (isNowhere) main?.querySelector('h1')?.focus({ preventScroll: true })
    requestAnimationFrame(look)
  }
}
