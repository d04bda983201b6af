import { type RefObject, useEffect, useState } from 'react'
import { HEADER_PX } from './grid-layout.ts'
import { rowsAhead } from './rows-to-draw.ts'

/** The visible part of the grid, as precise as rendering needs it. */
export interface GridScroll {
  readonly firstRow: number
  readonly pageRows: number
  /** Horizontal scroll position in pixels, in steps. */
  readonly left: number
  readonly width: number
  /** Rows to render ahead while scrolling, negative upwards. */
  readonly ahead: number
}

/** Horizontal distance in pixels after which the columns are checked again. */
const LEFT_STEP_PX = 120

/** Time in ms without scrolling after which the grid is considered still. */
const STILL_AFTER_MS = 150

/** The viewport last measured, which predicts the next one. Before the first measurement the window's size is used. */
let lastSeen: { readonly width: number; readonly height: number } | undefined

/** Returns the expected viewport before it is measured. Cells beyond it would be rendered in vain. */
function expectedScroll(rowPx: number, headerPx: number): GridScroll {
  const { width, height } = lastSeen ?? { width: innerWidth, height: innerHeight }
  return { firstRow: 0, pageRows: rowsIn(height, rowPx, headerPx), left: 0, width, ahead: 0 }
}

function rowsIn(height: number, rowPx: number, headerPx: number): number {
  return Math.max(1, Math.floor((height - headerPx) / rowPx))
}

/** Follows the viewport's scroll position and size. Re-renders only when other rows or columns become visible. */
export function useGridScroll(
  viewport: RefObject<HTMLElement | null>,
  rowPx: number,
  headerPx = HEADER_PX,
): GridScroll {
  const [scroll, setScroll] = useState(() => expectedScroll(rowPx, headerPx))
  // Scrolling and resizing happen in the browser, outside React.
  useEffect(() => {
    const element = viewport.current
    if (!element) return
    let [lastTop, lastMs] = [element.scrollTop, performance.now()]
    let still: ReturnType<typeof setTimeout> | undefined
    /** Returns the speed in rows per millisecond since the last call. */
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
