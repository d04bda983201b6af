import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useToday } from '../../hooks/use-today.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { completeFilter, type FilterGroup } from '../../lib/filters/filter.ts'
import { parseFilter, renderFilter } from '../../lib/filters/filter-text.ts'
import type { GridQuery } from './query/grid-query.ts'
import { shownFields, toggleField } from './query/shown-fields.ts'
import { parseSorts, renderSorts, type Sort } from './query/sort.ts'

/** What the address says about the view, and how to change it. */
export interface GridView {
  readonly query: GridQuery
  /** The same for the same search, filter and order. */
  readonly key: string
  /** As the person is putting it together, with conditions that cannot be asked yet. */
  readonly filter: FilterGroup
  readonly shown: readonly Field[]
  readonly record: string | undefined
  readonly isNarrowed: boolean
  setSearch(text: string): void
  setFilter(filter: FilterGroup): void
  setSorts(sorts: readonly Sort[]): void
  toggle(field: string): void
  openRecord(id: string | undefined): void
  clearFilters(): void
  reset(): void
}

interface ViewSearch {
  readonly record?: string | undefined
  readonly q?: string | undefined
  readonly f?: string | undefined
  readonly s?: string | undefined
  readonly h?: string | undefined
}

/** The view in the address: a link carries search, filter, order and fields. */
export function useGridView(table: TableInfo, fields: readonly Field[]): GridView {
  const search = useSearch({ from: '/signed-in/w/$ws/t/$table' })
  const navigate = useNavigate({ from: '/w/$ws/t/$table' })
  const { q, f, s, h } = search
  const today = useToday()
  const filter = useMemo(() => parseFilter(f), [f])
  const query = useMemo((): GridQuery => {
    const byName = new Map(fields.map((field) => [field.name, field]))
    return {
      table: table.name,
      fields,
      search: q ?? '',
      filter: completeFilter(filter, byName),
      sorts: parseSorts(s).filter((sort) => byName.has(sort.field)),
      today,
    }
  }, [table.name, fields, q, filter, s, today])
  const shown = useMemo(() => shownFields(fields, h), [fields, h])

  const set = (change: ViewSearch, replace = true): void => {
    void navigate({ to: '.', search: (before) => ({ ...before, ...change }), replace })
  }
  return {
    query,
    key: JSON.stringify([query.search, query.filter, query.sorts]),
    filter,
    shown,
    record: search.record,
    isNarrowed: query.search.trim() !== '' || query.filter.nodes.length > 0,
    setSearch: (text) => set({ q: text === '' ? undefined : text }),
    setFilter: (next) => set({ f: renderFilter(next) }),
    setSorts: (sorts) => set({ s: renderSorts(sorts) }),
    toggle: (field) => set({ h: toggleField(fields, h, field) }),
    // Opening is a step to come back from; going on to the next record is not.
    openRecord: (id) => set({ record: id }, search.record !== undefined && id !== undefined),
    clearFilters: () => set({ q: undefined, f: undefined }),
    reset: () => set({ q: undefined, f: undefined, s: undefined, h: undefined }),
  }
}
