import { type JSX, useState } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { choiceWords } from '../../lib/fields/format-value.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'
import { type EditedOption, editFieldChange } from './field-edits.ts'
import { FieldSettingsEditor, useFieldSettings } from './field-settings.tsx'
import { FormatSelect } from './format-settings.tsx'
import { OptionList } from './option-list.tsx'
import { labelProblem, Outcome, useTableChange } from './table-change.tsx'
import { settingOf, UseSelect } from './use-select.tsx'

/** Edits a field's name, options with their colours, and whether it is required, in one change. */
export function EditField({
  table,
  field,
  onClose,
}: {
  readonly table: TableInfo
  readonly field: Field
  readonly onClose: () => void
}): JSX.Element {
  const of = useTableChange({ table, onClose })
  const [label, setLabel] = useState(field.label)
  const [isRequired, setRequired] = useState(field.isRequired)
  const [format, setFormat] = useState(field.format?.format)
  const [use, setUse] = useState(() => settingOf(field).use)
  const [options, setOptions] = useState<readonly EditedOption[]>(() =>
    field.choices.map((choice) => {
      const shown = choiceWords(choice, field.choiceWords)
      return { was: choice, shown, text: shown, colour: field.choiceWords.colours?.get(choice) }
    }),
  )
  const hasOptions = field.choices.length > 0
  const lacksOptions = hasOptions && options.every(({ text }) => text.trim() === '')
  const problem = labelProblem(label)
  const settings = useFieldSettings(table, field, of.isOnline)
  const change =
    problem === undefined && !lacksOptions
      ? editFieldChange({
          more: settings.change,
          column: field.column.column ?? field.name,
          before: {
            label: field.label,
            choices: field.choices,
            colours: field.choiceWords.colours,
            isRequired: field.isRequired,
            format: field.format?.format,
            ...settingOf(field),
          },
          label,
          options,
          isRequired,
          format,
          use,
        })
      : undefined
  return (
    <FormDialog
      title={words.edit}
      submitLabel={words.save}
      isPending={of.call.isPending}
      isDisabled={!of.isOnline || problem !== undefined || lacksOptions}
      onSubmit={async () => {
        if (change) await of.run(change, words.edited(label.trim()))
        else onClose()
      }}
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
      {hasOptions ? <OptionList options={options} onChange={setOptions} /> : null}
      {lacksOptions ? <p className="text-small text-danger">{words.choicesMissing}</p> : null}
      <FormatSelect field={field} format={format} onChange={setFormat} />
      <UseSelect {...{ table, field, use, options }} onChange={setUse} onOptions={setOptions} />
      {/* The database empties a link when its record is deleted. */}
      {field.kind === 'link' || !field.isEditable ? null : (
        <Checkbox isSelected={isRequired} onChange={setRequired}>
          {words.required}
        </Checkbox>
      )}
      <FieldSettingsEditor field={field} edited={settings} />
      <Outcome change={change} of={of} />
    </FormDialog>
  )
}
