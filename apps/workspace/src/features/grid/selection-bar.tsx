import { useLocalDatabase } from '@holdfast/react'
import { Download, ListChecks, PencilLine, Trash2, UserRound, X } from 'lucide-react'
import { type ComponentType, type JSX, useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { useChecklists } from '../../lib/checklists/use-checklists.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useWordedSchema } from '../../lib/data/use-tables.tsx'
import { type Field, type FieldValue, isPerson } from '../../lib/fields/field.ts'
import type { RecordWriter } from '../../lib/records/create-record-writer.ts'
import { selectionMessages as words } from '../../messages/selection.ts'
import { AddToChecklist } from './add-to-checklist.tsx'
import { createBulkEdits, Questions } from './bulk-edits.ts'
import { EditField } from './edit-field.tsx'
import { ExportForm } from './export/export-form.tsx'
import type { BulkEdits, ChosenRows } from './grid-edits.ts'
import { readRowIds } from './read-row-ids.ts'
import type { RowWindows } from './row-windows.ts'
import { type ChosenChecklist, type StartableChecklist, startableFor } from './start-checklists.ts'
import { cellsIn, rangeOf, selectCell } from './selection.ts'
import type { ViewShape } from './use-grid-view.ts'
import type { RowChecks } from './use-row-checks.ts'
import { type CheckedRows, NO_ROWS, useSelected, type ViewSelection } from './use-view-selection.ts'

/** Deleting more records than this asks first. */
const DELETES_UNASKED_MAX = 20

export interface SelectionBarProps {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly view: ViewShape
  readonly windows: RowWindows | undefined
  readonly writer: RecordWriter
  readonly selection: ViewSelection
  readonly checked: CheckedRows
  readonly checks: Pick<RowChecks, 'checkAll'>
  /** Number of records in the view. */
  readonly shown: number | undefined
  readonly onQuestions: (component: ComponentType) => void
}

type Open =
  | { readonly kind: 'edit'; readonly field: Field | undefined }
  | { readonly kind: 'export'; readonly ids: readonly string[] }
  | { readonly kind: 'delete' }
  | { readonly kind: 'checklist'; readonly startable: readonly StartableChecklist[] }

const ICON = { size: 15, 'aria-hidden': true } as const

/** The actions for the checked records, or for those of the selected cells if none are checked. */
export function SelectionBar(props: SelectionBarProps): JSX.Element {
  const { table, fields, view, windows, selection, checked, onQuestions } = props
  const ids = useSelected(checked, (rows) => rows)
  const range = rangeOf(useSelected(selection, (selected) => selected))
  const isByCells = ids.size === 0
  const count = isByCells ? range.lastRow - range.firstRow + 1 : ids.size
  const chosen: ChosenRows = isByCells ? range : { ids }
  const { database } = useLocalDatabase()
  const edits = useBulkEdits(props)
  const busy = useBusy()
  const { isBusy } = busy
  const run = (task: () => Promise<void>): Promise<void> => {
    onQuestions(Questions)
    return busy.run(task)
  }
  const [open, setOpen] = useState<Open>()
  const { update: canUpdate, delete: canDelete } = table.descriptor.can
  const editable = canUpdate ? fields.filter(({ isEditable }) => isEditable) : []
  const checklists = useChecklists()
  const schema = useWordedSchema()
  const startable = useMemo(() => startableFor(table.name, checklists ?? [], schema), [table.name, checklists, schema])
  const clear = (): void => {
    checked.set(NO_ROWS)
    selection.set(selectCell(selection.get().active, { rows: Infinity, columns: Infinity, page: 0 }))
  }
  const remove = async (): Promise<void> => {
    await edits.deleteRows(chosen)
    checked.set(NO_ROWS)
  }
  const startExport = async (): Promise<void> => {
    const cells = [range.firstRow, range.lastRow] as const
    const own = isByCells ? await readRowIds({ database, windows, query: view.query }, cells) : [...ids]
    setOpen({ kind: 'export', ids: own })
  }
  return (
    <div
      role="toolbar"
      aria-label={words.selection}
      className="flex h-8 shrink-0 items-center gap-1 overflow-x-auto border-t border-accent/50 bg-accent-soft px-2 text-small tabular-nums coarse:h-13"
    >
      <IconButton label={words.clear} icon={<X size={16} aria-hidden />} size="sm" onPress={clear} />
      <p role="status" className="mr-2 font-medium whitespace-nowrap">
        {isByCells ? words.cells(cellsIn(range), count, table.noun, table.many) : words.records(count)}
      </p>
      {isBusy ? <Spinner size={14} /> : null}
      <SelectAll {...props} checkedCount={ids.size} />
      <SelectionActions
        {...{ editable, startable, canDelete, isBusy }}
        onOpen={setOpen}
        onExport={() => void run(startExport)}
        onDelete={() => (count > DELETES_UNASKED_MAX ? setOpen({ kind: 'delete' }) : void run(remove))}
      />
      {open ? (
        <SelectionDialog
          {...{ table, fields, view, open, count, editable }}
          onClose={() => setOpen(undefined)}
          onEdit={(field, value, label) => void run(() => edits.setField(chosen, field, value, label))}
          onDelete={() => void run(remove)}
          onStart={(start) => void run(() => edits.startChecklist(chosen, start))}
        />
      ) : null}
    </div>
  )
}

/** The buttons of the actions that the user may take. */
function SelectionActions({
  editable,
  startable,
  canDelete,
  isBusy,
  onOpen,
  onExport,
  onDelete,
}: {
  readonly editable: readonly Field[]
  readonly startable: readonly StartableChecklist[]
  readonly canDelete: boolean
  readonly isBusy: boolean
  readonly onOpen: (open: Open) => void
  readonly onExport: () => void
  readonly onDelete: () => void
}): JSX.Element {
  const person = editable.find((field) => isPerson(field))
  const actions = [
    {
      label: words.editField,
      icon: <PencilLine {...ICON} />,
      isOffered: editable.length > 0,
      onPress: () => onOpen({ kind: 'edit', field: undefined }),
    },
    {
      label: words.assign,
      icon: <UserRound {...ICON} />,
      isOffered: person !== undefined,
      onPress: () => onOpen({ kind: 'edit', field: person }),
    },
    { label: words.export, icon: <Download {...ICON} />, isOffered: true, onPress: onExport },
    {
      label: words.addToChecklist,
      icon: <ListChecks {...ICON} />,
      isOffered: startable.length > 0,
      onPress: () => onOpen({ kind: 'checklist', startable }),
    },
    {
      label: words.delete,
      icon: <Trash2 {...ICON} />,
      isOffered: canDelete,
      onPress: onDelete,
    },
  ]
  return (
    <>
      {actions
        .filter(({ isOffered }) => isOffered)
        .map(({ label, icon, onPress }) => (
          <Action key={label} {...{ label, icon, onPress }} isDisabled={isBusy} />
        ))}
    </>
  )
}

/** Selects the records of the view that are not selected. */
function SelectAll({
  shown,
  checks,
  checkedCount,
}: Pick<SelectionBarProps, 'shown' | 'checks'> & { readonly checkedCount: number }): JSX.Element | null {
  if (shown === undefined || checkedCount === 0 || checkedCount >= shown) return null
  return (
    <Button size="sm" tone="quiet" onPress={checks.checkAll}>
      {words.all(shown)}
    </Button>
  )
}

/** The dialog of an action. */
function SelectionDialog({
  table,
  fields,
  view,
  open,
  count,
  editable,
  onClose,
  onEdit,
  onDelete,
  onStart,
}: Pick<SelectionBarProps, 'table' | 'fields' | 'view'> & {
  readonly open: Open
  readonly count: number
  readonly editable: readonly Field[]
  readonly onClose: () => void
  readonly onEdit: (field: Field, value: FieldValue, label: string | undefined) => void
  readonly onDelete: () => void
  readonly onStart: (start: ChosenChecklist) => void
}): JSX.Element {
  const { noun, many } = table
  switch (open.kind) {
    case 'edit':
      return (
        <EditField
          title={open.field ? words.assignTo(count, noun, many) : words.editOf(count, noun, many)}
          fields={open.field ? [open.field] : editable}
          onClose={onClose}
          onSubmit={(...edit) => {
            onClose()
            onEdit(...edit)
          }}
        />
      )
    case 'export':
      return (
        <Dialog title={words.exportOf(open.ids.length, noun, many)} isOpen onClose={onClose}>
          <ExportForm {...{ table, fields, view }} ids={open.ids} />
        </Dialog>
      )
    case 'delete':
      return (
        <ConfirmDialog
          title={words.deleteTitle(count, noun, many)}
          isOpen
          isDanger
          confirmLabel={words.delete}
          onClose={onClose}
          onConfirm={() => {
            onClose()
            onDelete()
          }}
        >
          {words.deleteDetail}
        </ConfirmDialog>
      )
    case 'checklist':
      return (
        <AddToChecklist
          title={words.addOf(count, noun, many)}
          startable={open.startable}
          onClose={onClose}
          onSubmit={(start) => {
            onClose()
            onStart(start)
          }}
        />
      )
    default:
      return open satisfies never
  }
}

function Action({
  icon,
  label,
  isDisabled,
  onPress,
}: {
  readonly icon: JSX.Element
  readonly label: string
  readonly isDisabled: boolean
  readonly onPress: () => void
}): JSX.Element {
  return (
    <Button size="sm" tone="quiet" icon={icon} aria-label={label} isDisabled={isDisabled} onPress={onPress}>
      <span className="max-tablet:sr-only">{label}</span>
    </Button>
  )
}

function useBulkEdits({ table, view, fields, windows, writer, onQuestions }: SelectionBarProps): BulkEdits {
  const local = useLocalDatabase()
  const edits = useMemo(
    () => createBulkEdits(local, { table, shown: view.shown, fields, windows, writer, onQuestions }),
    [local, table, view.shown, fields, windows, writer, onQuestions],
  )
  return edits
}

/** Runs one action at a time. */
function useBusy(): { readonly isBusy: boolean; readonly run: (task: () => Promise<void>) => Promise<void> } {
  const [isBusy, setBusy] = useState(false)
  return {
    isBusy,
    async run(task) {
      setBusy(true)
      try {
        await task()
      } finally {
        setBusy(false)
      }
    },
  }
}
