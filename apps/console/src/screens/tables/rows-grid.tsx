import { ArrowDown, ArrowUp } from 'lucide-react'
import type { JSX } from 'react'
import type { RowSort, TableCell, TableColumnDetails, TableRow } from '@holdfast/protocol'
import { Checkbox } from '@holdfast/workspace'
import { formatBytes } from '../../lib/format.ts'

/** Key of a row in this list. */
export function rowId({ address, version }: TableRow, at: number): string {
  return address === null ? `at ${at}` : JSON.stringify([address, version])
}

interface GridProps {
  readonly label: string
  readonly columns: readonly TableColumnDetails[]
  readonly rows: readonly TableRow[]
  readonly sort: RowSort | undefined
  /** Ids of selected rows; `undefined` if rows cannot be deleted. */
  readonly selected: ReadonlySet<string> | undefined
  /** `undefined` if the order is fixed. */
  readonly onSort: ((sort: RowSort | undefined) => void) | undefined
  readonly onSelect: (id: string, isSelected: boolean) => void
  /** Edits a row; `undefined` if rows cannot be changed. */
  readonly onOpen: ((row: TableRow) => void) | undefined
  /** A column before the others. */
  readonly lead?: { readonly label: string; readonly cell: (row: TableRow, line: number) => JSX.Element }
  /** Shows a value whole. */
  readonly onShow: (row: TableRow, column: TableColumnDetails, cell: TableCell) => void
}

/** Rows as a table: a press on a header sorts, a press on a row's button opens it. */
export function RowsGrid({
  label,
  columns,
  rows,
  sort,
  selected,
  onSort,
  onSelect,
  onOpen,
  lead,
  onShow,
}: GridProps): JSX.Element {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keys
    <div
      tabIndex={0}
      role="region"
      aria-label={`${label}, scrollable`}
      className="max-h-[70vh] overflow-auto rounded-lg border border-border bg-raised"
    >
      <table aria-label={label} className="w-full border-collapse text-left text-grid">
        <thead className="sticky top-0 z-10 bg-surface text-muted">
          <tr>
            {selected ? (
              <th scope="col" className="w-8 px-3 py-1.5">
                <span className="sr-only">Selection</span>
              </th>
            ) : null}
            {onOpen ? (
              <th scope="col" className="px-2 py-1.5">
                <span className="sr-only">Edit</span>
              </th>
            ) : null}
            {lead ? (
              <th scope="col" className="px-3 py-1.5 font-medium text-text">
                {lead.label}
              </th>
            ) : null}
            {columns.map((column) => (
              <Header key={column.name} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-border">
          {rows.map((row, line) => {
            const id = rowId(row, line)
            return (
              <GridRow
                key={id}
                line={line + 1}
                row={row}
                columns={columns}
                isSelected={selected?.has(id)}
                onSelect={(isSelected) => onSelect(id, isSelected)}
                onOpen={onOpen}
                lead={lead}
                onShow={onShow}
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function GridRow({
  line,
  row,
  columns,
  isSelected,
  onSelect,
  onOpen,
  lead,
  onShow,
}: Pick<GridProps, 'columns' | 'onOpen' | 'onShow'> & {
  readonly lead: GridProps['lead'] | undefined
  readonly line: number
  readonly row: TableRow
  /** `undefined` if rows cannot be selected. */
  readonly isSelected: boolean | undefined
  readonly onSelect: (isSelected: boolean) => void
}): JSX.Element {
  const isFixed = row.address === null || row.version === null
  return (
    <tr className="hover:bg-hover">
      {isSelected === undefined ? null : (
        <td className="px-3 py-1">
          <Checkbox
            aria-label={`Select row ${line}`}
            isSelected={isSelected}
            isDisabled={isFixed}
            onChange={onSelect}
          />
        </td>
      )}
      {onOpen ? (
        <td className="px-2 py-1">
          <button
            type="button"
            aria-label={`Edit row ${line}`}
            disabled={isFixed}
            onClick={() => onOpen(row)}
            className="min-h-6 rounded-sm px-1.5 text-small text-accent hover:underline"
          >
            Edit
          </button>
        </td>
      ) : null}
      {lead ? <td className="px-3 py-1 whitespace-nowrap">{lead.cell(row, line)}</td> : null}
      {columns.map((column, at) => (
        <td key={column.name} className="max-w-80 px-3 py-1 whitespace-nowrap">
          <Cell cell={row.cells[at] ?? null} onShow={() => onShow(row, column, row.cells[at] ?? null)} />
        </td>
      ))}
    </tr>
  )
}

function Header({
  column: { name, type },
  sort,
  onSort,
}: {
  readonly column: TableColumnDetails
  readonly sort: RowSort | undefined
  readonly onSort: GridProps['onSort']
}): JSX.Element {
  const isSorted = sort?.column === name
  const next = !isSorted
    ? { column: name, isDescending: false }
    : sort.isDescending
      ? undefined
      : { column: name, isDescending: true }
  const title = (
    <>
      <span className="font-medium text-text">{name}</span> <span className="text-small text-subtle">{type}</span>
    </>
  )
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined}
      className="px-3 py-1.5 whitespace-nowrap"
    >
      {onSort ? (
        <button
          type="button"
          onClick={() => onSort(next)}
          className="inline-flex min-h-6 items-center gap-1 rounded-sm"
        >
          {title}
          {isSorted ? (
            sort.isDescending ? (
              <ArrowDown size={14} aria-hidden />
            ) : (
              <ArrowUp size={14} aria-hidden />
            )
          ) : null}
        </button>
      ) : (
        title
      )}
    </th>
  )
}

/** Characters of a value in the grid. */
const SHOWN = 120

function Cell({ cell, onShow }: { readonly cell: TableCell; readonly onShow: () => void }): JSX.Element {
  if (cell === null) return <span className="text-subtle italic">null</span>
  if (cell === '') return <span className="text-subtle italic">empty</span>
  const isCut = typeof cell !== 'string'
  const text = isCut ? cell.start : cell
  if (!isCut && text.length <= SHOWN && !text.includes('\n')) return <span className="whitespace-pre">{text}</span>
  return (
    <button
      type="button"
      onClick={onShow}
      aria-label={`Show the whole value: ${text.slice(0, 40)}`}
      className="inline-flex min-h-6 max-w-full items-center gap-2 rounded-sm text-left"
    >
      <span className="min-w-0 truncate">{text.slice(0, SHOWN)}</span>
      <span className="shrink-0 rounded-full bg-sunken px-1.5 text-small text-muted">
        {isCut ? formatBytes(cell.bytes) : '…'}
      </span>
    </button>
  )
}
