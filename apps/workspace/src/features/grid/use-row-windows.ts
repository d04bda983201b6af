import { useLocalDatabase } from '@holdfast/react'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { candidatesOf } from '../../lib/search/candidates-of.ts'
import type { GridQuery } from './query/grid-query.ts'
import { ensureSortIndex, SORT_INDEX_ROWS_MIN } from './sort-index.ts'
import { RowWindows, type WindowsState } from './row-windows.ts'

const NOT_YET: WindowsState = { count: undefined, rows: undefined, error: undefined, version: 0 }

/** The windows of a view while it is on the screen; `undefined` before they are open. */
export function useRowWindows(asked: GridQuery): {
  readonly windows: RowWindows | undefined
  readonly state: WindowsState
} {
  const { database, search } = useLocalDatabase()
  const query = useMemo(
    () => ({ ...asked, candidates: candidatesOf(search, asked.table, asked.fields) }),
    [asked, search],
  )
  const [windows, setWindows] = useState<RowWindows>()
  // A subscription of the local database. Another query goes into the same windows, below.
  useEffect(() => {
    const opened = new RowWindows(database, query)
    setWindows(opened)
    return () => opened[Symbol.dispose]()
    // eslint-disable-next-line react/exhaustive-deps
  }, [database])
  useEffect(() => windows?.setQuery(query), [windows, query])
  const state = useSyncExternalStore(windows?.subscribe ?? noSubscription, windows?.getState ?? notYet)
  const [sort] = query.sorts
  const sorted = query.fields.find(({ name }) => name === sort?.field)
  const { table } = query
  const isLarge = (state.count ?? 0) >= SORT_INDEX_ROWS_MIN
  // The local database learns of an order that is wanted; it answers without the index until it has one.
  useEffect(() => {
    if (sorted && isLarge) void ensureSortIndex(database, table, sorted)
  }, [database, table, sorted, isLarge])
  return { windows, state }
}

function noSubscription(): () => void {
  return () => undefined
}

function notYet(): WindowsState {
  return NOT_YET
}
