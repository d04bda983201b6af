import { type RefObject, useEffect, useState } from 'react'
import { HEADER_PX } from './grid-layout.ts'

/** What part of the grid is in sight, as coarse as drawing needs it. */
export interface GridScroll {
  readonly firstRow: number
  readonly pageRows: number
  /** Pixels to the right, in steps. */
  readonly left: number
  readonly width: number
}

/** Sideways, columns are looked at again after this many pixels. */
const LEFT_STEP_PX = 120

/** Follows the scroll position and the size of the viewport; renders again only when other rows or columns come in sight. */
export function useGridScroll(
  viewport: RefObject<HTMLElement | null>,
  rowPx: number,
  headerPx = HEADER_PX,
): GridScroll {
  const [scroll, setScroll] = useState<GridScroll>({ firstRow: 0, pageRows: 20, left: 0, width: 1024 })
  // Scrolling and resizing are the browser's.
  useEffect(() => {
    const element = viewport.current
    if (!element) return
    const read = (): void => {
      const next: GridScroll = {
        firstRow: Math.floor(element.scrollTop / rowPx),
        pageRows: Math.max(1, Math.floor((element.clientHeight - headerPx) / rowPx)),
        left: Math.floor(element.scrollLeft / LEFT_STEP_PX) * LEFT_STEP_PX,
        width: element.clientWidth,
      }
      setScroll((before) =>
        before.firstRow === next.firstRow &&
        before.pageRows === next.pageRows &&
        before.left === next.left &&
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
      resized.disconnect()
      element.removeEventListener('scroll', read)
    }
  }, [viewport, rowPx, headerPx])
  return scroll
}
