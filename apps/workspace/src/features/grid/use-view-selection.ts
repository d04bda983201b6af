import { useState } from 'react'
import { FIRST_CELL, type Selection } from './selection.ts'

/** The selected cells of a view. */
export interface ViewSelection {
  readonly current: Selection
  readonly set: (selection: Selection) => void
}

/** @param viewKey - another view begins with its first cell */
export function useViewSelection(viewKey: string): ViewSelection {
  const [selected, setSelected] = useState({ viewKey, selection: FIRST_CELL })
  return {
    current: selected.viewKey === viewKey ? selected.selection : FIRST_CELL,
    set: (selection) => setSelected({ viewKey, selection }),
  }
}
