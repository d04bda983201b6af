import {
  type ClipboardEvent,
  type JSX,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { showToast } from '../../components/toast.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { formatValue } from '../../lib/fields/format-value.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import { isApple } from '../../lib/shortcuts.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import type { AfterEdit, EditorHandle } from './cell-editor-props.ts'
import { CellEditor } from './cell-editor.tsx'
import { drawnColumns, GUTTER_PX, HEADER_PX, layOut } from './grid-layout.ts'
import { GridHeader } from './grid-header.tsx'
import { GridRowView } from './grid-row.tsx'
import { LABEL_PREFIX } from './query/grid-query.ts'
import type { Sort } from './query/sort.ts'
import type { GridRow, RowWindows, WindowsState } from './row-windows.ts'
import { assignSlots } from './row-slots.ts'
import { cellsIn, extendTo, moveSelection, rangeOf, selectCell, type Selection } from './selection.ts'
import type { GridEdits } from './use-grid-edits.ts'
import { useGridScroll } from './use-grid-scroll.ts'

/** Rows drawn above and below what is in sight. */
const OVERSCAN_ROWS = 6

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
  const { table, fields, windows, state, marks, rowPx, selection, onSelection, edits, openRecordId } = props
  const [edit, setEdit] = useState<{ readonly typed: string | undefined }>()
  const viewport = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorHandle>(null)
  const drag = useRef(false)
  const isFocusWanted = useRef(false)
  const count = state.count ?? 0
  const { columns, width } = useMemo(() => layOut(fields), [fields])
  const scroll = useGridScroll(viewport, rowPx)
  const size = { rows: count, columns: columns.length, page: scroll.pageRows }
  const { active } = selection
  const canUpdate = table.descriptor.can.update

  const firstRow = Math.max(0, scroll.firstRow - OVERSCAN_ROWS)
  const lastRow = Math.min(count - 1, scroll.firstRow + scroll.pageRows + OVERSCAN_ROWS)
  useEffect(() => windows?.show(firstRow, Math.max(firstRow, lastRow)), [windows, firstRow, lastRow, state.count])
  const slots = useSlots(firstRow, lastRow, active.row < count ? active.row : undefined)
  const drawnKey = drawnColumns(columns, scroll.left, scroll.width, active.column).join(',')
  const drawn = useMemo(() => (drawnKey === '' ? [] : drawnKey.split(',').map(Number)), [drawnKey])

  useFollowActive(props)
  // Another view starts at its beginning.
  useEffect(() => {
    viewport.current?.scrollTo({ top: 0 })
  }, [props.viewKey])
  // The focus goes with the active cell: when a key moved it, and when it was in the grid while something else did.
  useLayoutEffect(() => {
    const focused = document.activeElement
    const isLeftBehind = focused?.getAttribute('role') === 'gridcell' && !focused.hasAttribute('data-active')
    if (!isFocusWanted.current && !isLeftBehind) return
    isFocusWanted.current = false
    viewport.current?.querySelector<HTMLElement>('[data-active]')?.focus({ preventScroll: true })
  })

  const select = (next: Selection): void => {
    isFocusWanted.current = true
    onSelection(next)
    reveal(
      viewport.current,
      columns[next.active.column],
      next.active.row,
      rowPx,
      props.isTitleSticky ? (columns[0]?.width ?? 0) : 0,
    )
  }
  const activeRow = windows?.row(active.row)
  const activeField = columns[active.column]?.field

  const startEdit = (typed: string | undefined): void => {
    if (!activeRow || !activeField) return
    if (!activeField.isEditable || !canUpdate) {
      showToast({ text: canUpdate ? words.readOnlyCell : words.readOnlyTable })
      return
    }
    if (activeField.kind === 'boolean') {
      void edits.setCell(activeRow, activeField, activeRow[activeField.name] === 1 ? 0 : 1, undefined)
      return
    }
    setEdit({ typed })
  }
  const endEdit = (after: AfterEdit): void => {
    setEdit(undefined)
    const { row, column } = active
    const step = { stay: [0, 0], down: [1, 0], up: [-1, 0], right: [0, 1], left: [0, -1] }[after]
    select(selectCell({ row: row + (step[0] ?? 0), column: column + (step[1] ?? 0) }, size))
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (edit || event.nativeEvent.isComposing || !(event.target instanceof Element)) return
    if (event.target.closest('[role="gridcell"]') === null) return
    const isMod = isApple() ? event.metaKey : event.ctrlKey
    const moved = moveSelection(selection, { key: event.key, isShift: event.shiftKey, isMod }, size)
    if (moved && !event.altKey) {
      event.preventDefault()
      select(moved)
      return
    }
    const action = actionOf(event, isMod)
    if (!action) return
    event.preventDefault()
    action()
  }

  function actionOf({ key, shiftKey, altKey }: KeyboardEvent, isMod: boolean): (() => void) | undefined {
    if (altKey) return undefined
    const range = rangeOf(selection)
    if (isMod) {
      if (key === 'Enter' && activeRow) return () => props.onOpenPage(activeRow.id)
      if (key.toLowerCase() === 'd' && canUpdate) return () => void edits.fillDown(range)
      if (key === 'Backspace' && table.descriptor.can.delete) return () => void edits.deleteRows(range)
      return undefined
    }
    switch (key) {
      case 'Enter':
      case 'F2':
        return () => startEdit(undefined)
      case 'Tab': {
        const column = active.column + (shiftKey ? -1 : 1)
        // At the ends Tab leaves the grid.
        return column < 0 || column >= columns.length
          ? undefined
          : () => select(selectCell({ row: active.row, column }, size))
      }
      case ' ':
        return () => props.onOpenRecord(activeRow && activeRow.id !== openRecordId ? activeRow.id : undefined)
      case 'Delete':
      case 'Backspace':
        return canUpdate ? () => void edits.clear(range) : undefined
      case 'Escape':
        if (cellsIn(range) > 1) return () => select(selectCell(active, size))
        return openRecordId === undefined ? undefined : () => props.onOpenRecord(undefined)
      default:
        return key.length === 1 ? () => startEdit(key) : undefined
    }
  }

  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return
    const place = placeOf(event.target)
    if (edit) {
      if (isInEditor(event.target)) return
      if (editor.current?.finish() === false) {
        event.preventDefault()
        return
      }
      setEdit(undefined)
    }
    if (!place) return
    const isAgain = place.row === active.row && place.column === active.column
    if (event.pointerType === 'mouse') {
      drag.current = true
    } else if (isAgain) {
      event.preventDefault()
      startEdit(undefined)
      return
    }
    event.preventDefault() // no text selection; the focus is set with the active cell
    select(event.shiftKey ? extendTo(selection, place, size) : selectCell(place, size))
  }
  const onPointerMove = (event: PointerEvent): void => {
    if (!drag.current) return
    if (event.buttons === 0) {
      drag.current = false
      return
    }
    const place = placeOf(event.target)
    if (place && (place.row !== active.row || place.column !== active.column)) select(extendTo(selection, place, size))
  }
  const onClick = (event: MouseEvent): void => {
    const id =
      event.target instanceof Element ? event.target.closest<HTMLElement>('[data-open]')?.dataset['open'] : undefined
    if (id !== undefined) props.onOpenRecord(id === openRecordId ? undefined : id)
  }
  const onDoubleClick = (event: MouseEvent): void => {
    if (!edit && placeOf(event.target)) startEdit(undefined)
  }

  const onCopy = (event: ClipboardEvent): void => {
    if (edit) return
    event.preventDefault()
    const range = rangeOf(selection)
    const isCut = event.type === 'cut' && canUpdate
    void edits.copy(range).then(async (text) => {
      if (text === undefined) return
      try {
        await navigator.clipboard.writeText(text)
      } catch {
        showToast({ text: words.clipboardDenied })
        return
      }
      if (cellsIn(range) > 1) showToast({ text: words.copied(cellsIn(range)) })
      if (isCut) await edits.clear(range) // only once the values are safe in the clipboard
    })
  }
  const onPaste = (event: ClipboardEvent): void => {
    if (edit) return
    event.preventDefault()
    const text = event.clipboardData.getData('text/plain')
    if (!canUpdate) showToast({ text: words.readOnlyTable })
    else if (text === '') showToast({ text: words.pasteNothing })
    else void edits.paste(text, rangeOf(selection))
  }

  const range = rangeOf(selection)
  const editorView =
    edit && activeRow && activeField ? (
      <CellEditor
        key={`${activeRow.id}/${activeField.name}`}
        field={activeField}
        value={activeRow[activeField.name] ?? null}
        typed={edit.typed}
        isNearEnd={active.row > scroll.firstRow + scroll.pageRows - 4 && active.row > 2}
        handle={editor}
        onCommit={(value, after, label) => {
          void edits.setCell(activeRow, activeField, value, label)
          endEdit(after)
        }}
        onCancel={() => endEdit('stay')}
      />
    ) : undefined

  return (
    <div
      ref={viewport}
      role="grid"
      aria-label={words.gridName(table.label)}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable
      aria-readonly={!canUpdate}
      className="relative min-h-0 flex-1 touch-pan-x touch-pan-y overflow-auto overscroll-contain bg-bg select-none"
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        drag.current = false
      }}
      onClick={onClick}
      onDoubleClick={onDoubleClick}
      onCopy={onCopy}
      onCut={onCopy}
      onPaste={onPaste}
    >
      <GridHeader
        columns={columns}
        drawn={drawn}
        width={width}
        sorts={props.sorts}
        isTitleSticky={props.isTitleSticky}
        onSort={props.onSort}
      />
      <div role="rowgroup" className="relative" style={{ height: count * rowPx, width: width + GUTTER_PX }}>
        {bySlot(slots).map(([index, slot]) => {
          const row = windows?.row(index)
          const isSelected = index >= range.firstRow && index <= range.lastRow && cellsIn(range) > 1
          return (
            <GridRowView
              key={slot}
              index={index}
              row={row}
              columns={columns}
              drawn={drawn}
              height={rowPx}
              width={width}
              mark={row && marks.get(row.id)}
              title={titleOf(row, fields, index)}
              isOpen={row !== undefined && row.id === openRecordId}
              isTitleSticky={props.isTitleSticky}
              activeColumn={index === active.row ? active.column : -1}
              firstSelected={isSelected ? range.firstColumn : -1}
              lastSelected={isSelected ? range.lastColumn : -2}
              editor={index === active.row ? editorView : undefined}
            />
          )
        })}
      </div>
    </div>
  )
}

