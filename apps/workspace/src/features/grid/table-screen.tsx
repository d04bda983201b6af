import { useHasSynced, useRecords } from '@holdfast/react'
import { FirstSyncBar } from '../../components/records/first-sync-bar.tsx'
import { useTableFirst } from '../../lib/data/use-table-first.ts'
import { useTableInfo } from '../../lib/data/use-tables.tsx'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type ComponentType, type JSX, type ReactNode, useState } from 'react'
import { lateContent } from '../../components/late-content.tsx'
import { useDocumentTitle } from '../../components/page.tsx'
import { LateUndoDialog } from '../../components/records/late-undo-dialog.tsx'
import { useHotkeys } from '../../hooks/use-hotkeys.ts'
import { useLatestCalls } from '../../hooks/use-latest-calls.ts'
import { useToday } from '../../hooks/use-today.ts'
import { useMediaQuery } from '../../hooks/use-media-query.ts'
import { useUntilChanged } from '../../hooks/use-until-changed.ts'
import { useAppearance } from '../../lib/appearance.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { useFields } from '../../lib/fields/use-fields.ts'
import { useLateness } from '../../hooks/use-lateness.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import { useNewRecord } from '../../lib/records/use-new-record.ts'
import type { RecordWriter } from '../../lib/records/create-record-writer.ts'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { useRecordMarks } from '../../lib/records/use-record-marks.ts'
import { useUndoKeys } from '../../lib/records/use-undo-keys.ts'
import { quoteName } from '../../lib/sql.ts'
import { chooseList, useListChoices } from '../../lib/views/list-choice.ts'
import { type SavedView, useView, type ViewType } from '../../lib/views/use-views.ts'
import type { AddressSettings } from '../../lib/views/view-settings.ts'
import type { KindProps } from './kind-props.ts'
import { DataGrid } from './data-grid.tsx'
import { ROW_PX } from './grid-layout.ts'
import type { GridDress } from './grid-dress.ts'
import { recordSteps } from './record-steps.ts'
import type { ColumnActions } from './menu/menu-target.ts'
import type { RecordListProps } from './record-list.tsx'
import { NoRows } from './no-rows.tsx'
import type { WindowsState } from './row-windows-state.ts'
import type { RowWindows } from './row-windows.ts'
import { TableFoot } from './table-foot.tsx'
import { GridToolbar, type GridToolbarProps } from './toolbar/grid-toolbar.tsx'
import { useGridEdits } from './use-grid-edits.ts'
import { usePreload } from './use-preload.ts'
import { type GridView, useGridView } from './use-grid-view.ts'
import { useDress } from './use-dress.ts'
import { useRowWindows } from './use-row-windows.ts'
import { type RowChecks, useRowChecks } from './use-row-checks.ts'
import { type CheckedRows, NO_ROWS, useViewSelection, useViewValue, type ViewSelection } from './use-view-selection.ts'

const noAccess = lateContent(async () => (await import('../../components/records/no-access.tsx')).NoAccess)

const PHONE = '(max-width: 599.98px)'

const viewGone = lateContent<{ readonly table: TableInfo }>(async () => (await import('./view-gone.tsx')).ViewGone)

/** Loaded separately from the grid. A single import keeps the dependencies of each view type out of the grid's scripts. */
const kindView = lateContent<KindProps & { readonly type: Exclude<ViewType, 'grid' | 'form'> }>(
  async () => (await import('./kind-view.tsx')).KindView,
)

/** Loaded separately from the grid, early where it is shown first. */
const recordList = lateContent<RecordListProps>(async () => (await import('./record-list.tsx')).RecordList)
if (matchMedia(PHONE).matches) recordList.preload()

const NO_MARKS: ReadonlyMap<string, RecordMark> = new Map()

/** Props of the form that the app renders in place of the grid. */
export interface OpenForm {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly view: GridView
  readonly saved: SavedView
}

/** Props of the record panel that the app renders beside the grid. */
export interface OpenRecord {
  readonly table: string
  readonly recordId: string
  readonly onClose: () => void
  /** Opens the previous or next record in the view; `undefined` at the ends. */
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
}

/** What users who may change the table's fields have in the header. */
interface FieldTools {
  /** Adds entries to the menus of columns. */
  readonly columnActions: ColumnActions
  readonly onAddField: () => void
  readonly TableMenu: ComponentType<{ readonly table: TableInfo }>
}

/** Render props for other features, which this one does not import. */
interface Renders {
  readonly renderRecord: (record: OpenRecord) => ReactNode
  readonly renderForm: (form: OpenForm) => ReactNode
  readonly fieldTools?: FieldTools
}

