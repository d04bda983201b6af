import { LayoutList, Plus, Table2 } from 'lucide-react'
import { type ComponentType, type JSX, memo } from 'react'
import { Button } from '../../../components/button.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { DebouncedSearchField } from '../../../components/debounced-search-field.tsx'
import { cx } from '../../../lib/cx.ts'
import { TableIcon } from '../../../components/table-icon.tsx'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { lazyAfterPaint } from '../../../components/late-content.tsx'
import { useHasViews } from '../../../lib/views/use-views.ts'
import { gridMessages as words } from '../../../messages/grid.ts'
import type { ViewShape } from '../use-grid-view.ts'
import { FieldsPopover, useComputing } from './fields-popover.tsx'
import { FilterPopover } from './filter-popover.tsx'
import type { MoreToolsProps } from './more-tools.tsx'
import { SortPopover } from './sort-popover.tsx'
import { ViewsPopover } from './views-popover.tsx'

const MoreTools = lazyAfterPaint<MoreToolsProps>(async () => (await import('./more-tools.tsx')).MoreTools)

interface ViewToolsProps {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly view: ViewShape
  readonly isPhone: boolean
  readonly isList: boolean
  readonly isGrid: boolean
  /** Rows are shown, or certainly absent. Less used tools load after the rows. */
  readonly hasRows: boolean
  readonly onListChange: (isList: boolean) => void
  readonly onToggleGroups: (isExpanded: boolean) => void
}

export interface GridToolbarProps extends ViewToolsProps {
  /** False for a form, which has nothing to filter. */
  readonly hasRecords: boolean
  readonly onNew: (() => void) | undefined
  /** For users who may change the table. */
  readonly TableMenu: ComponentType<{ readonly table: TableInfo }> | undefined
}

/**
 * Controls that filter, sort and shape the view, all stored in the URL. Not re-rendered when another record opens. Wraps to two lines in a narrow window or
 * beside an open record.
 */
export const GridToolbar = memo(function GridToolbar({
  table,
  view,
  hasRecords,
  onNew,
  TableMenu,
  ...tools
}: GridToolbarProps): JSX.Element {
  const hasViews = useHasViews()
  return (
    <div className="@container shrink-0 border-b border-border">
      <div className="flex items-center gap-1.5 px-3 py-2 @max-[38rem]:flex-wrap">
        <div
          className={cx(
            'mr-2 flex min-w-0 items-center gap-1',
            onNew === undefined ? '@max-[38rem]:mr-0 @max-[38rem]:basis-full' : '@max-[38rem]:basis-[calc(100%-7rem)]',
          )}
        >
          <h1 tabIndex={-1} className="flex min-w-0 items-center gap-2 text-heading">
            <TableIcon table={table} />
            <span className="min-w-14 truncate">{table.label}</span>
          </h1>
          {TableMenu ? <TableMenu table={table} /> : null}
          {hasViews ? <ViewsPopover table={table} view={view} /> : null}
        </div>
        {hasRecords ? (
          <>
            <DebouncedSearchField
              label={words.searchIn(table.label)}
              placeholder={tools.isPhone ? words.searchShort : words.search}
              text={view.query.search}
              onTyped={view.setSearch}
              className="w-56 min-w-20 shrink-[60] @max-[38rem]:order-2 @max-[38rem]:w-auto @max-[38rem]:flex-1"
            />
            <ViewTools {...tools} table={table} view={view} />
          </>
        ) : null}
        {onNew === undefined || !hasRecords ? null : (
          <Button
            tone="primary"
            size="sm"
            icon={<Plus size={16} aria-hidden />}
            onPress={onNew}
            className="ml-auto h-8 @max-[38rem]:order-1"
            aria-label={words.newOf(table.noun)}
          >
            {words.newRecord}
          </Button>
        )}
      </div>
    </div>
  )
})

function ViewTools({
  table,
  fields,
  view,
  isPhone,
  isList,
  isGrid,
  hasRows,
  onListChange,
  onToggleGroups,
}: ViewToolsProps): JSX.Element {
  const computing = useComputing(table)
  return (
    <div role="group" aria-label={words.view} className="flex items-center gap-0.5 @max-[38rem]:order-3">
      <FilterPopover fields={fields} filter={view.filter} onChange={view.setFilter} />
      <SortPopover fields={fields} sorts={view.query.sorts} onChange={view.setSorts} />
      {computing.dialog}
      {isList ? null : (
        <FieldsPopover
          table={table}
          fields={fields}
          shown={view.shown}
          onToggle={view.toggle}
          onOrder={(text) => view.set('order', text)}
          onCompute={computing.onCompute}
        />
      )}
      {(isPhone && isGrid) || isList ? (
        <IconButton
          label={isList ? words.asGrid : words.asList}
          icon={isList ? <Table2 size={18} aria-hidden /> : <LayoutList size={18} aria-hidden />}
          onPress={() => onListChange(!isList)}
        />
      ) : null}
      {hasRows ? (
        <MoreTools
          {...{ table, fields, view }}
          group={
            isGrid || isList
              ? {
                  fields,
                  text: view.settings.group,
                  onChange: (text) => view.set('group', text),
                  onToggleAll: onToggleGroups,
                }
              : undefined
          }
          look={isGrid ? { fields, ...view.settings, onChange: view.set } : undefined}
        />
      ) : null}
    </div>
  )
}
