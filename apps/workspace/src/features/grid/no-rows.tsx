import { useHasSynced } from '@holdfast/react'
import type { JSX } from 'react'
import { lateContent } from '../../components/late-content.tsx'
import { FirstRowsNote } from '../../components/records/first-rows-note.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import type { GridDress } from './grid-dress.ts'
import { RowsPlaceholder } from './rows-placeholder.tsx'
import type { GridView } from './use-grid-view.ts'

const withoutRows = lateContent(async () => (await import('./no-records.tsx')).WithoutRows)

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
  if (!error && !hasSynced) {
    return (
      <div className="min-h-0 flex-1 overflow-hidden px-3">
        <FirstRowsNote rows={20} />
      </div>
    )
  }
  // The unfiltered view of a table with rows will have them: the two counts arrive one after the other.
  const isAboutToHaveRows = count === 0 && !view.isNarrowed && (total ?? 0) > 0
  if (!error && (count === undefined || total === undefined || isAboutToHaveRows)) {
    return <RowsPlaceholder fields={view.shown} dress={dress} isList={isList} label={words.reading(many)} />
  }
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <withoutRows.Content
        table={table}
        view={view}
        error={error}
        total={count === 0 ? (total ?? 0) : 0}
        onNew={onNew}
      />
    </div>
  )
}
