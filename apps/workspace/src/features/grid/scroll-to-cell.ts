import { FOOT_PX, GUTTER_PX, HEADER_PX } from './grid-layout.ts'

/** The visible part of the grid in pixels, including the sticky header and gutter. */
export interface GridViewport {
  readonly scrollTop: number
  readonly scrollLeft: number
  readonly clientHeight: number
  readonly clientWidth: number
}

/** The edges of a cell relative to the rows and columns, in pixels. */
export interface CellBox {
  readonly top: number
  readonly height: number
  readonly left: number
  readonly width: number
}

/**
 * Returns the scroll position nearest to the current one that shows the whole cell.
 *
 * @param stickyPx - width of the frozen columns, which cover the cells scrolled below them
 */
export function scrollToCell(
  viewport: GridViewport,
  cell: CellBox,
  stickyPx: number,
): { readonly top: number; readonly left: number } {
  return { top: topFor(viewport, cell), left: leftFor(viewport, cell, stickyPx) }
}

function topFor({ scrollTop, clientHeight }: GridViewport, { top, height }: CellBox): number {
  const viewHeight = clientHeight - HEADER_PX - FOOT_PX
  if (top < scrollTop) return top
  return top + height > scrollTop + viewHeight ? top + height - viewHeight : scrollTop
}

function leftFor({ scrollLeft, clientWidth }: GridViewport, { left, width }: CellBox, stickyPx: number): number {
  const viewWidth = clientWidth - GUTTER_PX
  const isSticky = left < stickyPx
  if (!isSticky && left < scrollLeft + stickyPx) return left - stickyPx
  // A cell wider than the viewport is aligned to its start.
  if (left + width > scrollLeft + viewWidth) return Math.min(left - stickyPx, left + width - viewWidth)
  return scrollLeft
}
