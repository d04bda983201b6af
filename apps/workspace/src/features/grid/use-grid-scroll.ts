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

/** Follows the scroll position and the size of the viewport; renders again only when other rows or columns come in sight. */
export function useGridScroll(
  viewport: RefObject<HTMLElement | null>,
  rowPx: number,
  headerPx = HEADER_PX,
): GridScroll {
  const [scroll, setScroll] = useState<GridScroll>({ firstRow: 0, pageRows: 20, left: 0, width: 1024, ahead: 0 })
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
      const pageRows = Math.max(1, Math.floor((element.clientHeight - headerPx) / rowPx))
      const ahead = rowsAhead(speed(), pageRows)
      if (ahead !== 0) still = setTimeout(read, STILL_AFTER_MS + 1)
      const next: GridScroll = {
        firstRow: Math.floor(element.scrollTop / rowPx),
        pageRows,
        ahead,
        left: Math.floor(element.scrollLeft / LEFT_STEP_PX) * LEFT_STEP_PX,
        width: element.clientWidth,
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
