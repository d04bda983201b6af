import { batchedReads } from '@holdfast/client'
import { useLocalDatabase } from '@holdfast/react'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { candidatesOf } from '../../lib/search/candidates-of.ts'
import { indexedFields } from '../../lib/filters/filter-sql.ts'
import type { GridQuery } from './query/grid-query.ts'
import { ensureSortIndex, SORT_INDEX_ROWS_MIN } from './sort-index.ts'
import type { WindowsState } from './row-windows-state.ts'
import { RowWindows } from './row-windows.ts'

/** Limit of filter indexes per view, because each index slows down writes. */
const FILTER_INDEXES_MAX = 2

const NOT_YET: WindowsState = { count: undefined, rows: undefined, error: undefined, levels: 0, version: 0 }

/**
 * Returns the loaded windows of the shown view; `undefined` before they are open.
 *
 * @param asked - `undefined`: not known yet; the windows stay unchanged
 */
export function useRowWindows(asked: GridQuery | undefined): {
  readonly windows: RowWindows | undefined
  readonly state: WindowsState
} {
  const { database, search } = useLocalDatabase()
  const query = useMemo(
    () => asked && { ...asked, candidates: candidatesOf(search, asked.table, asked.fields) },
    [asked, search],
  )
  const [isAsked, setAsked] = useState(query !== undefined)
  if (query && !isAsked) setAsked(true)
  const [windows, setWindows] = useState<RowWindows>()
  // Subscribes to the local database. A new query goes into the same windows, below.
  useEffect(() => {
    if (!query) return
    const { get, getAll, urgent } = batchedReads(database)
    const opened = new RowWindows({ get, getAll, urgent, onChange: database.onChange.bind(database) }, query)
    setWindows(opened)
    return () => opened[Symbol.dispose]()
    // eslint-disable-next-line react/exhaustive-deps
  }, [database, isAsked])
  useEffect(() => {
    if (query) windows?.setQuery(query)
  }, [windows, query])
  const state = useSyncExternalStore(windows?.subscribe ?? noSubscription, windows?.getState ?? notYet)
  const [sort] = query?.sorts ?? []
  const sorted = query?.fields.find(({ name }) => name === sort?.field)
  const table = query?.table
  const isLarge = (state.count ?? 0) >= SORT_INDEX_ROWS_MIN
  // Creates the index for the sort order. Until it exists, queries run without it.
  useEffect(() => {
    if (table !== undefined && sorted && isLarge) void ensureSortIndex(database, table, sorted)
  }, [database, table, sorted, isLarge])
  const grouped = query?.fields.find(({ name }) => name === query.grouping?.outerField)
  useEffect(() => {
    if (table !== undefined && grouped && isLarge) void ensureSortIndex(database, table, grouped, true)
  }, [database, table, grouped, isLarge])
  useEffect(() => {
    if (!query || !isLarge) return
    for (const name of indexedFields(query.filter).slice(0, FILTER_INDEXES_MAX)) {
      const field = query.fields.find((one) => one.name === name)
      if (field) void ensureSortIndex(database, query.table, field, true)
    }
  }, [database, query, isLarge])
  return { windows, state }
}

function noSubscription(): () => void {
  return () => undefined
}

function notYet(): WindowsState {
  return NOT_YET
}
