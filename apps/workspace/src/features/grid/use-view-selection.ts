import { useMemo, useState, useSyncExternalStore } from 'react'
import { FIRST_CELL, type Selection } from './selection.ts'

/** The selected cells of a view, outside React's state, so that moving the active cell renders only what shows it. */
export interface ViewSelection {
  get(): Selection
  set(selection: Selection): void
  /** @returns a function that unsubscribes */
  subscribe(onChange: () => void): () => void
}

/** The selection of one table. Only the last one set is kept. */
export interface SelectionStore {
  /** @param viewKey - another view starts at its first cell */
  of(viewKey: string): ViewSelection
}

export function createSelectionStore(): SelectionStore {
  let selected = { viewKey: '', selection: FIRST_CELL }
  const listeners = new Set<() => void>()
  return {
    of: (viewKey) => ({
      get: () => (selected.viewKey === viewKey ? selected.selection : FIRST_CELL),
      set(selection) {
        selected = { viewKey, selection }
        for (const listener of listeners) listener()
      },
      subscribe(onChange) {
        listeners.add(onChange)
        return () => void listeners.delete(onChange)
      },
    }),
  }
}

/** Returns the same object for the same view. */
export function useViewSelection(viewKey: string): ViewSelection {
  const [store] = useState(createSelectionStore)
  return useMemo(() => store.of(viewKey), [store, viewKey])
}

/** Renders when the value read from the selection changes. @param read - returns a primitive, or the selection itself */
export function useSelected<T>(selection: ViewSelection, read: (selection: Selection) => T): T {
  return useSyncExternalStore(selection.subscribe, () => read(selection.get()))
}
