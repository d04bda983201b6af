import { useParams } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { HomeLink } from '../../components/home-link.tsx'
import { LinkButton } from '../../components/link.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import { noRecordsMessages as none } from '../../messages/no-records.ts'
import type { GridView } from './use-grid-view.ts'

/** What a view without rows shows: its error, that nothing matches, or that the table is empty. */
export function WithoutRows({
  table,
  view,
  error,
  total,
  onNew,
}: {
  readonly table: TableInfo
  readonly view: GridView
  readonly error: Error | undefined
  /** Records without search and filter, of which none matches. */
  readonly total: number
  readonly onNew: (() => void) | undefined
}): JSX.Element {
  if (error) return <BrokenView error={error} onReset={view.reset} />
  return total > 0 ? <NoMatch total={total} onClear={view.clearFilters} /> : <NoRecords table={table} onNew={onNew} />
}

/** An empty table: users who may add records get two ways to do so. */
function NoRecords({
  table,
  onNew,
}: {
  readonly table: TableInfo
  readonly onNew: (() => void) | undefined
}): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  if (!onNew) {
    return (
      <EmptyState title={none.noRecordsReadOnly(table.many)} action={<HomeLink />}>
        {none.noRecordsReadOnlyDetail}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title={none.noRecords(table.many)}
      action={
        <div className="flex flex-wrap justify-center gap-3">
          <Button tone="primary" onPress={onNew}>
            {words.newOf(table.noun)}
          </Button>
          <LinkButton to="/w/$ws/import" params={{ ws }} search={{ table: table.name }}>
            {none.importFile}
          </LinkButton>
        </div>
      }
    >
      {none.noRecordsDetail}
    </EmptyState>
  )
}

/** A view whose search and filter fit no record. */
function NoMatch({
  total,
  onClear,
}: {
  /** Records without search and filter. */
  readonly total: number
  readonly onClear: () => void
}): JSX.Element {
  return (
    <EmptyState title={none.noMatch(total)} action={<Button onPress={onClear}>{words.clearFilters}</Button>}>
      {none.noMatchDetail}
    </EmptyState>
  )
}

/** A view that the local database cannot read. */
function BrokenView({ error, onReset }: { readonly error: Error; readonly onReset: () => void }): JSX.Element {
  return (
    <div className="p-4">
      <ErrorNotice
        error={{ code: 'HF-VIEW-BROKEN', title: none.errorTitle, technical: error.message }}
        actions={<Button onPress={onReset}>{none.resetView}</Button>}
      />
    </div>
  )
}
