import { useHasSynced, useRecords, useSchema } from '@holdfast/react'
import { useTableInfo } from '../../lib/data/use-tables.ts'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type JSX, type ReactNode, useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useDocumentTitle } from '../../components/page.tsx'
import { FirstRowsNote } from '../../components/records/first-rows-note.tsx'
import { UndoDialog } from '../../components/records/undo-dialog.tsx'
import { useHotkeys } from '../../hooks/use-hotkeys.ts'
import { useMediaQuery } from '../../hooks/use-media-query.ts'
import { useAppearance } from '../../lib/appearance.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { fieldsOf } from '../../lib/fields/field.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import { useNewRecord } from '../../lib/records/use-new-record.ts'
import { useRecordWriter } from '../../lib/records/record-writer.ts'
import { useRecordMarks } from '../../lib/records/use-record-marks.ts'
import { useUndoKeys } from '../../lib/records/use-undo-keys.ts'
import { quoteName } from '../../lib/sql.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import { DataGrid } from './data-grid.tsx'
import { GridFooter } from './grid-footer.tsx'
import { ROW_PX } from './grid-layout.ts'
import { RecordList } from './record-list.tsx'
import { cellsIn, FIRST_CELL, rangeOf } from './selection.ts'
import { GridToolbar } from './toolbar/grid-toolbar.tsx'
import { useGridEdits } from './use-grid-edits.ts'
import { type GridView, useGridView } from './use-grid-view.ts'
import { useRowWindows } from './use-row-windows.ts'

const NO_MARKS: ReadonlyMap<string, RecordMark> = new Map()

/** What the app mounts beside the grid for the record in the address. */
export interface OpenRecord {
  readonly table: string
  readonly recordId: string
  readonly onClose: () => void
  /** To the record before or after it in the view; `undefined` at the ends. */
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
}

/** The records of one table: grid or list, and the open record beside it. */
export function TableScreen({
  table: name,
  renderRecord,
}: {
  readonly table: string
  readonly renderRecord: (record: OpenRecord) => ReactNode
}): JSX.Element {
  const table = useTableInfo(name)
  useDocumentTitle(table?.label ?? name)
  if (table) return <TableView table={table} renderRecord={renderRecord} />
  return (
    <>
      <h1 tabIndex={-1} className="sr-only">
        {name}
      </h1>
      <EmptyState title={words.noAccess}>{words.noAccessDetail}</EmptyState>
    </>
  )
}

