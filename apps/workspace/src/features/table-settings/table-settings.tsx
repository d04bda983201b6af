import { type JSX, useState } from 'react'
import { Disclosure } from '../../components/disclosure.tsx'
import { FormatSettingsField } from '../../components/fields/format-settings-field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import { linkTables } from '../../lib/data/link-tables.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { DEFAULT_SETTINGS } from '../../lib/fields/new-kinds.ts'
import { useTables, useWordedSchema } from '../../lib/data/use-tables.tsx'
import type { Field } from '../../lib/fields/field.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'
import { ConvertField } from './convert-field.tsx'
import { DeletedFields } from './deleted-fields.tsx'
import { EditField } from './edit-field.tsx'
import { addFieldChange, type ComputedKind, isComputedKind, kindGroups } from './field-kinds.ts'
import { KindSelect } from './kind-select.tsx'
import { labelProblem, Outcome, useTableChange } from './table-change.tsx'

/** What the user is about to change. */
export type FieldTask =
  | { readonly kind: 'add' }
  | { readonly kind: 'edit'; readonly field: Field }
  | { readonly kind: 'convert'; readonly field: Field }
  | { readonly kind: 'delete'; readonly field: Field }

export interface TableSettingsProps {
  readonly table: TableInfo
  readonly task: FieldTask
  /** Goes on in the dialog of computed fields. */
  readonly onCompute: (start: { readonly kind: ComputedKind; readonly label: string }) => void
  readonly onClose: () => void
}

/** The dialog of a change to a table's fields. */
export function TableSettings(props: TableSettingsProps): JSX.Element {
  const { task } = props
  if (task.kind === 'add') return <AddField {...props} />
  if (task.kind === 'convert') return <ConvertField {...props} field={task.field} />
  return task.kind === 'edit' ? (
    <EditField {...props} field={task.field} />
  ) : (
    <DeleteField {...props} field={task.field} />
  )
}

function AddField({ table, onCompute, onClose }: TableSettingsProps): JSX.Element {
  const of = useTableChange({ table, onClose })
  const tables = linkTables(useTables(), useWordedSchema())
  const [label, setLabel] = useState('')
  const [kind, setKind] = useState('text')
  const [lines, setLines] = useState('')
  const [settings, setSettings] = useState(DEFAULT_SETTINGS)
  const [hasTried, setTried] = useState(false)
  const choices = [...new Set(lines.split('\n').map((line) => line.trim()))].filter((line) => line !== '')
  const lacksChoices = kind === 'choice' && choices.length === 0
  const taken = new Set(table.descriptor.columns.map(({ name, column }) => column ?? name))
  const problem = labelProblem(label)
  const change =
    problem === undefined && !lacksChoices ? addFieldChange({ label, kind, choices, settings }, taken) : undefined
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
      <KindSelect
        label={words.kind}
        groups={kindGroups(tables)}
        value={kind}
        onChange={(next) => (isComputedKind(next) ? onCompute({ kind: next, label }) : setKind(next))}
      />
      {kind === 'choice' ? (
        <TextField
          label={words.choices}
          rows={4}
          value={lines}
          onChange={setLines}
          errorMessage={hasTried && lacksChoices ? words.choicesMissing : undefined}
        />
      ) : null}
      <FormatSettingsField kind={kind} settings={settings} onChange={setSettings} />
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

function DeleteField({ table, field, onClose }: TableSettingsProps & { readonly field: Field }): JSX.Element {
  const of = useTableChange({ table, onClose })
  const change = { kind: 'delete_field', field: field.column.column ?? field.name }
  return (
    <FormDialog
      title={words.deleteTitle(field.label)}
      submitLabel={words.delete}
      isPending={of.call.isPending}
      isDisabled={!of.isOnline}
      onSubmit={async () => void (await of.run(change, words.deleted(field.label)))}
      onClose={onClose}
    >
      <p>{words.deleteDetail}</p>
      <Outcome change={change} of={of} />
    </FormDialog>
  )
}
