import { type MouseEvent, type PointerEvent, useRef } from 'react'
import type { GridController } from './grid-controller.ts'
import { pointOf } from './menu/menu-target.ts'
import {
  type CellPlace,
  type CellRange,
  extendTo,
  isSamePlace,
  rangeOf,
  selectCell,
  type Selection,
} from './selection.ts'

export interface GridPointer {
  readonly onPointerDown: (event: PointerEvent) => void
  readonly onPointerMove: (event: PointerEvent) => void
  readonly onPointerUp: () => void
  readonly onClick: (event: MouseEvent) => void
  readonly onDoubleClick: (event: MouseEvent) => void
  readonly onContextMenu: (event: MouseEvent) => void
}

/** Selects with the mouse or by touch: dragging extends the selection or fills it, a second tap edits, the gutter button opens the record. */
export function useGridPointer(grid: GridController): GridPointer {
  const { edit, edits, selection, size, select } = grid
  const isDragging = useRef(false)
  /** The cells whose values are filled down. */
  const filled = useRef<CellRange>(undefined)
  const openMenu = (event: MouseEvent, row: number | undefined, column: number): void => {
    if (!(event.target instanceof Element)) return
    event.preventDefault()
    grid.onMenu({ row, column, ...pointOf(event, event.target) })
  }
  return {
    onPointerDown(event) {
      if (event.button !== 0) return
      // The focus stays on the active cell.
      if (attributeOf(event.target, 'check') !== undefined) event.preventDefault()
      if (edit.isOpen) {
        if (isInEditor(event.target)) return
        if (!edit.finish()) return event.preventDefault()
      }
      const place = placeOf(event.target)
      if (!place) return
      event.preventDefault() // prevents text selection; the focus follows the active cell
      filled.current = undefined
      if (event.target instanceof Element && event.target.hasAttribute('data-fill')) {
        event.target.releasePointerCapture(event.pointerId)
        isDragging.current = true
        filled.current = rangeOf(selection)
        return
      }
      if (event.pointerType === 'mouse') isDragging.current = true
      else if (isSamePlace(place, selection.active)) return edit.start(undefined)
      select(event.shiftKey ? extendTo(selection, place, size) : selectCell(place, size))
    },
    onPointerMove(event) {
      if (!isDragging.current) return
      if (event.buttons === 0) {
        isDragging.current = false
        return
      }
      const place = placeOf(event.target)
      if (!place) return
      if (filled.current) select(toFill(filled.current, place.row))
      else if (!isSamePlace(place, selection.active)) select(extendTo(selection, place, size))
    },
    onPointerUp() {
      isDragging.current = false
      const from = filled.current
      filled.current = undefined
      const range = rangeOf(selection)
      if (from && range.lastRow > from.lastRow) void edits.fillDown(range, from.lastRow - from.firstRow + 1)
    },
    onClick(event) {
      const row = attributeOf(event.target, 'check')
      if (row !== undefined) grid.checks.toggle(Number(row), event.shiftKey)
      const header = attributeOf(event.target, 'menu')
      if (header !== undefined) openMenu(event, undefined, Number(header))
      const id = attributeOf(event.target, 'open')
      if (id !== undefined) grid.onOpenRecord(id === grid.openRecordId ? undefined : id)
    },
    onDoubleClick(event) {
      if (!edit.isOpen && placeOf(event.target)) edit.start(undefined)
    },
    onContextMenu(event) {
      if (edit.isOpen) return
      const place = placeOf(event.target)
      const header = attributeOf(event.target, 'header')
      if (place) {
        if (!isInRange(place, rangeOf(selection))) select(selectCell(place, size))
        openMenu(event, place.row, place.column)
      } else if (header !== undefined) openMenu(event, undefined, Number(header))
    },
  }
}

function isInRange({ row, column }: CellPlace, range: CellRange): boolean {
  return row >= range.firstRow && row <= range.lastRow && column >= range.firstColumn && column <= range.lastColumn
}

/** Selects the range to fill, from its source down to a row. */
function toFill({ firstRow, lastRow, firstColumn, lastColumn }: CellRange, row: number): Selection {
  return {
    anchor: { row: firstRow, column: firstColumn },
    active: { row: Math.max(lastRow, row), column: lastColumn },
  }
}

function placeOf(target: EventTarget | null): CellPlace | undefined {
  if (!(target instanceof Element) || target.closest('[data-open]')) return undefined
  const column = attributeOf(target, 'column')
  const row = attributeOf(target, 'row')
  return column === undefined || row === undefined ? undefined : { row: Number(row), column: Number(column) }
}

/** Returns the value of a data attribute of the element or the nearest ancestor that has it. */
function attributeOf(target: EventTarget | null, name: string): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>(`[data-${name}]`)?.dataset[name] : undefined
}

function isInEditor(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, [role="dialog"], [role="alert"]') !== null
}
