import { useMemo, useState, useSyncExternalStore } from 'react'
import { FIRST_CELL, type Selection } from './selection.ts'

/** A value that belongs to a view, outside React's state, so that a change renders only what shows it. */
export interface ViewValue<Value> {
  get(): Value
  set(value: Value): void
  /** @returns a function that unsubscribes */
  subscribe(onChange: () => void): () => void
}

/** The selected cells of a view. */
export type ViewSelection = ViewValue<Selection>

/** The checked records of a view, by id. */
export type CheckedRows = ViewValue<ReadonlySet<string>>

export const NO_ROWS: ReadonlySet<string> = new Set()

/** The values of one table's views. Only the last one set is kept. */
export interface ViewStore<Value> {
  /** @param viewKey - another view starts with the first value */
  of(viewKey: string): ViewValue<Value>
}

/** @param first - the value of a view before one is set */
export function createViewStore<Value>(first: Value): ViewStore<Value> {
  let last = { viewKey: '', value: first }
  const listeners = new Set<() => void>()
  return {
    of: (viewKey) => ({
      get: () => (last.viewKey === viewKey ? last.value : first),
      set(value) {
        last = { viewKey, value }
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
export function useViewValue<Value>(viewKey: string, first: Value): ViewValue<Value> {
  const [store] = useState(() => createViewStore(first))
  return useMemo(() => store.of(viewKey), [store, viewKey])
}

/** The selection of a view without cells. */
export const NO_SELECTION: ViewSelection = createViewStore(FIRST_CELL).of('')

/** Returns the selected cells; the same object for the same view. */
export function useViewSelection(viewKey: string): ViewSelection {
  return useViewValue(viewKey, FIRST_CELL)
}

/** Renders when the value read from a view's value changes. @param read - returns a primitive, or the value itself */
export function useSelected<Value, Read>(value: ViewValue<Value>, read: (value: Value) => Read): Read {
  return useSyncExternalStore(value.subscribe, () => read(value.get()))
}
