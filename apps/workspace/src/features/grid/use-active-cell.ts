import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { type FollowedRecord, followActive } from './follow-active.ts'
import { frozenPx, type GridColumn } from './grid-layout.ts'
import type { RowWindows } from './row-windows.ts'
import { scrollToCell } from './scroll-to-cell.ts'
import type { Selection } from './selection.ts'
import type { ViewSelection } from './use-view-selection.ts'

export interface ActiveCellOptions {
  readonly viewport: RefObject<HTMLElement | null>
  readonly columns: readonly GridColumn[]
  readonly rowPx: number
  /** Number of columns frozen at the left. */
  readonly frozen: number
  readonly windows: RowWindows | undefined
  /** Version of the loaded rows. */
  readonly version: number
  readonly selection: Pick<ViewSelection, 'set'>
  /** The selection in this render. */
  readonly selected: Selection
  readonly viewKey: string
}

/**
 * Keeps the active cell on its record, focused and in view.
 *
 * @returns a function that selects cells, focuses the active one and scrolls to it
 */
export function useActiveCell(options: ActiveCellOptions): (next: Selection) => void {
  const { viewport, columns, rowPx, frozen, viewKey } = options
  const isFocusWanted = useRef(false)

  useFollowRecord(options)
  // Another view starts at the top.
  useEffect(() => {
    viewport.current?.scrollTo({ top: 0 })
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- a change of the view is what this is about
  }, [viewport, viewKey])
  // Moves the focus to the active cell if a key moved it, or if the grid had the focus when it changed otherwise.
  useLayoutEffect(() => {
    const focused = document.activeElement
    const isLeftBehind = focused?.getAttribute('role') === 'gridcell' && !focused.hasAttribute('data-active')
    if (!isFocusWanted.current && !isLeftBehind) return
    isFocusWanted.current = false
    // Restored text already has its editor open; blurring it would store the text again.
    if (focused?.matches('input, textarea') && viewport.current?.contains(focused)) return
    viewport.current?.querySelector<HTMLElement>('[data-active]')?.focus({ preventScroll: true })
  })

  return (next) => {
    isFocusWanted.current = true
    options.selection.set(next)
    const element = viewport.current
    const column = columns[next.active.column]
    if (!element || !column) return
    const cell = { top: next.active.row * rowPx, height: rowPx, left: column.left, width: column.width }
    const { top, left } = scrollToCell(element, cell, frozenPx(columns, frozen))
    if (top === element.scrollTop && left === element.scrollLeft) return
    element.scrollTo({ top, left, behavior: 'instant' })
  }
}

function useFollowRecord({ windows, version, selection, selected, viewKey }: ActiveCellOptions): void {
  const followed = useRef<FollowedRecord>(undefined)
  // The database reports changes, not moves, so each version of the rows is checked.
  useEffect(() => {
    if (!windows) return
    const next = followActive(followed.current, { rows: windows, viewKey, selection: selected })
    followed.current = next.followed
    if (next.moved) selection.set(next.moved)
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the windows are the same object in every version
  }, [windows, version, selection, selected, viewKey])
}
