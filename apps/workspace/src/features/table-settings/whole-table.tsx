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
  const links = useLinks(table, of.isOnline)
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
      {links === undefined || links.length === 0 ? null : (
        <div>
          <p>{words.linksGo}</p>
          <ul className="list-disc pl-5">
            {links.map(({ of_table: ofTable, label }) => (
              <li key={`${ofTable} ${label}`}>{words.fieldOf(ofTable, label)}</li>
            ))}
          </ul>
        </div>
      )}
      <Outcome change={DELETE} of={of} />
    </FormDialog>
  )
}

/** A field of another table that links to this one. */
interface TableLink {
  readonly of_table: string
  readonly label: string
}

/** Returns the fields that are deleted with a table; `undefined` until the server has answered. */
function useLinks(table: TableInfo, isOnline: boolean): readonly TableLink[] | undefined {
  const { run } = useCall()
  const [links, setLinks] = useState<readonly TableLink[]>()
  const ask = useEffectEvent(async () => {
    const asked = await run<readonly TableLink[]>('table_links', {
      workspace: table.madeIn,
      table_name: table.descriptor.table,
    })
    // Without an answer, the preview of the statements says why.
    setLinks(asked?.result ?? [])
  })
  // The server knows links of tables that are not on this device.
  useEffect(() => {
    if (!isOnline) return
    const timer = setTimeout(() => void ask())
    return () => clearTimeout(timer)
  }, [isOnline])
  return links
}
