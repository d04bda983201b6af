import type { JSX, RefObject } from 'react'
import { cx } from '../../lib/cx.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { formatValue } from '../../lib/fields/format-value.ts'
import { useRowPhotos } from '../../lib/photos/use-row-photos.ts'
import { useUnreadComments } from '../../lib/records/unread-comments.ts'
import { lazyAfterPaint } from '../../components/late-content.tsx'
import type { RecordMark } from '../../lib/records/record-state.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import { CellEditor } from './cell-editor.tsx'
import type { ActiveRights } from './follow-rights.ts'
import type { GridDress } from './grid-dress.ts'
import { bandsOf, FIRST_TEXT_PX, GUTTER_PX, type GridColumn } from './grid-layout.ts'
import { GridRowView } from './grid-row.tsx'
import type { LiveCursorsProps } from './live-cursors.tsx'
import { LABEL_PREFIX } from './query/grid-query.ts'
import type { RowWindows } from './row-windows.ts'
import type { GridRow } from './window-cache.ts'
import { cellsIn, rangeOf, type Selection } from './selection.ts'
import type { CellEdit } from './use-cell-edit.ts'
import { type CheckedRows, useSelected } from './use-view-selection.ts'
import type { DrawnCells } from './use-drawn-cells.ts'
import { ALL_RIGHTS } from './use-active-rights.ts'
import type { GridScroll } from './use-grid-scroll.ts'

/** Last visible rows, below which there is no room for the reason of a refusal. */
const END_ROWS = 4

const LiveCursors = lazyAfterPaint<LiveCursorsProps>(async () => (await import('./live-cursors.tsx')).LiveCursors)

export interface GridBodyProps {
  readonly table: TableInfo
  readonly viewport: RefObject<HTMLElement | null>
  readonly fields: readonly Field[]
  readonly columns: readonly GridColumn[]
  readonly windows: RowWindows | undefined
  /** Number of rows in the view. */
  readonly rows: number
  /** Number of group levels. */
  readonly level: number
  readonly rowPx: number
  /** Width of all columns in pixels. */
  readonly width: number
  readonly drawn: DrawnCells
  readonly scroll: GridScroll
  readonly marks: ReadonlyMap<string, RecordMark>
  /** Number of columns frozen at the left. */
  readonly frozen: number
  readonly checked: CheckedRows
  readonly openRecordId: string | undefined
  /** Returns the field that marks a record as late. */
  readonly lateIn: (row: GridRow) => string | undefined
  readonly dress: GridDress | undefined
  readonly selection: Selection
  readonly edit: CellEdit
  /** What policies allow in the active row. */
  readonly rights: ActiveRights
}

/** The rendered rows at their positions, with the editor in the active cell. */
export function GridBody(props: GridBodyProps): JSX.Element {
  const { fields, columns, windows, rowPx, width, drawn, marks, openRecordId, selection } = props
  const { active } = selection
  const range = rangeOf(selection)
  const checked = useSelected(props.checked, (rows) => rows)
  const { field } = columns[range.lastColumn] ?? {}
  // Offered once the policies are evaluated, so that it is not withdrawn.
  const canFill = props.rights !== ALL_RIGHTS && field !== undefined && !props.rights.fields.has(field.name)
  const GroupRow = props.dress?.GroupRow
  const editor = <OpenEditor {...props} />
  const { firstRow, pageRows } = props.scroll
  const photos = useRowPhotos(props.table.name, (place) => windows?.row(place)?.id, firstRow, firstRow + pageRows)
  const unread = useUnreadComments(props.table.name)
  return (
    <div
      role="rowgroup"
      className="row-bands relative"
      style={{ height: props.rows * rowPx, width: width + GUTTER_PX, ...bandsOf(rowPx, FIRST_TEXT_PX) }}
    >
      {drawn.rows.map(([index, slot]) => {
        const group = windows?.groupAt(index)
        if (group && GroupRow) {
          return (
            <GroupRow
              key={slot}
              {...{ group, index, columns, width }}
              table={props.table}
              drawn={drawn.columns}
              height={rowPx}
              isActive={index === active.row}
              onToggle={(key) => windows?.toggleGroup(key)}
            />
          )
        }
        const row = windows?.row(index)
        const number = windows?.numberAt(index) ?? index + 1
        const isSelected = index >= range.firstRow && index <= range.lastRow && cellsIn(range) > 1
        return (
          <GridRowView
            key={slot}
            dress={props.dress}
            index={index}
            number={number}
            level={props.level}
            row={row}
            columns={columns}
            drawn={drawn.columns}
            height={rowPx}
            width={width}
            mark={row && marks.get(row.id)}
            photos={row && photos.get(row.id)}
            unread={row && unread.get(row.id)}
            title={titleOf(row, fields, number)}
            late={row && props.lateIn(row)}
            isChecked={row !== undefined && checked.has(row.id)}
            isChecking={checked.size > 0}
            isOpen={row !== undefined && row.id === openRecordId}
            frozen={props.frozen}
            activeColumn={index === active.row ? active.column : -1}
            firstSelected={isSelected ? range.firstColumn : -1}
            lastSelected={isSelected ? range.lastColumn : -2}
            handleColumn={canFill && index === range.lastRow && !props.edit.isOpen ? range.lastColumn : -1}
            editor={index === active.row && props.edit.isOpen ? editor : undefined}
            refused={index === active.row ? props.rights.fields : undefined}
          />
        )
      })}
      <LiveCursors
        table={props.table.name}
        columns={columns}
        places={placesOf(drawn, windows)}
        rowPx={rowPx}
        frozen={props.frozen}
        viewport={props.viewport}
        record={windows?.row(active.row)?.id}
        field={columns[active.column]?.field.name}
        isEditing={props.edit.isOpen}
      />
    </div>
  )
}

/** Returns the row index of each rendered record by id. */
function placesOf(drawn: DrawnCells, windows: RowWindows | undefined): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const [index] of drawn.rows) {
    const row = windows?.row(index)
    if (row) places.set(row.id, index)
  }
  return places
}

function OpenEditor({ edit, scroll, selection, rights }: GridBodyProps): JSX.Element | null {
  if (!edit.cell) return null
  const { row, field, typed, problem, typing } = edit.cell
  const { active } = selection
  const editor = (
    <CellEditor
      key={`${row.id}/${field.name}`}
      field={field}
      value={row[field.name] ?? null}
      typed={typed}
      problem={problem}
      refused={rights.choices.get(field.name)}
      isNearEnd={active.row > scroll.firstRow + scroll.pageRows - END_ROWS && active.row > 2}
      handle={edit.editor}
      typing={typing}
      onCommit={edit.commit}
      onCancel={edit.cancel}
    />
  )
  if (edit.cells === 1) return editor
  return (
    <>
      {editor}
      <span
        role="status"
        className={cx(
          'absolute left-0 z-10 my-0.5 rounded-sm bg-accent px-1.5 text-small whitespace-nowrap text-on-accent shadow-popover',
          active.row > scroll.firstRow ? 'bottom-full' : 'top-full',
        )}
      >
        {words.changesCells(edit.cells)}
      </span>
    </>
  )
}

function titleOf(row: GridRow | undefined, fields: readonly Field[], number: number): string {
  const [first] = fields
  const text = row && first ? formatValue(first, row[first.name] ?? null, row[LABEL_PREFIX + first.name]) : ''
  return text === '' ? words.rowHeaderName(number) : text
}
