import type { RowWindows } from './row-windows.ts'
import type { ViewSelection } from './use-view-selection.ts'

/** Opens the previous or next record in the view; `undefined` at the ends. */
export interface RecordSteps {
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
}

/** The view with the open record. */
export interface SteppedView {
  readonly record: string | undefined
  openRecord(id: string | undefined): void
}

/** Returns the steps. Each opens a record and makes its row active. */
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
