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
  /** Columns that stay at the left. */
  readonly frozen: number
  readonly windows: RowWindows | undefined
  /** Version of the rows in the windows. */
  readonly version: number
  readonly selection: Pick<ViewSelection, 'set'>
  /** What it is in this render. */
  readonly selected: Selection
  readonly viewKey: string
}

/**
 * Keeps three things together: the active cell stays on its record, the focus goes with it, and the viewport shows it.
 *
 * @returns selects cells, focuses the active one and scrolls to it
 */
export function useActiveCell(options: ActiveCellOptions): (next: Selection) => void {
  const { viewport, columns, rowPx, frozen, viewKey } = options
  const isFocusWanted = useRef(false)

  useFollowRecord(options)
  // Another view starts at its beginning.
  useEffect(() => {
    viewport.current?.scrollTo({ top: 0 })
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- a change of the view is what this is about
  }, [viewport, viewKey])
  // The focus goes with the active cell: when a key moved it, and when it was in the grid while something else did.
  useLayoutEffect(() => {
    const focused = document.activeElement
    const isLeftBehind = focused?.getAttribute('role') === 'gridcell' && !focused.hasAttribute('data-active')
    if (!isFocusWanted.current && !isLeftBehind) return
    isFocusWanted.current = false
    // A text that came back has its editor open already, and leaving that would store it again.
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
  // The database tells of changes, not of moves: each version of the rows is looked at.
  useEffect(() => {
    if (!windows) return
    const next = followActive(followed.current, { rows: windows, viewKey, selection: selected })
    followed.current = next.followed
    if (next.moved) selection.set(next.moved)
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the windows are the same object in every version
  }, [windows, version, selection, selected, viewKey])
}
