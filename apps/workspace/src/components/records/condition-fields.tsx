import type { JSX } from 'react'
import { type Condition, isTyped, startOf, valuesOf } from '../../lib/fields/condition.ts'
import type { Field } from '../../lib/fields/field.ts'
import { tableRulesMessages as words } from '../../messages/table-rules.ts'
import { Select } from '../select.tsx'
import { TextField } from '../text-field.tsx'

/** Edits one condition: field, comparison and value. */
export function ConditionFields({
  condition,
  fields,
  isDisabled,
  onChange,
}: {
  readonly condition: Condition
  readonly fields: readonly Field[]
  readonly isDisabled: boolean
  readonly onChange: (condition: Condition) => void
}): JSX.Element {
  const field = fields.find(({ name }) => name === condition.field)
  const known = field ? valuesOf(field) : []
  const isText = field !== undefined && isTyped(field)
  const { values = [] } = condition
  // Several values, as set through the API, are one option.
  const value = values.join('\n')
  const label = words.or(values.map((one) => known.find((option) => option.value === one)?.label ?? one))
  const options = known.some((option) => option.value === value) ? known : [...known, { value, label }]
  const tests = (['one_of', 'none_of', 'empty', 'filled'] as const).filter(
    (test) => known.length > 0 || isText || test === 'empty' || test === 'filled' || test === condition.is,
  )
  const isCompared = condition.is === 'one_of' || condition.is === 'none_of'
  return (
    <>
      <Select
        label={words.field}
        isLabelHidden
        className="w-44"
        isDisabled={isDisabled}
        value={condition.field}
        options={fields
          .filter(({ isSystem }) => !isSystem)
          .map(({ name, label: text }) => ({ value: name, label: text }))}
        onChange={(name) => {
          const next = fields.find((one) => one.name === name)
          if (next) onChange(startOf(next))
        }}
      />
      <Select
        label={words.test}
        isLabelHidden
        className="w-40"
        isDisabled={isDisabled}
        value={condition.is}
        options={tests.map((test) => ({ value: test, label: words.tests[test] }))}
        onChange={(test) => {
          const is = test as Condition['is']
          const first = known[0]?.value ?? ''
          onChange(
            is === 'empty' || is === 'filled'
              ? { field: condition.field, is }
              : { field: condition.field, is, values: values.length > 0 ? values : [first] },
          )
        }}
      />
      {!isCompared ? null : isText && known.length === 0 && values.length < 2 ? (
        <TextField
          label={words.value}
          isLabelHidden
          className="w-44"
          isDisabled={isDisabled}
          value={value}
          placeholder={words.value}
          onChange={(text) => onChange({ ...condition, values: [text] })}
        />
      ) : (
        <Select
          label={words.value}
          isLabelHidden
          className="w-44"
          isDisabled={isDisabled}
          value={value}
          options={options}
          onChange={(next) => onChange({ ...condition, values: next.split('\n') })}
        />
      )}
    </>
  )
}
