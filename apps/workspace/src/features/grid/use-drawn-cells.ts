import { useEffect, useMemo, useState } from 'react'
import { drawnColumns, type GridColumn } from './grid-layout.ts'
import { assignSlots, slotsInOrder } from './row-slots.ts'
import type { RowWindows } from './row-windows.ts'
import { rowsToDraw } from './rows-to-draw.ts'
import type { CellPlace } from './selection.ts'
import type { GridScroll } from './use-grid-scroll.ts'

/** Rows rendered above and below the visible ones while the grid is not scrolling. */
const OVERSCAN_ROWS = 6

/** The cells to render. */
export interface DrawnCells {
  /** Row index and slot, sorted by slot. */
  readonly rows: readonly (readonly [number, number])[]
  /** Indexes of the columns to render. */
  readonly columns: readonly number[]
}

/** Determines which cells are rendered and has their windows loaded. */
export function useDrawnCells({
  windows,
  count,
  columns,
  frozen,
  scroll,
  active,
}: {
  readonly windows: RowWindows | undefined
  /** Number of rows that can be shown; `undefined`: none are loaded. */
  readonly count: number | undefined
  readonly columns: readonly GridColumn[]
  /** Number of columns frozen at the left. */
  readonly frozen: number
  readonly scroll: GridScroll
  readonly active: CellPlace
}): DrawnCells {
  const rows = count ?? 0
  const { first, last } = rowsToDraw(scroll, OVERSCAN_ROWS, rows)
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- which windows there are depends on the count, too
  useEffect(() => windows?.show(first, Math.max(first, last)), [windows, first, last, count])
  const slots = useSlots(first, last, active.row < rows ? active.row : undefined)
  // The same columns yield the same array, so that rows do not re-render.
  const drawnKey = drawnColumns(columns, scroll.left, scroll.width, active.column, frozen).join(',')
  const drawn = useMemo(() => (drawnKey === '' ? [] : drawnKey.split(',').map(Number)), [drawnKey])
  return { rows: slotsInOrder(slots), columns: drawn }
}

/** Returns the rows to render with their slots: the visible ones, and the active one wherever it is, because it has the focus. */
function useSlots(first: number, last: number, active: number | undefined): ReadonlyMap<number, number> {
  const [before, setBefore] = useState<ReadonlyMap<number, number>>(new Map())
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  if (active !== undefined && (active < first || active > last)) rows.push(active)
  const isSame = before.size === rows.length && rows.every((row) => before.has(row))
  if (isSame) return before
  const slots = assignSlots(before, rows)
  setBefore(slots)
  return slots
}
