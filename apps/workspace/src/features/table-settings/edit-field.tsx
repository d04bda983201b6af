import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { type JSX, useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { fieldLabelClass, TextField } from '../../components/text-field.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'
import { type EditedOption, editFieldChange } from './field-edits.ts'
import { FieldSettingsEditor, useFieldSettings } from './field-settings.tsx'
import { FormatSelect } from './format-settings.tsx'
import { labelProblem, Outcome, useTableChange } from './table-change.tsx'

/** Edits a field's name, options and whether it is required, in one change. */
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
  const [options, setOptions] = useState<readonly EditedOption[]>(() =>
    field.choices.map((choice) => ({ was: choice, text: choice })),
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
            isRequired: field.isRequired,
            format: field.format?.format,
          },
          label,
          options,
          isRequired,
          format,
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

function OptionList({
  options,
  onChange,
}: {
  readonly options: readonly EditedOption[]
  readonly onChange: (options: readonly EditedOption[]) => void
}): JSX.Element {
  const id = useId()
  const move = (place: number, by: number): void => {
    const moved = options[place]
    if (moved) onChange(options.toSpliced(place, 1).toSpliced(place + by, 0, moved))
  }
  return (
    <div role="group" aria-labelledby={id} className="flex flex-col gap-2">
      <span id={id} className={fieldLabelClass}>
        {words.options}
      </span>
      <ul className="flex flex-col gap-2">
        {options.map((option, place) => {
          const name = option.text.trim() === '' ? words.optionAt(place + 1) : option.text
          return (
            // Options have no other identity than their place in the list.
            <li key={option.was ?? `new ${place}`} className="flex items-center gap-1">
              <TextField
                className="min-w-0 flex-1"
                label={words.optionAt(place + 1)}
                isLabelHidden
                maxLength={100}
                value={option.text}
                onChange={(text) => onChange(options.with(place, { ...option, text }))}
              />
              <IconButton
                label={words.up(name)}
                icon={<ArrowUp size={16} aria-hidden />}
                isDisabled={place === 0}
                onPress={() => move(place, -1)}
              />
              <IconButton
                label={words.down(name)}
                icon={<ArrowDown size={16} aria-hidden />}
                isDisabled={place === options.length - 1}
                onPress={() => move(place, 1)}
              />
              <IconButton
                label={words.removeOption(name)}
                icon={<X size={16} aria-hidden />}
                onPress={() => onChange(options.toSpliced(place, 1))}
              />
            </li>
          )
        })}
      </ul>
      <Button
        size="sm"
        className="self-start"
        icon={<Plus size={14} aria-hidden />}
        onPress={() => onChange([...options, { was: undefined, text: '' }])}
      >
        {words.addOption}
      </Button>
    </div>
  )
}
