import { Plus, RotateCw, Trash2 } from 'lucide-react'
import { type JSX, useState } from 'react'
import type {
  RowFilter,
  RowSort,
  TableCell,
  TableColumnDetails,
  TableDetails,
  TableIdentity,
  TableRow,
} from '@holdfast/protocol'
import { Button, EmptyState, Notice, showToast } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { formatCount } from '../../lib/format.ts'
import { DeleteRows } from './delete-rows.tsx'
import { FilterBar } from './filter-bar.tsx'
import { IdentityBar } from './identity-bar.tsx'
import { MissingIndex } from './missing-index.tsx'
import { RowDialog } from './row-dialog.tsx'
import { rowId, RowsGrid } from './rows-grid.tsx'
import { useRows, type RowsTarget } from './use-rows.ts'
import { ValueDialog } from './value-dialog.tsx'

interface ShownValue {
  readonly row: TableRow
  readonly column: TableColumnDetails
  readonly cell: TableCell
}

/** What is open over the grid. */
type Opened =
  | { readonly kind: 'insert' | 'delete' }
  | { readonly kind: 'edit'; readonly row: TableRow }
  | ({ readonly kind: 'value' } & ShownValue)
  | undefined

/** The rows of a table with filter, sort and pages, read and changed as a chosen identity. */
export function RowsTab({ details }: { readonly details: TableDetails }): JSX.Element {
  const { schema, name, readOnlyReason } = details
  const [as, setAs] = useState<TableIdentity>({ kind: 'postgres' })
  const [filters, setFilters] = useState<readonly RowFilter[]>([])
  const [sort, setSort] = useState<RowSort>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [opened, setOpened] = useState<Opened>()
  const target = { schema, table: name, as }
  const list = useRows(target, filters, sort)
  const columns = details.columns.filter(({ isSecret }) => !isSecret)
  const names = columns.map((column) => column.name)
  const isWritable = readOnlyReason === null
  const close = (): void => setOpened(undefined)
  const select = (id: string, isSelected: boolean): void =>
    setSelected((before) => new Set(isSelected ? [...before, id] : [...before].filter((one) => one !== id)))
  const changed = (text: string): void => {
    close()
    setSelected(new Set())
    showToast({ text })
  }
  return (
    <div className="flex flex-col gap-3">
      <IdentityBar
        details={details}
        as={as}
        onChange={(chosen) => {
          setAs(chosen)
          setSelected(new Set())
        }}
      />
      <div className="flex flex-wrap items-end justify-between gap-2">
        <FilterBar columns={names} filters={filters} onChange={setFilters} />
        <RowActions
          list={list}
          selected={selected.size}
          isWritable={isWritable}
          onOpen={(kind) => setOpened({ kind })}
        />
      </div>
      <ChangeHint details={details} />
      <MissingIndex error={list.error} />
      <QueryState query={list} rows={10}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.rows)
          return (
            <>
              {rows.length === 0 ? (
                <EmptyState title={filters.length > 0 ? 'No row matches' : 'No rows'}>
                  {as.kind === 'postgres' ? undefined : 'Rows that the policies hide are not listed.'}
                </EmptyState>
              ) : (
                <RowsGrid
                  label={`Rows of ${name}`}
                  columns={columns}
                  rows={rows}
                  sort={sort}
                  selected={isWritable ? selected : undefined}
                  onSort={setSort}
                  onSelect={select}
                  onOpen={isWritable ? (row) => setOpened({ kind: 'edit', row }) : undefined}
                  onShow={(row, column, cell) => setOpened({ kind: 'value', row, column, cell })}
                />
              )}
              <PageEnd list={list} rows={rows.length} estimate={filters.length > 0 ? null : details.estimate} />
              <RowDialogs
                opened={opened}
                target={target}
                columns={columns}
                chosen={rows.filter((row, at) => selected.has(rowId(row, at)))}
                onClose={close}
                onDone={changed}
              />
            </>
          )
        }}
      </QueryState>
    </div>
  )
}

/** Says why rows cannot be changed, or how they are found without a key. */
function ChangeHint({ details: { readOnlyReason, key } }: { readonly details: TableDetails }): JSX.Element | null {
  const text =
    readOnlyReason ??
    (key === null
      ? 'This table has no primary key: rows are in the order of the file, and one that changes in the meantime is reported as gone.'
      : undefined)
  return text === undefined ? null : <p className="text-small text-muted">{text}</p>
}

type RowList = ReturnType<typeof useRows>

function RowActions({
  list,
  selected,
  isWritable,
  onOpen,
}: {
  readonly list: RowList
  readonly selected: number
  readonly isWritable: boolean
  readonly onOpen: (kind: 'insert' | 'delete') => void
}): JSX.Element {
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="sm"
        icon={<RotateCw size={14} aria-hidden />}
        isPending={list.isRefetching}
        onPress={() => void list.refetch()}
      >
        Reload
      </Button>
      {selected > 0 ? (
        <Button size="sm" tone="danger" icon={<Trash2 size={14} aria-hidden />} onPress={() => onOpen('delete')}>
          {`Delete ${formatCount(selected)}`}
        </Button>
      ) : null}
      {isWritable ? (
        <Button size="sm" tone="primary" icon={<Plus size={14} aria-hidden />} onPress={() => onOpen('insert')}>
          Insert row
        </Button>
      ) : null}
    </div>
  )
}

/** Below the grid: how many rows are shown, and the next page. */
function PageEnd({
  list,
  rows,
  estimate,
}: {
  readonly list: RowList
  readonly rows: number
  readonly estimate: number | null
}): JSX.Element {
  const last = list.data?.pages.at(-1)
  const hasMore = last?.next !== undefined
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 text-small text-muted tabular-nums">
        <p role="status">
          {formatCount(rows)} {rows === 1 ? 'row' : 'rows'} shown
          {hasMore && estimate !== null ? ` of about ${formatCount(Math.max(estimate, rows))}` : ''}, in {last?.ms ?? 0}{' '}
          ms
        </p>
        <ShowMore list={list} />
      </div>
      {last?.isLimited ? (
        <Notice title="More rows are not listed">
          There is no key or value to continue after. Narrow the filter to see others.
        </Notice>
      ) : null}
    </>
  )
}

function RowDialogs({
  opened,
  target,
  columns,
  chosen,
  onClose,
  onDone,
}: {
  readonly opened: Opened
  readonly target: RowsTarget
  readonly columns: readonly TableColumnDetails[]
  /** The selected rows. */
  readonly chosen: readonly TableRow[]
  readonly onClose: () => void
  readonly onDone: (text: string) => void
}): JSX.Element | null {
  if (!opened) return null
  if (opened.kind === 'value') return <ValueDialog target={target} {...opened} onClose={onClose} />
  if (opened.kind === 'delete')
    return <DeleteRows target={target} rows={chosen} onClose={onClose} onDone={() => onDone('Deleted')} />
  const row = opened.kind === 'edit' ? opened.row : undefined
  return (
    <RowDialog
      target={target}
      columns={columns}
      row={row}
      onClose={onClose}
      onDone={() => onDone(row ? 'The row was changed' : 'The row was inserted')}
    />
  )
}
