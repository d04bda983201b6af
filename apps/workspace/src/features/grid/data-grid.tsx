import { type JSX, useEffect, useMemo, useRef } from 'react'
import { preloadMenu } from '../../components/menu.tsx'
import { preloadPopover } from '../../components/popover.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import { whenIdle } from '../../lib/when-idle.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import { preloadPicker } from './cell-editor.tsx'
import { GridBody } from './grid-body.tsx'
import { gridClipboard } from './grid-clipboard.ts'
import type { GridController } from './grid-controller.ts'
import { GridHeader } from './grid-header.tsx'
import { gridKeyboard } from './grid-keyboard.ts'
import { layOut } from './grid-layout.ts'
import type { Sort } from './query/sort.ts'
import type { RowWindows, WindowsState } from './row-windows.ts'
import type { Selection } from './selection.ts'
import { readOnlyWords, useActiveRights } from './use-active-rights.ts'
import type { GridRow } from './window-cache.ts'
import { useActiveCell } from './use-active-cell.ts'
import { useCellEdit } from './use-cell-edit.ts'
import { useDrawnCells } from './use-drawn-cells.ts'
import type { GridEdits } from './grid-edits.ts'
import { useGridPointer } from './use-grid-pointer.ts'
import { useGridScroll } from './use-grid-scroll.ts'

export interface DataGridProps {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly windows: RowWindows | undefined
  readonly state: WindowsState
  readonly sorts: readonly Sort[]
  readonly marks: ReadonlyMap<string, RecordMark>
  readonly rowPx: number
  readonly isTitleSticky: boolean
  readonly openRecordId: string | undefined
  readonly lateIn: (row: GridRow) => string | undefined
  readonly edits: GridEdits
  readonly selection: Selection
  readonly onSelection: (selection: Selection) => void
  readonly onSort: (sorts: readonly Sort[]) => void
  readonly onOpenRecord: (id: string | undefined) => void
  readonly onOpenPage: (id: string) => void
  /** Changes with the view: the grid then starts at its first cell. */
  readonly viewKey: string
}

/**
 * A grid over the local database: windows of rows, absolutely placed; columns drawn as they come in sight; one tab stop,
 * the active cell, which moves by keys.
 */
export function DataGrid(props: DataGridProps): JSX.Element {
  const { table, fields, windows, state, selection, edits, rowPx, isTitleSticky } = props
  const viewport = useRef<HTMLDivElement>(null)
  const { columns, width } = useMemo(() => layOut(fields), [fields])
  const scroll = useGridScroll(viewport, rowPx)
  const size = { rows: state.rows ?? 0, columns: columns.length, page: scroll.pageRows }
  const { active } = selection
  const { update: canUpdate, delete: canDelete } = table.descriptor.can

  const drawn = useDrawnCells({ windows, count: state.rows, columns, scroll, active })
  const select = useActiveCell({ ...props, viewport, columns, version: state.version })
  const rights = useActiveRights(table, fields, windows?.row(active.row))
  const whyReadOnly = (field: Field): string | undefined => readOnlyWords(field, table, rights)
  const edit = useCellEdit({ windows, columns, size, selection, edits, whyReadOnly, select })
  const activeRecordId = windows?.row(active.row)?.id
  const grid: GridController = {
    selection,
    size,
    select,
    edit,
    edits,
    canUpdate,
    canDelete,
    activeRecordId,
    hasActiveRow: activeRecordId !== undefined,
    isRecordOpen: props.openRecordId !== undefined,
    openRecordId: props.openRecordId,
    onOpenRecord: props.onOpenRecord,
    onOpenPage: props.onOpenPage,
  }
  const pointer = useGridPointer(grid)
  usePreloadedLayers(grid.hasActiveRow)

  return (
    <div
      ref={viewport}
      role="grid"
      aria-label={words.gridName(table.label)}
      aria-rowcount={state.count === undefined ? -1 : state.count + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable
      aria-readonly={!canUpdate}
      className="relative min-h-0 flex-1 touch-pan-x touch-pan-y overflow-auto overscroll-contain bg-bg select-none"
      {...gridKeyboard(grid)}
      {...pointer}
      {...gridClipboard(grid)}
    >
      <GridHeader
        columns={columns}
        drawn={drawn.columns}
        width={width}
        sorts={props.sorts}
        isTitleSticky={isTitleSticky}
        onSort={props.onSort}
      />
      <GridBody {...props} {...{ viewport, columns, width, drawn, scroll, edit, rights }} rows={size.rows} />
    </div>
  )
}

/** What opens over the grid is loaded when its rows are there and the browser has time. */
function usePreloadedLayers(hasRows: boolean): void {
  // Loading is outside of React.
  useEffect(() => {
    if (!hasRows) return
    whenIdle(() => {
      preloadPicker()
      preloadPopover()
      preloadMenu()
    })
  }, [hasRows])
}
