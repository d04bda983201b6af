import { useLocalDatabase } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { SqlPreview } from '../../components/records/sql-preview.tsx'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { type Call, useCall } from '../../hooks/use-call.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { linkTables } from '../../lib/data/link-tables.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useTables, useWordedSchema } from '../../lib/data/use-tables.tsx'
import type { Field } from '../../lib/fields/field.ts'
import { newTableMessages, newTableRefusals } from '../../messages/new-table.ts'
import { tableSettingsMessages as words, tableSettingsRefusals } from '../../messages/table-settings.ts'
import { DeletedFields } from './deleted-fields.tsx'
import { addFieldChange, fieldKinds } from './field-kinds.ts'

/** What the user is about to change. */
export type FieldTask =
  | { readonly kind: 'add' }
  | { readonly kind: 'rename'; readonly field: Field }
  | { readonly kind: 'delete'; readonly field: Field }

export interface TableSettingsProps {
  readonly table: TableInfo
  readonly task: FieldTask
  readonly onClose: () => void
}

/** The dialog of a change to a table's fields. */
export function TableSettings(props: TableSettingsProps): JSX.Element {
  const { task } = props
  if (task.kind === 'add') return <AddField {...props} />
  return task.kind === 'rename' ? (
    <RenameField {...props} field={task.field} />
  ) : (
    <DeleteField {...props} field={task.field} />
  )
}

interface TableChange {
  readonly call: Call
  readonly refusals: Readonly<Record<string, string>>
  readonly isOnline: boolean
  /** Returns the arguments of the server's functions. */
  args(change: object): object
  /** Changes the table and this device's schema. */
  run(change: object, done: string): Promise<void>
}

function useTableChange({ table, onClose }: Pick<TableSettingsProps, 'table' | 'onClose'>): TableChange {
  const { refreshSchema } = useLocalDatabase()
  const refusals = { ...newTableRefusals, ...tableSettingsRefusals }
  const call = useCall(refusals)
  const args = (change: object): object => ({ workspace: table.madeIn, table_name: table.descriptor.table, change })
  return {
    call,
    refusals,
    isOnline: useOnline(),
    args,
    async run(change, done) {
      if (!(await call.run('change_table', args(change)))) return
      showToast({ text: done })
      onClose()
      // Otherwise the change arrives with the next check of the schema.
      await refreshSchema().catch((error: unknown) => console.warn('The schema did not come.', error))
    },
  }
}

/** The statements of a change, why it is impossible now, and why the server refused it. */
function Outcome({ change, of }: { readonly change: object | undefined; readonly of: TableChange }): JSX.Element {
  return (
    <>
      {change === undefined ? null : (
        <Disclosure title={words.details}>
          <SqlPreview
            name="change_table_sql"
            args={of.args(change)}
            refusals={of.refusals}
            isPaused={of.call.isPending}
          />
        </Disclosure>
      )}
      {of.isOnline ? null : <Notice tone="info" role="status" title={words.offline} />}
      <CallFailureText failure={of.call.failure} />
    </>
  )
}

const isLabel = (text: string): boolean =>
  text.trim() !== '' && !/[.\p{Cc}]/u.test(text) && [...text.trim()].length <= 40

/** Returns what is wrong with a label. */
function labelProblem(label: string): string | undefined {
  if (label.trim() === '') return words.nameMissing
  return isLabel(label) ? undefined : newTableMessages.labelForm
}

function AddField({ table, onClose }: TableSettingsProps): JSX.Element {
  const of = useTableChange({ table, onClose })
  const tables = linkTables(useTables(), useWordedSchema())
  const [label, setLabel] = useState('')
  const [kind, setKind] = useState('text')
  const [lines, setLines] = useState('')
  const [hasTried, setTried] = useState(false)
  const choices = [...new Set(lines.split('\n').map((line) => line.trim()))].filter((line) => line !== '')
  const lacksChoices = kind === 'choice' && choices.length === 0
  const taken = new Set(table.descriptor.columns.map(({ name, column }) => column ?? name))
  const problem = labelProblem(label)
  const change = problem === undefined && !lacksChoices ? addFieldChange({ label, kind, choices }, taken) : undefined
  return (
    <FormDialog
      title={words.add}
      submitLabel={words.add}
      isPending={of.call.isPending}
      isDisabled={!of.isOnline}
      onSubmit={async () => {
        setTried(true)
        if (change) await of.run(change, words.added(label.trim()))
      }}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        value={label}
        onChange={setLabel}
        errorMessage={hasTried ? problem : undefined}
        // The dialog opens for this field.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
      />
      <Select label={words.kind} options={fieldKinds(tables)} value={kind} onChange={setKind} />
      {kind === 'choice' ? (
        <TextField
          label={words.choices}
          rows={4}
          value={lines}
          onChange={setLines}
          errorMessage={hasTried && lacksChoices ? words.choicesMissing : undefined}
        />
      ) : null}
      <Outcome change={change} of={of} />
      <Disclosure title={words.deletedFields}>
        <DeletedFields
          args={{ workspace: table.madeIn, table_name: table.descriptor.table }}
          refusals={of.refusals}
          isPending={of.call.isPending}
          onRestore={(field) =>
            void of.run({ kind: 'restore_field', field: field.field_name }, words.restored(field.label))
          }
        />
      </Disclosure>
    </FormDialog>
  )
}

function RenameField({ table, field, onClose }: TableSettingsProps & { readonly field: Field }): JSX.Element {
  const of = useTableChange({ table, onClose })
  const [label, setLabel] = useState(field.label)
  const problem = labelProblem(label)
  const change = { kind: 'rename_field', field: field.column.column ?? field.name, label: label.trim() }
  return (
    <FormDialog
      title={words.rename}
      submitLabel={words.save}
      isPending={of.call.isPending}
      isDisabled={!of.isOnline || problem !== undefined}
      onSubmit={() => of.run(change, words.renamed(label.trim()))}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        value={label}
        onChange={setLabel}
        description={words.renameDetail}
        errorMessage={problem}
        // The dialog opens for this field.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
      />
      <Outcome change={problem === undefined ? change : undefined} of={of} />
    </FormDialog>
  )
}

function DeleteField({ table, field, onClose }: TableSettingsProps & { readonly field: Field }): JSX.Element {
  const of = useTableChange({ table, onClose })
  const change = { kind: 'delete_field', field: field.column.column ?? field.name }
  return (
    <FormDialog
      title={words.deleteTitle(field.label)}
      submitLabel={words.delete}
      isPending={of.call.isPending}
      isDisabled={!of.isOnline}
      onSubmit={() => of.run(change, words.deleted(field.label))}
      onClose={onClose}
    >
      <p>{words.deleteDetail}</p>
      <Outcome change={change} of={of} />
    </FormDialog>
  )
}