function TableView({
  table,
  renderRecord,
}: {
  readonly table: TableInfo
  readonly renderRecord: (record: OpenRecord) => ReactNode
}): JSX.Element {
  const schema = useSchema()
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  const navigate = useNavigate()
  const fields = useMemo(() => fieldsOf(table.descriptor, schema), [table.descriptor, schema])
  const view = useGridView(table, fields)
  const { windows, state } = useRowWindows(view.query)
  const marks = useRecordMarks(table.name) ?? NO_MARKS
  const writer = useRecordWriter()
  const edits = useGridEdits(table, view.shown, windows, writer)
  const newRecord = useNewRecord(table, fields, writer)
  const isPhone = useMediaQuery('(max-width: 599.98px)')
  const isWide = useMediaQuery('(min-width: 900px)')
  const isCoarse = useMediaQuery('(pointer: coarse)')
  const density = useAppearance((appearance) => appearance.density)
  const [listChoice, setListChoice] = useState<boolean>()
  const isList = listChoice ?? isPhone
  const viewKey = JSON.stringify([view.query.search, view.query.filter, view.query.sorts])
  const [selected, setSelected] = useState({ viewKey, selection: FIRST_CELL })
  const selection = selected.viewKey === viewKey ? selected.selection : FIRST_CELL
  const { rows: totals } = useRecords<{ readonly rows: number }>(
    `select count(*) as rows from ${quoteName(table.name)}`,
    [],
    { throttleMs: 200 },
  )
  const total = totals[0]?.rows
  const hasSynced = useHasSynced()
  useUndoKeys(writer)

  const onNew = newRecord && (() => void newRecord().then(view.openRecord))
  useHotkeys(onNew ? { c: onNew } : {})

  const { record } = view
  const place = record === undefined ? undefined : windows?.indexOf(record)
  const goTo = (row: number): (() => void) | undefined => {
    const id = windows?.row(row)?.id
    return id === undefined
      ? undefined
      : () => {
          view.openRecord(id)
          setSelected({
            viewKey,
            selection: {
              active: { row, column: selection.active.column },
              anchor: { row, column: selection.active.column },
            },
          })
        }
  }

  return (
    <div className="absolute inset-0 flex">
      <section className="flex min-w-0 flex-1 flex-col">
        <GridToolbar
          table={table}
          fields={fields}
          view={view}
          isPhone={isPhone}
          isList={isList}
          onListChange={setListChoice}
          onNew={onNew}
        />
        {state.count === undefined || state.count === 0 || state.error ? (
          <Instead table={table} view={view} total={total} error={state.error} count={state.count} onNew={onNew} />
        ) : isList ? (
          <RecordList
            table={table}
            fields={view.shown}
            windows={windows}
            state={state}
            marks={marks}
            onOpenRecord={view.openRecord}
          />
        ) : (
          <DataGrid
            table={table}
            fields={view.shown}
            windows={windows}
            state={state}
            sorts={view.query.sorts}
            marks={marks}
            rowPx={ROW_PX[density ?? (isCoarse ? 'relaxed' : 'standard')]}
            isTitleSticky={isWide}
            openRecordId={record}
            edits={edits}
            selection={selection}
            onSelection={(next) => setSelected({ viewKey, selection: next })}
            onSort={view.setSorts}
            onOpenRecord={view.openRecord}
            onOpenPage={(id) =>
              void navigate({ to: '/w/$ws/t/$table/r/$record', params: { ws, table: table.name, record: id } })
            }
            viewKey={viewKey}
          />
        )}
        <GridFooter
          table={table}
          shown={state.count === 0 && !hasSynced ? undefined : state.count}
          total={total ?? state.count ?? 0}
          cells={isList ? 0 : cellsIn(rangeOf(selection))}
          marks={marks}
        />
      </section>
      {record === undefined
        ? null
        : renderRecord({
            table: table.name,
            recordId: record,
            onClose: () => closeRecord(view),
            onPrevious: place === undefined ? undefined : goTo(place - 1),
            onNext: place === undefined ? undefined : goTo(place + 1),
          })}
      <UndoDialog writer={writer} />
    </div>
  )
}

/** Closes the panel; the focus, if it was in it, goes back to the active cell. */
function closeRecord(view: GridView): void {
  view.openRecord(undefined)
  requestAnimationFrame(() => {
    if (document.activeElement === null || document.activeElement === document.body) {
      document.querySelector<HTMLElement>('[role="grid"] [data-active]')?.focus()
    }
  })
}

/** What stands in place of rows: the first sync, a failure, a table without rows, a view that nothing fits. */
function Instead({
  table,
  view,
  count,
  total,
  error,
  onNew,
}: {
  readonly table: TableInfo
  readonly view: GridView
  readonly count: number | undefined
  readonly total: number | undefined
  readonly error: Error | undefined
  readonly onNew: (() => void) | undefined
}): JSX.Element {
  const hasSynced = useHasSynced()
  const many = table.label.toLowerCase()
  if (error) {
    return (
      <div className="min-h-0 flex-1 overflow-auto p-4">
        <ErrorNotice
          error={{ code: 'HF-VIEW-BROKEN', title: words.errorTitle, technical: error.message }}
          actions={<Button onPress={view.reset}>{words.resetView}</Button>}
        />
      </div>
    )
  }
  // The first count takes a few milliseconds: nothing is shown for them.
  if ((count === undefined || total === undefined) && hasSynced) return <div className="min-h-0 flex-1" />
  // Only an answer of the query says that nothing fits; until then there are rows to come.
  if (count === 0 && total !== undefined && total > 0) {
    return (
      <div className="min-h-0 flex-1 overflow-auto">
        <EmptyState
          title={words.noMatch(total)}
          action={<Button onPress={view.clearFilters}>{words.clearFilters}</Button>}
        >
          {words.noMatchDetail}
        </EmptyState>
      </div>
    )
  }
  if (!hasSynced) {
    return (
      <div className="min-h-0 flex-1 overflow-hidden px-3">
        <FirstRowsNote rows={20} />
      </div>
    )
  }
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      {onNew ? (
        <EmptyState
          title={words.noRecords(many)}
          action={
            <Button tone="primary" onPress={onNew}>
              {words.newOf(table.noun)}
            </Button>
          }
        >
          {words.noRecordsDetail}
        </EmptyState>
      ) : (
        <EmptyState title={words.noRecordsReadOnly}>{words.noRecordsReadOnlyDetail}</EmptyState>
      )}
    </div>
  )
}
