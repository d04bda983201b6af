import { useNavigate, useParams } from '@tanstack/react-router'
import { type JSX, useEffect, useEffectEvent, useState } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useCall } from '../../hooks/use-call.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'
import { labelProblem, Outcome, useTableChange } from './table-change.tsx'

export type TableTask = 'rename' | 'duplicate' | 'delete'

interface WholeTableProps {
  readonly table: TableInfo
  readonly onClose: () => void
}

/** The dialog of a change to a whole table. */
export function WholeTable({ task, ...props }: WholeTableProps & { readonly task: TableTask }): JSX.Element {
  if (task === 'rename') return <RenameTable {...props} />
  return task === 'duplicate' ? <DuplicateTable {...props} /> : <DeleteTable {...props} />
}

function RenameTable({ table, onClose }: WholeTableProps): JSX.Element {
  const of = useTableChange({ table, onClose })
  const [label, setLabel] = useState(table.label)
  const problem = labelProblem(label, words.tableNameMissing)
  const change =
    problem === undefined && label.trim() !== table.label ? { kind: 'rename_table', label: label.trim() } : undefined
  return (
    <FormDialog
      title={words.renameTable}
      submitLabel={words.save}
      isPending={of.call.isPending}
      isDisabled={!of.isOnline || problem !== undefined}
      onSubmit={async () => {
        if (change) await of.run(change, words.edited(label.trim()))
        else onClose()
      }}
      onClose={onClose}
    >
      <TextField
        label={words.tableName}
        value={label}
        onChange={setLabel}
        description={words.renameTableDetail}
        errorMessage={problem}
        // The dialog opens for this field.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
      />
      <Outcome change={change} of={of} />
    </FormDialog>
  )
}

function DuplicateTable({ table, onClose }: WholeTableProps): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  const navigate = useNavigate()
  const of = useTableChange({ table, onClose })
  const [label, setLabel] = useState(() => words.copyOf(table.label).slice(0, 40))
  const [records, setRecords] = useState(false)
  const problem = labelProblem(label, words.tableNameMissing)
  const change = problem === undefined ? { kind: 'duplicate_table', label: label.trim(), records } : undefined
  return (
    <FormDialog
      title={words.duplicateTitle(table.label)}
      submitLabel={words.duplicate}
      isPending={of.call.isPending}
      isDisabled={!of.isOnline || problem !== undefined}
      onSubmit={async () => {
        const made = change && (await of.run(change, words.added(label.trim())))
        if (made?.table !== undefined) await navigate({ to: '/w/$ws/t/$table', params: { ws, table: made.table } })
      }}
      onClose={onClose}
    >
      <TextField
        label={words.tableName}
        value={label}
        onChange={setLabel}
        errorMessage={problem}
        // The dialog opens for this field.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
      />
      <p className="text-muted">{words.duplicateDetail}</p>
      <Checkbox isSelected={records} onChange={setRecords}>
        {words.withRecords}
      </Checkbox>
      <Outcome change={change} of={of} />
    </FormDialog>
  )
}

const DELETE = { kind: 'delete_table' }

function DeleteTable({ table, onClose }: WholeTableProps): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  const navigate = useNavigate()
  const of = useTableChange({ table, onClose })
  const { links, parts } = useDeletedWith(table, of.isOnline) ?? {}
  return (
    <FormDialog
      title={words.deleteTitle(table.label)}
      submitLabel={words.deleteTable}
      isPending={of.call.isPending}
      isDisabled={!of.isOnline || links === undefined}
      onSubmit={async () => {
        if (await of.run(DELETE, words.deleted(table.label))) await navigate({ to: '/w/$ws', params: { ws } })
      }}
      onClose={onClose}
    >
      <p>{words.deleteTableDetail}</p>
      <GoingAlong title={words.checklistsGo} lines={parts} />
      <GoingAlong title={words.linksGo} lines={links} />
      <Outcome change={DELETE} of={of} />
    </FormDialog>
  )
}

function GoingAlong({
  title,
  lines = [],
}: {
  readonly title: string
  readonly lines: readonly string[] | undefined
}): JSX.Element | null {
  if (lines.length === 0) return null
  return (
    <div>
      <p>{title}</p>
      <ul className="list-disc pl-5">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}

interface DeletedWith {
  /** Fields of other tables. */
  readonly links: readonly string[]
  /** Tables of its checklists. */
  readonly parts: readonly string[]
}

/** Returns what is deleted with a table; `undefined` until the server has answered. */
function useDeletedWith(table: TableInfo, isOnline: boolean): DeletedWith | undefined {
  const { run } = useCall()
  const [found, setFound] = useState<DeletedWith>()
  const ask = useEffectEvent(async () => {
    const of = { workspace: table.madeIn, table_name: table.descriptor.table }
    const links = await run<readonly { of_table: string; label: string }[]>('table_links', of)
    const parts = await run<readonly { label: string }[]>('tables_deleted_with', of)
    // Without an answer, the preview of the statements says why.
    setFound({
      links: links?.result.map(({ of_table: ofTable, label }) => words.fieldOf(ofTable, label)) ?? [],
      parts: parts?.result.map(({ label }) => label) ?? [],
    })
  })
  // The server knows links of tables that are not on this device.
  useEffect(() => {
    if (!isOnline) return
    const timer = setTimeout(() => void ask())
    return () => clearTimeout(timer)
  }, [isOnline])
  return found
}
