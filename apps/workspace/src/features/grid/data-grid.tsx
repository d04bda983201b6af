import { type JSX, memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { preloadMenu } from '../../components/menu.tsx'
import { preloadPopover } from '../../components/popover.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { lateLayer, lazyAfterPaint } from '../../components/late-content.tsx'
import type { RecordMark } from '../../lib/records/record-state.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import { preloadPicker } from './cell-editor.tsx'
import { GridBody } from './grid-body.tsx'
import { gridClipboard } from './grid-clipboard.ts'
import type { GridController } from './grid-controller.ts'
import { GridHeader, type GridHeaderProps } from './grid-header.tsx'
import { gridKeyboard } from './grid-keyboard.ts'
import type { GridFootProps } from './grid-foot.tsx'
import type { GridMenuProps } from './menu/menu-entries.ts'
import type { MenuTarget } from './menu/menu-target.ts'
import type { GridDress } from './grid-dress.ts'
import { FOOT_PX, frozenColumns, GUTTER_PX, HEADER_PX, layOut, NO_WIDTHS } from './grid-layout.ts'
import type { Sort } from './query/sort.ts'
import type { WindowsState } from './row-windows-state.ts'
import type { RowWindows } from './row-windows.ts'
import { ALL_RIGHTS, readOnlyWords, useActiveRights } from './use-active-rights.ts'
import type { GridRow } from './window-cache.ts'
import { useActiveCell } from './use-active-cell.ts'
import { useCellEdit } from './use-cell-edit.ts'
import { useDrawnCells } from './use-drawn-cells.ts'
import type { GridEdits } from './grid-edits.ts'
import { useGridPointer } from './use-grid-pointer.ts'
import { useGridScroll } from './use-grid-scroll.ts'
import type { RowChecks } from './use-row-checks.ts'
import { type CheckedRows, useSelected, type ViewSelection } from './use-view-selection.ts'

/** Delay in ms that replaces requestIdleCallback, which Safari lacks. */
const IDLE_MS = 500

// Memoized so that moving the active cell re-renders neither the header nor the footer.
const GridFoot = memo(lazyAfterPaint<GridFootProps>(async () => (await import('./grid-foot.tsx')).GridFoot))

const { Content: GridMenu } = lateLayer<GridMenuProps>(async () => (await import('./menu/grid-menu.tsx')).GridMenu)

type ColumnWidths = ReadonlyMap<string, number>

export interface DataGridProps {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly windows: RowWindows | undefined
  readonly state: WindowsState
  readonly sorts: readonly Sort[]
  readonly marks: ReadonlyMap<string, RecordMark>
  readonly rowPx: number
  /** Number of columns to freeze at the left. */
  readonly frozen: number
  /** The view and its column aggregates. */
  readonly foot: Pick<GridFootProps, 'query' | 'text' | 'onChange'>
  readonly dress: GridDress | undefined
  /** Stores the column widths, in URL form. */
  readonly onWidths: (text: string | undefined) => void
  readonly openRecordId: string | undefined
  readonly lateIn: (row: GridRow) => string | undefined
  readonly edits: GridEdits
  readonly menu: Pick<GridMenuProps, 'view' | 'fields' | 'columnActions'>
  readonly onAddField: (() => void) | undefined
  readonly checked: CheckedRows
  readonly checks: RowChecks
  readonly selection: ViewSelection
  readonly onSort: (sorts: readonly Sort[]) => void
  readonly onOpenRecord: (id: string | undefined) => void
  readonly onOpenPage: (id: string) => void
  /** Changes with the view; the grid then returns to its first cell. */
  readonly viewKey: string
}

/**
 * A virtualized grid over the local database. Rows are loaded in windows and positioned absolutely; columns render as they scroll into view. The active cell is
 * the only tab stop and moves by keyboard.
 */
export function DataGrid(props: DataGridProps): JSX.Element {
  const { table, fields, windows, state, edits, checks, rowPx } = props
  const selection = useSelected(props.selection, (selected) => selected)
  const viewport = useRef<HTMLDivElement>(null)
  const { columns, width, resizing } = useColumns(fields, props.dress?.widths, props.onWidths)
  const scroll = useGridScroll(viewport, rowPx, HEADER_PX + FOOT_PX)
  const frozen = frozenColumns(columns, props.frozen, scroll.width)
  const size = { rows: state.rows ?? 0, columns: columns.length, page: scroll.pageRows }
  const { update: canUpdate, delete: canDelete } = table.descriptor.can

  const drawn = useDrawnCells({ windows, count: state.rows, columns, frozen, scroll, active: selection.active })
  const select = useActiveCell({ ...props, viewport, columns, frozen, version: state.version, selected: selection })
  const rights = useActiveRights(table, fields, windows?.row(selection.active.row))
  const whyReadOnly = (field: Field, inAll: boolean): string | undefined =>
    readOnlyWords(field, table, inAll ? ALL_RIGHTS : rights)
  const edit = useCellEdit({ windows, columns, size, selection, edits, whyReadOnly, select })
  const activeRecordId = windows?.row(selection.active.row)?.id
  const [menu, setMenu] = useState<MenuTarget>()
  const closeMenu = (): void => setMenu(undefined)
  const grid: GridController = {
    table,
    selection,
    size,
    select,
    edit,
    edits,
    checks,
    isChecking: checks.isChecking,
    canUpdate,
    canDelete,
    activeRecordId,
    activeGroup: windows?.groupAt(selection.active.row),
    onToggleGroup: (group) => windows?.toggleGroup(group),
    hasActiveRow: activeRecordId !== undefined,
    isRecordOpen: props.openRecordId !== undefined,
    openRecordId: props.openRecordId,
    onOpenRecord: props.onOpenRecord,
    onOpenPage: props.onOpenPage,
    onSort: props.onSort,
    onMenu: setMenu,
  }
  const pointer = useGridPointer(grid)
  const checkedShare = useCheckedShare(props.checked, state.count)
  usePreloadedLayers(grid.hasActiveRow)

  return (
    <div
      ref={viewport}
      role={state.levels === 0 ? 'grid' : 'treegrid'}
      aria-label={words.gridName(table.label)}
      aria-rowcount={state.count === undefined ? -1 : size.rows + 2}
      aria-colcount={columns.length + (props.onAddField ? 2 : 1)}
      aria-multiselectable
      aria-readonly={!canUpdate}
      className="relative min-h-0 flex-1 touch-pan-x touch-pan-y overflow-auto overscroll-contain bg-bg select-none"
      {...gridKeyboard(grid)}
      {...pointer}
      {...gridClipboard(grid)}
    >
      <GridHeader
        {...{ columns, width, frozen, resizing, onAddField: props.onAddField }}
        drawn={drawn.columns}
        sorts={props.sorts}
        checked={checkedShare}
        onCheckAll={checkedShare === true ? checks.clear : checks.checkAll}
        onSort={props.onSort}
      />
      <GridBody
        {...props}
        {...{ viewport, columns, width, drawn, scroll, edit, rights, frozen, selection }}
        rows={size.rows}
        level={state.levels}
      />
      {menu ? (
        <GridMenu {...props.menu} {...{ grid, columns, windows, frozen }} target={menu} onClose={closeMenu} />
      ) : null}
      <FootRow rows={size.rows} width={width}>
        <GridFoot {...props.foot} {...{ windows, columns, frozen }} drawn={drawn.columns} />
      </FootRow>
    </div>
  )
}

/** Returns the columns at their positions. */
function useColumns(
  fields: readonly Field[],
  stored: ColumnWidths | undefined,
  onStore: DataGridProps['onWidths'],
): ReturnType<typeof layOut> & Pick<GridHeaderProps, 'resizing'> {
  const { widths, resizing } = useWidths(stored, onStore)
  const laidOut = useMemo(() => layOut(fields, widths), [fields, widths])
  return { ...laidOut, resizing }
}

/** Returns the custom column widths. A dragged width applies until the stored one arrives. */
function useWidths(
  stored: ColumnWidths | undefined,
  onStore: DataGridProps['onWidths'],
): { readonly widths: ColumnWidths | undefined; readonly resizing: GridHeaderProps['resizing'] } {
  const [dragged, setDragged] = useState({ of: stored, widths: stored })
  const widths = dragged.of === stored ? dragged.widths : stored
  const resizing = useMemo(
    () => ({
      widths: widths ?? NO_WIDTHS,
      onDrag: (next: ColumnWidths) => setDragged({ of: stored, widths: next }),
      onStore,
    }),
    [widths, stored, onStore],
  )
  return { widths, resizing }
}

/** Returns whether all records of the view are checked; `mixed`: some. */
function useCheckedShare(checked: CheckedRows, count: number | undefined): boolean | 'mixed' {
  return useSelected(checked, ({ size }) => (size === 0 ? false : size >= (count ?? Infinity) ? true : 'mixed'))
}

/** Reserves space for the aggregates, which load after the rows, so that nothing shifts when they arrive. */
function FootRow({
  rows,
  width,
  children,
}: {
  readonly rows: number
  readonly width: number
  readonly children: ReactNode
}): JSX.Element {
  return (
    <div
      role="row"
      aria-rowindex={rows + 2}
      className="sticky bottom-0 z-20 flex border-t border-border bg-surface"
      style={{ height: FOOT_PX, width: width + GUTTER_PX }}
    >
      <div
        role="gridcell"
        data-foot
        aria-colindex={1}
        className="sticky left-0 z-[3] shrink-0 bg-surface"
        style={{ width: GUTTER_PX }}
      />
      {children}
    </div>
  )
}

/** Preloads the grid's overlays once its rows are loaded and the browser is idle. */
function usePreloadedLayers(hasRows: boolean): void {
  // Loading happens outside React.
  useEffect(() => {
    if (!hasRows) return
    whenIdle(() => {
      preloadPicker()
      preloadPopover()
      preloadMenu()
    })
  }, [hasRows])
}

/** Runs a function when the browser is idle. */
function whenIdle(run: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(() => run())
  else setTimeout(run, IDLE_MS)
}
