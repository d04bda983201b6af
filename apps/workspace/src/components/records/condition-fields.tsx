import type { JSX } from 'react'
import { type Condition, startOf, testsOf, testWords, typedKindOf, valuesOf } from '../../lib/fields/condition.ts'
import type { Field } from '../../lib/fields/field.ts'
import { tableRulesMessages as words } from '../../messages/table-rules.ts'
import { Select } from '../select.tsx'
import { ConditionValue } from './condition-value.tsx'

/** Edits one condition: field, comparison and value. */
export function ConditionFields({
  condition,
  fields,
  isDisabled,
  hasToday,
  onChange,
}: {
  readonly condition: Condition
  readonly fields: readonly Field[]
  readonly isDisabled: boolean
  /** Whether days may be counted from today. */
  readonly hasToday: boolean
  readonly onChange: (condition: Condition) => void
}): JSX.Element {
  const field = fields.find(({ name }) => name === condition.field)
  const known = field ? valuesOf(field) : []
  const { values = [] } = condition
  // Several values, as set through the API, are one option.
  const value = values.join('\n')
  const label = words.or(values.map((one) => known.find((option) => option.value === one)?.label ?? one))
  const options = known.some((option) => option.value === value) ? known : [...known, { value, label }]
  const tests = [...new Set([...(field ? testsOf(field) : (['empty', 'filled'] as const)), condition.is])]
  const isTyped = field !== undefined && known.length === 0 && values.length < 2 && typedKindOf(field) !== undefined
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
        options={tests.map((test) => ({ value: test, label: testWords(test, field) }))}
        onChange={(test) => onChange(withTest(condition, test as Condition['is'], known[0]?.value ?? ''))}
      />
      {condition.is === 'empty' || condition.is === 'filled' ? null : isTyped ? (
        <ConditionValue
          key={`${condition.field} ${condition.is}`}
          condition={condition}
          field={field}
          isDisabled={isDisabled}
          hasToday={hasToday && condition.is !== 'one_of' && condition.is !== 'none_of'}
          onChange={onChange}
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

/** Days counted from today are only before or after another. */
function withTest({ field, values = [], zone }: Condition, is: Condition['is'], first: string): Condition {
  if (is === 'empty' || is === 'filled') return { field, is }
  const isListed = is === 'one_of' || is === 'none_of'
  const kept = isListed ? values.filter((value) => !value.startsWith('today')) : values.slice(0, 1)
  return { field, is, values: kept.length > 0 ? kept : [first], ...(zone !== undefined && !isListed && { zone }) }
}
