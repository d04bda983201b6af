import { ArrowDown, ArrowUp, ChevronDown, Plus } from 'lucide-react'
import { type JSX, memo } from 'react'
import { cx } from '../../lib/cx.ts'
import { isAlignedRight } from '../../lib/fields/field-kind.ts'
import { lazyAfterPaint } from '../../components/late-content.tsx'
import { gridMessages as words } from '../../messages/grid.ts'
import type { ColumnResizerProps } from './dress/column-resizer.tsx'
import { GUTTER_PX, type GridColumn, HEADER_PX } from './grid-layout.ts'
import { nextSort, type Sort } from './query/sort.ts'

const ColumnResizer = lazyAfterPaint<ColumnResizerProps>(
  async () => (await import('./dress/column-resizer.tsx')).ColumnResizer,
)

export interface GridHeaderProps {
  readonly columns: readonly GridColumn[]
  readonly drawn: readonly number[]
  readonly width: number
  readonly sorts: readonly Sort[]
  /** Number of columns frozen at the left. */
  readonly frozen: number
  /** Whether the records of the view are checked; `mixed`: some. */
  readonly checked: boolean | 'mixed'
  readonly onCheckAll: () => void
  readonly onSort: (sorts: readonly Sort[]) => void
  readonly resizing: Pick<ColumnResizerProps, 'widths' | 'onDrag' | 'onStore'>
  /** Only for users who may change the table's fields. */
  readonly onAddField: (() => void) | undefined
}

/** The column names. Pressing one sorts; keys resize it. The header sticks to the top and its first column to the left. */
export const GridHeader = memo(function GridHeader({
  columns,
  drawn,
  width,
  sorts,
  frozen,
  checked,
  onCheckAll,
  onSort,
  resizing,
  onAddField,
}: GridHeaderProps): JSX.Element {
  return (
    <div
      role="row"
      aria-rowindex={1}
      className="sticky top-0 z-30 flex bg-surface"
      style={{ height: HEADER_PX, width: width + GUTTER_PX }}
    >
      <div
        role="columnheader"
        aria-colindex={1}
        className="sticky left-0 z-[3] flex shrink-0 items-center border-r border-b border-border bg-surface pl-2"
        style={{ width: GUTTER_PX }}
      >
        <CheckAll checked={checked} onCheckAll={onCheckAll} />
        <span className="sr-only">{words.rowHeader}</span>
      </div>
      {drawn.map((place) => {
        const column = columns[place]
        if (!column) return null
        const { field, left } = column
        const sort = sorts.find((one) => one.field === field.name)
        const state = !sort ? 'none' : sort.isDescending ? 'descending' : 'ascending'
        const isSticky = place < frozen
        return (
          <div
            key={field.name}
            role="columnheader"
            aria-colindex={place + 2}
            aria-sort={state}
            data-header={place}
            className={cx(
              'group/header flex h-full border-r border-b border-border bg-surface',
              isSticky ? 'sticky z-[2] shrink-0' : 'absolute top-0',
            )}
            style={{ left: GUTTER_PX + left, width: column.width }}
          >
            <button
              type="button"
              title={field.help ?? undefined}
              aria-label={words.sortBy(field.label, state)}
              aria-keyshortcuts="Shift+F10 Shift+ArrowLeft Shift+ArrowRight"
              onClick={() => onSort(nextSort(sorts, field.name))}
              className={cx(
                'focus-inset flex min-w-0 flex-1 items-center gap-1 px-2 text-small font-medium text-muted hover:bg-hover hover:text-text',
                isAlignedRight(field.kind) && 'flex-row-reverse',
              )}
            >
              <span className="truncate">{field.label}</span>
              {state === 'ascending' ? <ArrowUp size={14} aria-hidden className="text-accent" /> : null}
              {state === 'descending' ? <ArrowDown size={14} aria-hidden className="text-accent" /> : null}
            </button>
            <button
              type="button"
              tabIndex={-1}
              data-menu={place}
              aria-label={words.menuOf(field.label)}
              className="absolute inset-y-1 right-2 w-5 rounded-sm bg-surface text-muted opacity-0 group-hover/header:opacity-100 hover:text-text focus-visible:opacity-100 coarse:opacity-100"
            >
              <ChevronDown size={14} aria-hidden />
            </button>
            <ColumnResizer {...resizing} field={field.name} width={column.width} />
          </div>
        )
      })}
      {onAddField ? <AddField place={columns.length} left={GUTTER_PX + width} onAddField={onAddField} /> : null}
    </div>
  )
})

/** Checks the records of the view, loaded or not. */
function CheckAll({ checked, onCheckAll }: Pick<GridHeaderProps, 'checked' | 'onCheckAll'>): JSX.Element {
  return (
    <input
      ref={(box) => {
        if (box) box.indeterminate = checked === 'mixed'
      }}
      type="checkbox"
      aria-label={words.checkAll}
      checked={checked === true}
      onChange={onCheckAll}
      className="size-4 accent-accent"
    />
  )
}

/** The last column: adds a field to the table. */
function AddField({
  place,
  left,
  onAddField,
}: {
  readonly place: number
  readonly left: number
  readonly onAddField: () => void
}): JSX.Element {
  return (
    <div
      role="columnheader"
      aria-colindex={place + 2}
      className="absolute top-0 flex h-full border-r border-b border-border bg-surface"
      style={{ left, width: GUTTER_PX }}
    >
      <button
        type="button"
        title={words.addField}
        aria-label={words.addField}
        onClick={onAddField}
        className="focus-inset flex flex-1 items-center justify-center text-muted hover:bg-hover hover:text-text"
      >
        <Plus size={16} aria-hidden />
      </button>
    </div>
  )
}
