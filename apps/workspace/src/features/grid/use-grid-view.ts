import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useLatestCalls } from '../../hooks/use-latest-calls.ts'
import { useToday } from '../../hooks/use-today.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import type { FilterGroup } from '../../lib/filters/filter.ts'
import { parseFilter, renderFilter } from '../../lib/filters/filter-text.ts'
import type { SavedView } from '../../lib/views/use-views.ts'
import {
  addressOf,
  type AddressSettings,
  hasChanges,
  mergeSettings,
  NO_CHANGES,
  type Setting,
  type ViewSettings,
} from '../../lib/views/view-settings.ts'
import { gridQueryOf } from './query/grid-query-of.ts'
import type { GridQuery } from './query/grid-query.ts'
import { shownFields, toggleField } from './query/shown-fields.ts'
import { renderSorts, type Sort } from './query/sort.ts'

/** What a view shows, and functions that change it. */
export interface ViewShape {
  /** `undefined`: all records of the table. */
  readonly saved: SavedView | undefined
  /** The saved view's settings, overridden by the URL. */
  readonly settings: ViewSettings
  /** The URL overrides the saved view. */
  readonly isChanged: boolean
  readonly query: GridQuery
  /** Equal for the same view, search, filter and order. */
  readonly key: string
  /** The filter as the user edits it, including incomplete conditions. */
  readonly filter: FilterGroup
  readonly shown: readonly Field[]
  readonly isNarrowed: boolean
  /** Sets a setting in the URL; `undefined` removes it. */
  set(setting: Setting, value: string | undefined): void
  setSearch(text: string): void
  setFilter(filter: FilterGroup): void
  setSorts(sorts: readonly Sort[]): void
  toggle(field: string): void
  openRecord(id: string | undefined): void
  /** `undefined`: all records of the table. */
  openView(id: string | undefined): void
  clearFilters(): void
  /** Returns to the saved view. */
  reset(): void
}

/** The view as defined by the saved view and the URL. */
export interface GridView extends ViewShape {
  readonly record: string | undefined
  /** The same object until the view changes. Excludes the open record. */
  readonly shape: ViewShape
}

interface ViewSearch extends AddressSettings {
  readonly record?: string | undefined
  readonly q?: string | undefined
}

/** Returns the view in the URL: a saved one with the search, filter, order and fields that a link may override. */
export function useGridView(table: TableInfo, fields: readonly Field[], saved: SavedView | undefined): GridView {
  const search: ViewSearch = useSearch({ from: '/signed-in/w/$ws/t/$table' })
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  const navigate = useNavigate()
  const own = saved?.settings ?? NO_SETTINGS
  const settings = useMemo(() => mergeSettings(own, search), [own, search])
  const { filter: f, sort: s, hide: h } = settings
  const { q } = search
  const today = useToday()
  const filter = useMemo(() => parseFilter(f), [f])
  const query = useMemo(
    () => gridQueryOf({ table: table.name, fields, search: q ?? '', filter, sort: s, today }),
    [table.name, fields, q, filter, s, today],
  )
  const shown = useMemo(() => shownFields(fields, h), [fields, h])

  const change = (changes: ViewSearch, replace = true): void => {
    void navigate({ to: '.', search: (before: ViewSearch) => ({ ...before, ...changes }), replace })
  }
  const set = (setting: Setting, value: string | undefined): void => change(addressOf(own, setting, value))
  const calls = useLatestCalls({
    set,
    setSearch: (text: string) => change({ q: text === '' ? undefined : text }),
    setFilter: (next: FilterGroup) => set('filter', renderFilter(next)),
    setSorts: (sorts: readonly Sort[]) => set('sort', renderSorts(sorts)),
    toggle: (field: string) => set('hide', toggleField(fields, h, field)),
    // Opening a record adds a history entry; moving to the next one replaces it.
    openRecord: (id: string | undefined) => change({ record: id }, search.record !== undefined && id !== undefined),
    openView: (id: string | undefined) =>
      void (id === undefined
        ? navigate({ to: '/w/$ws/t/$table', params: { ws, table: table.name } })
        : navigate({ to: '/w/$ws/t/$table/v/$view', params: { ws, table: table.name, view: id } })),
    clearFilters: () => change({ q: undefined, ...addressOf(own, 'filter', undefined) }),
    reset: () => change({ q: undefined, ...NO_CHANGES }),
  })
  const isChanged = hasChanges(own, search)
  const shape = useMemo(
    (): ViewShape => ({
      saved,
      settings,
      isChanged,
      query,
      key: JSON.stringify([saved?.id, query.search, query.filter, query.sorts, settings.group]),
      filter,
      shown,
      isNarrowed: query.search.trim() !== '' || query.filter.nodes.length > 0,
      ...calls,
    }),
    [saved, settings, isChanged, query, filter, shown, calls],
  )
  return { ...shape, record: search.record, shape }
}

const NO_SETTINGS: ViewSettings = {}
