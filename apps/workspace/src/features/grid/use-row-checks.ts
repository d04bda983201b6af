import { useLocalDatabase } from '@holdfast/react'
import { useRef } from 'react'
import { showToast } from '../../components/toast.tsx'
import { useLatestCalls } from '../../hooks/use-latest-calls.ts'
import { errorMessages } from '../../messages/errors.ts'
import type { GridQuery } from './query/grid-query.ts'
import type { RowWindows } from './row-windows.ts'
import { type CheckedRows, NO_ROWS, useSelected } from './use-view-selection.ts'

/** Checks and unchecks records. */
export interface RowChecks {
  readonly isChecking: boolean
  /** @param isRange - all rows since the last one that was checked */
  readonly toggle: (row: number, isRange?: boolean) => void
  /** Checks rows, or unchecks them if all are checked. */
  readonly toggleRange: (firstRow: number, lastRow: number) => void
  /** Checks all records of the view, loaded or not. */
  readonly checkAll: () => void
  readonly clear: () => void
}

/** Returns functions that check the records of a view. */
export function useRowChecks(checked: CheckedRows, windows: RowWindows | undefined, query: GridQuery): RowChecks {
  const { database } = useLocalDatabase()
  const isChecking = useSelected(checked, ({ size }) => size > 0)
  const last = useRef(0)
  const set = (ids: readonly string[], isOn: boolean): void => {
    const next = new Set(checked.get())
    for (const id of ids) {
      if (isOn) next.add(id)
      else next.delete(id)
    }
    checked.set(next)
  }
  /** @param range - `undefined`: all rows of the view */
  const read = async (range: readonly [number, number] | undefined): Promise<readonly string[]> => {
    try {
      const { readRowIds } = await import('./read-row-ids.ts')
      return await readRowIds({ database, windows, query }, range)
    } catch (error) {
      console.info(error)
      showToast({ text: errorMessages.partNotLoaded })
      return []
    }
  }
  const toggleRange = async (firstRow: number, lastRow: number): Promise<void> => {
    const ids = await read([firstRow, lastRow])
    const own = checked.get()
    set(ids, !ids.every((id) => own.has(id)))
  }
  const calls = useLatestCalls({
    toggle(row: number, isRange = false) {
      const from = last.current
      last.current = row
      if (isRange && isChecking) {
        void read([Math.min(from, row), Math.max(from, row)]).then((ids) => set(ids, true))
        return
      }
      const id = windows?.row(row)?.id
      if (id !== undefined) set([id], !checked.get().has(id))
    },
    toggleRange: (firstRow: number, lastRow: number) => void toggleRange(firstRow, lastRow),
    checkAll: () => void read(undefined).then((ids) => set(ids, true)),
    clear: () => checked.set(NO_ROWS),
  })
  return { isChecking, ...calls }
}