function titleOf(row: GridRow | undefined, fields: readonly Field[], index: number): string {
  const [first] = fields
  const text = row && first ? formatValue(first, row[first.name] ?? null, row[LABEL_PREFIX + first.name]) : ''
  return text === '' ? words.rowHeaderName(index + 1) : text
}

/** The rows to draw with their slots: those in sight, and the active one wherever it is, because it has the focus. */
function useSlots(first: number, last: number, active: number | undefined): ReadonlyMap<number, number> {
  const [before, setBefore] = useState<ReadonlyMap<number, number>>(new Map())
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  if (active !== undefined && (active < first || active > last)) rows.push(active)
  const isSame = before.size === rows.length && rows.every((row) => before.has(row))
  if (isSame) return before
  const slots = assignSlots(before, rows)
  setBefore(slots)
  return slots
}

/** In the order of the slots: a row's element never moves in the page, which would take the focus from it. */
function bySlot(slots: ReadonlyMap<number, number>): readonly (readonly [number, number])[] {
  return [...slots].toSorted(([, a], [, b]) => a - b)
}

/** When rows come, go or move, the active cell stays with its record. */
function useFollowActive({ windows, state, selection, onSelection, viewKey }: DataGridProps): void {
  const followed = useRef<{ readonly viewKey: string; readonly row: number; readonly id: string | undefined }>(
    undefined,
  )
  // The order of the rows is the database's; it tells of changes, not of moves.
  useEffect(() => {
    const { row } = selection.active
    const id = windows?.row(row)?.id
    const last = followed.current
    const isMoved = last?.viewKey === viewKey && last.row === row && last.id !== undefined && id !== last.id
    const index = isMoved && last.id !== undefined ? windows?.indexOf(last.id) : undefined
    followed.current = { viewKey, row: index ?? row, id: index === undefined ? id : last?.id }
    if (index === undefined) return
    const shift = index - row
    onSelection({
      active: { ...selection.active, row: index },
      anchor: { ...selection.anchor, row: Math.max(0, selection.anchor.row + shift) },
    })
  }, [windows, state.version, selection, onSelection, viewKey])
}

