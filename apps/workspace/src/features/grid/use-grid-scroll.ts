import { type RefObject, useEffect, useState } from 'react'
import { HEADER_PX } from './grid-layout.ts'
import { rowsAhead } from './rows-to-draw.ts'

/** What part of the grid is in sight, as coarse as drawing needs it. */
export interface GridScroll {
  readonly firstRow: number
  readonly pageRows: number
  /** Pixels to the right, in steps. */
  readonly left: number
  readonly width: number
  /** Rows to draw ahead of the visible ones while it is scrolled, negative upwards. */
  readonly ahead: number
}

/** Sideways, columns are looked at again after this many pixels. */
const LEFT_STEP_PX = 120

/** A grid that was not scrolled for so long stands still, in milliseconds. */
const STILL_AFTER_MS = 150

/** The viewport that was measured last: most probably that of the next one. Until there is one, a guess from the window. */
let lastSeen: { readonly width: number; readonly height: number } | undefined

/** What is drawn before the viewport has been measured; cells beyond it would be drawn to be taken away again. */
function expectedScroll(rowPx: number, headerPx: number): GridScroll {
  const { width, height } = lastSeen ?? { width: innerWidth, height: innerHeight }
  return { firstRow: 0, pageRows: rowsIn(height, rowPx, headerPx), left: 0, width, ahead: 0 }
}

function rowsIn(height: number, rowPx: number, headerPx: number): number {
  return Math.max(1, Math.floor((height - headerPx) / rowPx))
}

/** Follows the scroll position and the size of the viewport; renders again only when other rows or columns come in sight. */
export function useGridScroll(
  viewport: RefObject<HTMLElement | null>,
  rowPx: number,
  headerPx = HEADER_PX,
): GridScroll {
  const [scroll, setScroll] = useState(() => expectedScroll(rowPx, headerPx))
  // Scrolling and resizing are the browser's.
  useEffect(() => {
    const element = viewport.current
    if (!element) return
    let [lastTop, lastMs] = [element.scrollTop, performance.now()]
    let still: ReturnType<typeof setTimeout> | undefined
    /** Rows per millisecond since the last look. */
    const speed = (): number => {
      const [top, now] = [element.scrollTop, performance.now()]
      const rows = now - lastMs > STILL_AFTER_MS ? 0 : (top - lastTop) / rowPx / Math.max(1, now - lastMs)
      ;[lastTop, lastMs] = [top, now]
      return rows
    }
    const read = (): void => {
      clearTimeout(still)
      lastSeen = { width: element.clientWidth, height: element.clientHeight }
      const pageRows = rowsIn(lastSeen.height, rowPx, headerPx)
      const ahead = rowsAhead(speed(), pageRows)
      if (ahead !== 0) still = setTimeout(read, STILL_AFTER_MS + 1)
      const next: GridScroll = {
        firstRow: Math.floor(element.scrollTop / rowPx),
        pageRows,
        ahead,
        left: Math.floor(element.scrollLeft / LEFT_STEP_PX) * LEFT_STEP_PX,
        width: lastSeen.width,
      }
      setScroll((before) =>
        before.firstRow === next.firstRow &&
        before.pageRows === next.pageRows &&
        before.left === next.left &&
        before.ahead === next.ahead &&
        before.width === next.width
          ? before
          : next,
      )
    }
    read()
    const resized = new ResizeObserver(read)
    resized.observe(element)
    element.addEventListener('scroll', read, { passive: true })
    return () => {
      clearTimeout(still)
      resized.disconnect()
      element.removeEventListener('scroll', read)
    }
  }, [viewport, rowPx, headerPx])
  return scroll
}
