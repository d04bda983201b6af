import { useMemo, useState, useSyncExternalStore } from 'react'
import { FIRST_CELL, type Selection } from './selection.ts'

/** The selected cells of a view. It is outside of React's state: a key that moves the active cell renders only what shows it. */
export interface ViewSelection {
  get(): Selection
  set(selection: Selection): void
  /** @returns ends it */
  subscribe(onChange: () => void): () => void
}

/** Selections of one table; only the one that was set last is kept. */
export interface SelectionStore {
  /** @param viewKey - another view begins with its first cell */
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

/** The same object for the same view. */
export function useViewSelection(viewKey: string): ViewSelection {
  const [store] = useState(createSelectionStore)
  return useMemo(() => store.of(viewKey), [store, viewKey])
}

/** Renders when what is read of the selection changes. @param read - a plain value, or the selection itself */
export function useSelected<T>(selection: ViewSelection, read: (selection: Selection) => T): T {
  return useSyncExternalStore(selection.subscribe, () => read(selection.get()))
}