/** Scrolls as little as it takes to have the cell in sight, beside and below what is sticky. */
function reveal(
  viewport: HTMLElement | null,
  column: { readonly left: number; readonly width: number } | undefined,
  row: number,
  rowPx: number,
  stickyPx: number,
): void {
  if (!viewport || !column) return
  const top = row * rowPx
  const viewHeight = viewport.clientHeight - HEADER_PX
  if (top < viewport.scrollTop) viewport.scrollTop = top
  else if (top + rowPx > viewport.scrollTop + viewHeight) viewport.scrollTop = top + rowPx - viewHeight
  const viewWidth = viewport.clientWidth - GUTTER_PX
  if (column.left < viewport.scrollLeft + stickyPx && column.left >= stickyPx)
    viewport.scrollLeft = column.left - stickyPx
  else if (column.left < stickyPx && stickyPx === 0 && column.left < viewport.scrollLeft)
    viewport.scrollLeft = column.left
  else if (column.left + column.width > viewport.scrollLeft + viewWidth) {
    viewport.scrollLeft = Math.min(column.left - stickyPx, column.left + column.width - viewWidth)
  }
}

function placeOf(target: EventTarget | null): { readonly row: number; readonly column: number } | undefined {
  if (!(target instanceof Element) || target.closest('[data-open]')) return undefined
  const column = target.closest<HTMLElement>('[data-column]')?.dataset['column']
  const row = target.closest<HTMLElement>('[data-row]')?.dataset['row']
  return column === undefined || row === undefined ? undefined : { row: Number(row), column: Number(column) }
}

function isInEditor(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, [role="dialog"], [role="alert"]') !== null
}
