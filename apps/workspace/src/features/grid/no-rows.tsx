import { useHasSynced } from '@holdfast/react'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { lateContent } from '../../components/late-content.tsx'
import { FirstRowsNote } from '../../components/records/first-rows-note.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import type { GridDress } from './grid-dress.ts'
import { RowsPlaceholder } from './rows-placeholder.tsx'
import type { GridView } from './use-grid-view.ts'

const noRecords = lateContent(async () => (await import('./no-records.tsx')).NoRecords)

/** Explains why a view has no rows: loading, first sync, failure, empty table or no matches. */
export function NoRows({
  table,
  view,
  dress,
  count,
  total,
  error,
  onNew,
  isList,
}: {
  readonly table: TableInfo
  readonly view: GridView
  readonly dress: GridDress | undefined
  readonly count: number | undefined
  readonly total: number | undefined
  readonly error: Error | undefined
  readonly onNew: (() => void) | undefined
  readonly isList: boolean
}): JSX.Element {
  const hasSynced = useHasSynced()
  const many = table.many
  if (error) {
    return (
      <div className="min-h-0 flex-1 overflow-auto p-4">
        <ErrorNotice
          error={{ code: 'HF-VIEW-BROKEN', title: words.errorTitle, technical: error.message }}
          actions={<Button onPress={view.reset}>{words.resetView}</Button>}
        />
      </div>
    )
  }
  if (!hasSynced) {
    return (
      <div className="min-h-0 flex-1 overflow-hidden px-3">
        <FirstRowsNote rows={20} />
      </div>
    )
  }
  // The unfiltered view of a table with rows will have them: the two counts arrive one after the other.
  const isAboutToHaveRows = count === 0 && !view.isNarrowed && (total ?? 0) > 0
  if (count === undefined || total === undefined || isAboutToHaveRows) {
    return <RowsPlaceholder fields={view.shown} dress={dress} isList={isList} label={words.reading(many)} />
  }
  // Only a count of 0 means that nothing matches; until it arrives, rows are loading.
  if (count === 0 && total > 0) {
    return (
      <div className="min-h-0 flex-1 overflow-auto">
        <EmptyState
          title={words.noMatch(total)}
          action={<Button onPress={view.clearFilters}>{words.clearFilters}</Button>}
        >
          {words.noMatchDetail}
        </EmptyState>
      </div>
    )
  }
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <noRecords.Content table={table} onNew={onNew} />
    </div>
  )
}
