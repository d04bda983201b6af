import { useRecords } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { ChoiceChip } from '../fields/choice-chip.tsx'
import { OptionPicker } from '../fields/option-picker.tsx'
import { Checkbox } from '../checkbox.tsx'
import { Popover, PopoverTrigger } from '../popover.tsx'
import { TextField } from '../text-field.tsx'
import { useSearchText } from '../../hooks/use-search-text.ts'
import type { Field } from '../../lib/fields/field.ts'
import { numberText } from '../../lib/fields/field-value.ts'
import { isNumeric } from '../../lib/fields/field-kind.ts'
import { choiceWords, toEditText } from '../../lib/fields/format-value.ts'
import { parseValue } from '../../lib/fields/parse-value.ts'
import { parseNumberText } from '../../lib/fields/numbers.ts'
import { useLinkOptions } from '../../lib/records/use-link-options.ts'
import { quoteName } from '../../lib/sql.ts'
import { fieldMessages } from '../../messages/fields.ts'
import { filterMessages as words } from '../../messages/filter.ts'
import { DayValue } from './day-value.tsx'
import { type Condition, needsValue } from '../../lib/filters/filter.ts'
import { pageLocale } from '../../lib/language.ts'

const VALUE_DEBOUNCE_MS = 250

interface ConditionValueProps {
  readonly condition: Condition
  readonly field: Field
  readonly onChange: (condition: Condition) => void
}

/** The value that a field is compared with. */
export function ConditionValue(props: ConditionValueProps): JSX.Element {
  const { condition, field } = props
  if (!needsValue(condition.operator)) return <span className="flex-1" />
  if (condition.operator === 'in' || condition.operator === 'notin') return <ChoiceValues {...props} />
  if (field.kind === 'link' && (condition.operator === 'is' || condition.operator === 'isnt'))
    return <LinkValue {...props} />
  if (field.kind === 'date' || field.kind === 'datetime') {
    const { onChange } = props
    return (
      <DayValue
        key={`${condition.field}/${condition.operator}`}
        value={condition.values[0] ?? ''}
        onChange={(value) => onChange({ ...condition, values: value === '' ? [] : [value] })}
      />
    )
  }
  return <TextValue key={`${condition.field}/${condition.operator}`} {...props} />
}

function ChoiceValues({ condition, field, onChange }: ConditionValueProps): JSX.Element {
  const choices = [...field.choices, ...condition.values.filter((value) => !field.choices.includes(value))]
  return (
    <fieldset className="flex min-w-40 flex-1 flex-wrap gap-x-3 gap-y-1 self-center">
      <legend className="sr-only">{words.value}</legend>
      {choices.map((choice) => (
        <Checkbox
          key={choice}
          aria-label={choiceWords(choice, field.choiceWords)}
          isSelected={condition.values.includes(choice)}
          onChange={(isOn) =>
            onChange({
              ...condition,
              // In the order of the choices, so that equal filters have equal URLs.
              values: choices.filter((one) => (one === choice ? isOn : condition.values.includes(one))),
            })
          }
        >
          <ChoiceChip choice={choice} among={field.choices} words={field.choiceWords} />
        </Checkbox>
      ))}
    </fieldset>
  )
}

function LinkValue({ condition, field, onChange }: ConditionValueProps): JSX.Element {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const options = useLinkOptions(field.link, text)
  const id = condition.values[0] ?? ''
  const title = field.link?.titleColumn
  const { rows } = useRecords<{ readonly label: string | number | null }>(
    field.link && id !== ''
      ? `select ${title === undefined ? 'id' : quoteName(title)} as label from ${quoteName(field.link.table)} where id = ?`
      : '',
    [id],
  )
  const label = id === '' ? words.chooseValue : String(rows[0]?.label ?? id.slice(0, 8))
  return (
    <PopoverTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button
        aria-label={`${words.value}: ${label}`}
        className="h-9 min-w-40 flex-1 truncate rounded-sm border border-control bg-bg px-3 text-left text-body data-hovered:border-muted coarse:h-11"
      >
        {label}
      </Button>
      <Popover label={field.label} placement="bottom start" className="w-72 overflow-hidden">
        <OptionPicker
          label={field.label}
          options={options}
          selected={id === '' ? null : id}
          text={text}
          onTextChange={setText}
          onSelect={(next) => {
            onChange({ ...condition, values: [next] })
            setOpen(false)
          }}
        />
      </Popover>
    </PopoverTrigger>
  )
}

/** Typed text applies after a pause, and only if it is a valid value. */
function TextValue({ condition, field, onChange }: ConditionValueProps): JSX.Element {
  const [text, setText, reportNow] = useSearchText(
    condition.values[0] ?? '',
    (read) => onChange({ ...condition, values: read === '' ? [] : [read] }),
    { pauseMs: VALUE_DEBOUNCE_MS, read: (typed) => readValue(field, typed), show: (value) => shownValue(field, value) },
  )
  const read = readValue(field, text)
  return (
    <TextField
      label={words.value}
      isLabelHidden
      className="min-w-40 flex-1"
      value={text}
      onChange={setText}
      // Escape or a press outside closes the filter, and the field with it.
      onBlur={reportNow}
      onKeyDown={(event) => {
        if (event.key === 'Escape') reportNow()
        event.continuePropagation()
      }}
      errorMessage={read === undefined ? fieldMessages.number : undefined}
    />
  )
}

/** Returns the displayed text of a filter value. Numbers follow the locale, or they would be parsed differently. */
function shownValue(field: Field, value: string): string {
  if (field.format) return toEditText(field, value)
  return isNumeric(field.kind) ? numberText(value) : value
}

/** Parses the text of a filter value; `undefined` if it is invalid for the field. */
function readValue(field: Field, text: string): string | undefined {
  const typed = text.trim()
  if (typed === '') return ''
  if (isNumeric(field.kind) && field.format) {
    const parsed = parseValue(field, typed)
    return parsed.isValid ? String(parsed.value) : undefined
  }
  if (isNumeric(field.kind)) return parseNumberText(typed, pageLocale())
  return typed
}
