import { type JSX, useState } from 'react'
import { OptionPicker, type PickerOption } from '../../components/fields/option-picker.tsx'
import { ChoiceChip } from '../../components/fields/choice-chip.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { choiceWords } from '../../lib/fields/format-value.ts'
import { isEditedInLines } from '../../lib/fields/field-kind.ts'
import { parseValue } from '../../lib/fields/parse-value.ts'
import { useLinkOptions } from '../../lib/records/use-link-options.ts'
import { fieldMessages } from '../../messages/fields.ts'
import { filterMessages } from '../../messages/filter.ts'
import { selectionMessages as words } from '../../messages/selection.ts'

/** Id of the option that clears a field. */
const EMPTY = ''

/** A value to set, with the title if it is a link. */
interface Chosen {
  readonly value: FieldValue
  readonly label?: string
}

/** Asks for a field and its new value. With one field, only for the value. */
export function EditField({
  title,
  fields,
  onClose,
  onSubmit,
}: {
  readonly title: string
  /** Never empty. */
  readonly fields: readonly Field[]
  readonly onClose: () => void
  readonly onSubmit: (field: Field, value: FieldValue, label: string | undefined) => void
}): JSX.Element {
  const [name, setName] = useState(fields[0]?.name)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<Chosen>()
  const [problem, setProblem] = useState<string>()
  const field = fields.find((one) => one.name === name)
  const isPicked = field !== undefined && optionsOf(field) !== 'none'
  const submit = (): void => {
    if (!field) return
    if (isPicked) {
      if (chosen) onSubmit(field, chosen.value, chosen.label)
      else setProblem(words.chooseValue)
      return
    }
    const parsed = parseValue(field, text)
    if (parsed.isValid) onSubmit(field, parsed.value, undefined)
    else setProblem(parsed.message)
  }
  return (
    <FormDialog title={title} submitLabel={words.apply} isPending={false} onClose={onClose} onSubmit={submit}>
      {fields.length > 1 ? (
        <Select
          label={filterMessages.field}
          value={name ?? ''}
          options={fields.map((one) => ({ value: one.name, label: one.label }))}
          onChange={(next) => {
            setName(next)
            setText('')
            setChosen(undefined)
            setProblem(undefined)
          }}
        />
      ) : null}
      {field && isPicked ? (
        <PickedValue key={field.name} field={field} chosen={chosen} onChoose={setChosen} />
      ) : field ? (
        <TextField
          key={field.name}
          label={fields.length > 1 ? filterMessages.value : field.label}
          value={text}
          {...(isEditedInLines(field.kind, text) ? { rows: 4 } : {})}
          autoFocus={fields.length === 1}
          {...(problem === undefined ? {} : { errorMessage: problem })}
          onChange={(next) => {
            setText(next)
            setProblem(undefined)
          }}
        />
      ) : null}
      {isPicked && problem !== undefined && !chosen ? (
        <p role="alert" className="text-small text-danger">
          {problem}
        </p>
      ) : null}
    </FormDialog>
  )
}

/** Options of a choice or a checkbox; `linked`: records, found by typing; `none`: the value is typed. */
function optionsOf(field: Field): readonly PickerOption[] | 'linked' | 'none' {
  if (field.kind === 'link' && field.link) return 'linked'
  if (field.kind === 'choice') {
    return field.choices.map((choice) => ({
      id: choice,
      label: choiceWords(choice, field.choiceWords),
      content: <ChoiceChip choice={choice} among={field.choices} words={field.choiceWords} />,
    }))
  }
  if (field.kind !== 'boolean') return 'none'
  return [
    { id: '1', label: fieldMessages.yes },
    { id: '0', label: fieldMessages.no },
  ]
}

function PickedValue({
  field,
  chosen,
  onChoose,
}: {
  readonly field: Field
  readonly chosen: Chosen | undefined
  readonly onChoose: (chosen: Chosen) => void
}): JSX.Element {
  const [text, setText] = useState('')
  const links = useLinkOptions(field.kind === 'link' ? field.link : undefined, text)
  const own = optionsOf(field)
  const typed = text.trim().toLowerCase()
  const options = typeof own === 'string' ? links : own.filter(({ label }) => label.toLowerCase().includes(typed))
  const clear = field.column.nullable && text === '' ? [{ id: EMPTY, label: fieldMessages.empty }] : []
  return (
    <div className="overflow-hidden rounded-md border border-border">
      <OptionPicker
        label={field.label}
        options={options && [...options, ...clear]}
        selected={chosen === undefined ? null : chosen.value === null ? EMPTY : String(chosen.value)}
        text={text}
        onTextChange={setText}
        onSelect={(id) => {
          const label = options?.find((option) => option.id === id)?.label
          const value = id === EMPTY ? null : field.kind === 'boolean' ? Number(id) : id
          onChoose(label === undefined ? { value } : { value, label })
        }}
      />
    </div>
  )
}