/** The records of one table as a grid or list, with the open record beside it. */
export function TableScreen({
  table: name,
  view: viewId,
  ...renders
}: Renders & {
  readonly table: string
  /** The saved view in the URL; `undefined`: all records. */
  readonly view: string | undefined
}): JSX.Element {
  const table = useTableInfo(name)
  const { view: saved, isLoading } = useView(name, viewId)
  useDocumentTitle(saved ? `${saved.name} · ${table?.label ?? name}` : (table?.label ?? name))
  if (table && (viewId === undefined || saved)) return <TableView {...{ table, saved }} {...renders} />
  return (
    <>
      <h1 tabIndex={-1} className="sr-only">
        {table?.label ?? name}
      </h1>
      {table === undefined ? <noAccess.Content table={name} /> : isLoading ? null : <viewGone.Content table={table} />}
    </>
  )
}

function TableView({
  table,
  saved,
  fieldTools,
  ...renders
}: Renders & {
  readonly table: TableInfo
  readonly saved: SavedView | undefined
}): JSX.Element {
  const fields = useFields(table.descriptor, useToday())
  const plain = useGridView(table, fields, saved)
  const type = saved?.type ?? 'grid'
  const { view, dress, isWaiting } = useDress(plain, type === 'grid')
  const { windows, state } = useRowWindows(isWaiting ? undefined : view.query)
  const marks = useRecordMarks(table.name) ?? NO_MARKS
  const writer = useRecordWriter()
  const newRecord = useNewRecord(table, fields, writer, state.rows !== undefined)
  const isPhone = useMediaQuery(PHONE)
  const listChoice = useListChoices((choices) => choices[table.name])
  const isList = type === 'grid' && (listChoice ?? isPhone)
  const selection = useViewSelection(view.key)
  const [checked, checks] = useChecks(view, windows)
  const { Question, onQuestions } = useQuestion()
  const steps = recordSteps(view, windows, selection)
  const hasSynced = useHasSynced()
  const total = useRecordTotal(table, hasSynced)
  useTableFirst(table.name)
  useUndoKeys(writer)
  usePreload((state.rows ?? 0) > 0)
  const calls = useToolbarCalls({ table, view, windows, newRecord })
  const onNew = newRecord && calls.onNew
  useHotkeys(onNew ? { c: onNew } : {})

  const shared = { table, view, windows, state, marks }
  return (
    // In print there is no window to fill.
    <div className="absolute inset-0 flex print:static print:h-screen">
      <section className="flex min-w-0 flex-1 flex-col">
        <GridToolbar
          {...{ table, fields, isPhone, isList, onNew }}
          TableMenu={fieldTools?.TableMenu}
          view={view.shape}
          isGrid={type === 'grid' && !isList}
          hasRows={state.rows !== undefined && (state.rows > 0 || hasSynced)}
          hasRecords={type !== 'form'}
          onListChange={calls.onListChange}
          onToggleGroups={calls.onToggleGroups}
        />
        {hasSynced || (state.rows ?? 0) === 0 ? null : <FirstSyncBar />}
        {saved && type === 'form' ? (
          renders.renderForm({ table, fields, view, saved })
        ) : state.rows === undefined || state.rows === 0 || state.error ? (
          <NoRows {...{ table, view, dress, total, onNew, isList }} error={state.error} count={state.count} />
        ) : type !== 'grid' && type !== 'form' ? (
          <kindView.Content {...shared} {...{ type, fields, writer }} />
        ) : isList ? (
          <recordList.Content
            {...{ ...shared, checked, checks }}
            fields={view.shown}
            all={fields}
            today={view.query.today}
            GroupItem={dress?.GroupItem}
            onOpenRecord={view.openRecord}
          />
        ) : (
          <GridOfView {...shared} {...{ dress, writer, selection, checked, checks, onQuestions, fieldTools }} />
        )}
        <TableFoot
          {...{ table, fields, windows, writer, marks, selection, checked, checks, onQuestions, type }}
          view={view.shape}
          shown={state.count === 0 && !hasSynced ? undefined : state.count}
          total={Math.max(total ?? 0, state.count ?? state.rows ?? 0)}
          hasCells={!isList && type === 'grid'}
          isSearched={view.query.search.trim() !== ''}
        />
      </section>
      {openRecord(table, view, steps, renders.renderRecord)}
      <LateUndoDialog writer={writer} />
      {Question ? <Question /> : null}
    </div>
  )
}

/** Returns the component that asks about operations on many cells, once loaded. */
function useQuestion(): {
  readonly Question: ComponentType | undefined
  readonly onQuestions: (component: ComponentType) => void
} {
  const [Question, setQuestion] = useState<ComponentType>()
  return { Question, ...useLatestCalls({ onQuestions: (component: ComponentType) => setQuestion(() => component) }) }
}

/** Returns the checked records of the view, and functions that check them. */
function useChecks(view: GridView, windows: RowWindows | undefined): readonly [CheckedRows, RowChecks] {
  const checked = useViewValue(checksKey(view), NO_ROWS)
  return [checked, useRowChecks(checked, windows, view.query)]
}

