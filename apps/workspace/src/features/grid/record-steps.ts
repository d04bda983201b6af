import type { RowWindows } from './row-windows.ts'
import type { ViewSelection } from './use-view-selection.ts'

/** Steps from the open record to the one before or after it in the view; `undefined` at the ends. */
export interface RecordSteps {
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
}

/** The view that has the open record. */
export interface SteppedView {
  readonly record: string | undefined
  openRecord(id: string | undefined): void
}

/** A step opens the record and moves the active cell to its row. */
export function recordSteps(
  view: SteppedView,
  windows: Pick<RowWindows, 'row' | 'indexOf' | 'groupAt'> | undefined,
  selection: Pick<ViewSelection, 'get' | 'set'>,
): RecordSteps {
  const row = view.record === undefined ? undefined : windows?.indexOf(view.record)
  const stepBy = (step: 1 | -1): (() => void) | undefined => {
    if (row === undefined) return undefined
    let target = row + step
    while (windows?.groupAt(target)) target += step
    const id = windows?.row(target)?.id
    if (id === undefined) return undefined
    return () => {
      view.openRecord(id)
      const place = { row: target, column: selection.get().active.column }
      selection.set({ active: place, anchor: place })
    }
  }
  return { onPrevious: stepBy(-1), onNext: stepBy(1) }
}
