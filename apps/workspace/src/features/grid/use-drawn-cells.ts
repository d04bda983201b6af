import { useEffect, useMemo, useState } from 'react'
import { drawnColumns, type GridColumn } from './grid-layout.ts'
import { assignSlots, slotsInOrder } from './row-slots.ts'
import type { RowWindows } from './row-windows.ts'
import { rowsToDraw } from './rows-to-draw.ts'
import type { CellPlace } from './selection.ts'
import type { GridScroll } from './use-grid-scroll.ts'

/** Rows drawn above and below the visible ones of a grid that stands still. */
const OVERSCAN_ROWS = 6

/** The cells to draw. */
export interface DrawnCells {
  /** Index of a row and its slot, in the order of the slots. */
  readonly rows: readonly (readonly [number, number])[]
  /** The columns to draw, by their place. */
  readonly columns: readonly number[]
}

/** Decides which cells of the view are drawn, and has the windows read them. */
export function useDrawnCells({
  windows,
  count,
  columns,
  frozen,
  scroll,
  active,
}: {
  readonly windows: RowWindows | undefined
  /** Rows that can be shown; `undefined`: none have been read. */
  readonly count: number | undefined
  readonly columns: readonly GridColumn[]
  /** Columns that stay at the left. */
  readonly frozen: number
  readonly scroll: GridScroll
  readonly active: CellPlace
}): DrawnCells {
  const rows = count ?? 0
  const { first, last } = rowsToDraw(scroll, OVERSCAN_ROWS, rows)
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- which windows there are depends on the count, too
  useEffect(() => windows?.show(first, Math.max(first, last)), [windows, first, last, count])
  const slots = useSlots(first, last, active.row < rows ? active.row : undefined)
  // A list of the same columns is the same object, so that rows need not be drawn again.
  const drawnKey = drawnColumns(columns, scroll.left, scroll.width, active.column, frozen).join(',')
  const drawn = useMemo(() => (drawnKey === '' ? [] : drawnKey.split(',').map(Number)), [drawnKey])
  return { rows: slotsInOrder(slots), columns: drawn }
}

/** The rows to draw with their slots: those in sight, and the active one wherever it is, because it has the focus. */
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