/** Checked records stay checked when the view is sorted or grouped, not when other records match it. */
function checksKey({ saved, query }: GridView): string {
  return JSON.stringify([saved?.id, query.search, query.filter])
}

/** Returns stable callbacks for the toolbar. */
function useToolbarCalls({
  table,
  view,
  windows,
  newRecord,
}: {
  readonly table: TableInfo
  readonly view: GridView
  readonly windows: RowWindows | undefined
  readonly newRecord: ReturnType<typeof useNewRecord>
}): Pick<GridToolbarProps, 'onListChange' | 'onToggleGroups'> & { readonly onNew: () => void } {
  // Pressing again before the new record opens must not create a second one.
  const untilOpen = useUntilChanged(view.record)
  const begin = async (make: () => Promise<string | undefined>): Promise<boolean> => {
    const id = await make()
    if (id !== undefined) view.openRecord(id)
    return id !== undefined
  }
  return useLatestCalls({
    onNew: () => newRecord && untilOpen(() => begin(newRecord)),
    onListChange: (isList: boolean) => chooseList(table.name, isList),
    onToggleGroups: (isExpanded: boolean) => windows?.toggleGroup(isExpanded),
  })
}

/** Renders the record in the URL beside its view. */
function openRecord(
  table: TableInfo,
  view: GridView,
  steps: ReturnType<typeof recordSteps>,
  renderRecord: Renders['renderRecord'],
): ReactNode {
  if (view.record === undefined) return null
  return renderRecord({ table: table.name, recordId: view.record, onClose: () => closeRecord(view), ...steps })
}

/** The grid with this device's settings: its density and frozen columns. */
function GridOfView({
  table,
  view,
  dress,
  windows,
  state,
  marks,
  writer,
  selection,
  checked,
  checks,
  onQuestions,
  fieldTools,
}: {
  readonly table: TableInfo
  readonly view: GridView
  readonly dress: GridDress | undefined
  readonly windows: RowWindows | undefined
  readonly state: WindowsState
  readonly marks: ReadonlyMap<string, RecordMark>
  readonly writer: RecordWriter
  readonly selection: ViewSelection
  readonly checked: CheckedRows
  readonly checks: RowChecks
  readonly onQuestions: (component: ComponentType) => void
  readonly fieldTools: FieldTools | undefined
}): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  const navigate = useNavigate()
  const edits = useGridEdits({ table, shown: view.shown, fields: view.query.fields, windows, writer, onQuestions })
  const isWide = useMediaQuery('(min-width: 900px)')
  const isCoarse = useMediaQuery('(pointer: coarse)')
  const density = useAppearance((appearance) => appearance.density)
  const { fields, today } = view.query
  const lateIn = useLateness(fields, today)
  return (
    <DataGrid
      {...{ table, windows, state, marks, edits, checked, checks, lateIn }}
      fields={view.shown}
      sorts={view.query.sorts}
      rowPx={dress?.rowPx ?? ROW_PX[density ?? (isCoarse ? 'relaxed' : 'standard')]}
      dress={dress}
      onWidths={(text) => view.set('width', text)}
      frozen={dress?.frozen ?? (isWide ? 1 : 0)}
      menu={{ view, fields, columnActions: fieldTools?.columnActions }}
      onAddField={fieldTools?.onAddField}
      foot={{ query: view.query, text: view.settings.aggregate, onChange: (text) => view.set('aggregate', text) }}
      openRecordId={view.record}
      selection={selection}
      onSort={view.setSorts}
      onOpenRecord={view.openRecord}
      onOpenPage={(id) =>
        void navigate({
          to: '/w/$ws/t/$table/r/$record',
          params: { ws, table: table.name, record: id },
          search: ({ q, f, s, g }: AddressSettings & { readonly q?: string | undefined }) => ({
            v: view.saved?.id,
            q,
            f,
            s,
            g,
          }),
        })
      }
      viewKey={view.key}
    />
  )
}

/** Returns the number of the table's records on this device, regardless of the view. `undefined` before the first count; recounted after the first sync. */
function useRecordTotal(table: TableInfo, hasSynced: boolean): number | undefined {
  const moment = hasSynced ? 1 : 0
  const { rows } = useRecords<{ readonly rows: number; readonly moment: number }>(
    `select count(*) as rows, ? as moment from ${quoteName(table.name)}`,
    [moment],
    { throttleMs: 200 },
  )
  return rows[0]?.moment === moment ? rows[0].rows : undefined
}

/** Closes the panel. If the focus was in it, the focus returns to the active cell. */
function closeRecord(view: GridView): void {
  view.openRecord(undefined)
  requestAnimationFrame(() => {
    if (document.activeElement === null || document.activeElement === document.body) {
      document.querySelector<HTMLElement>('[role="row"] [data-active]')?.focus()
    }
  })
}
