import { Plus, Trash2, X } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Select } from '../../components/select.tsx'
import type { Field } from '../../lib/fields/field.ts'
import { tableRulesMessages as words } from '../../messages/table-rules.ts'
import { type Command, type Condition, type Rule, scopesOf, scopeValueOf, valuesOf } from './access-rules.ts'

/** Conditions of a rule; the server has the same limit. */
const CONDITIONS_MAX = 4

export interface RuleRowProps {
  readonly command: Command
  readonly rule: Rule
  readonly fields: readonly Field[]
  readonly isDisabled: boolean
  readonly onChange: (rule: Rule) => void
  readonly onRemove: () => void
}

/** One rule, edited as a sentence. */
export function RuleRow({ command, rule, fields, isDisabled, onChange, onRemove }: RuleRowProps): JSX.Element {
  const scopes = scopesOf(command, fields)
  const { when = [] } = rule
  const [first] = fields.filter(({ isSystem }) => !isSystem)
  const change = (at: number, next: Condition | undefined): void =>
    onChange({ ...rule, when: when.flatMap((one, index) => (index === at ? (next ?? []) : one)) })
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label={words.who}
          isLabelHidden
          className="w-52"
          isDisabled={isDisabled}
          value={rule.role}
          options={(['viewer', 'commenter', 'editor'] as const).map((value) => ({ value, label: words.roles[value] }))}
          onChange={(role) => onChange({ ...rule, role: role as Rule['role'] })}
        />
        <span className="text-muted">{words.can[command]}</span>
        <Select
          label={words.records}
          isLabelHidden
          className="min-w-56 flex-1"
          isDisabled={isDisabled}
          value={scopeValueOf(rule)}
          options={scopes}
          onChange={(value) => {
            const { scope, field, ...others } = rule
            onChange({
              ...others,
              ...(scopes.find((one) => one.value === value)?.rule ?? { scope, ...(field && { field }) }),
            })
          }}
        />
        <IconButton
          label={words.removeRule}
          icon={<Trash2 size={16} aria-hidden />}
          isDisabled={isDisabled}
          onPress={onRemove}
        />
      </div>
      {when.map((condition, at) => (
        // Conditions have no identity of their own.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={at} className="flex flex-wrap items-center gap-2 pl-4">
          <span className="text-muted">{at === 0 ? words.when : words.and}</span>
          <ConditionFields
            condition={condition}
            fields={fields}
            isDisabled={isDisabled}
            onChange={(next) => change(at, next)}
          />
          <IconButton
            label={words.removeCondition}
            icon={<X size={16} aria-hidden />}
            isDisabled={isDisabled}
            onPress={() => change(at, undefined)}
          />
        </div>
      ))}
      {isDisabled || !first || when.length >= CONDITIONS_MAX ? null : (
        <div className="pl-4">
          <Button
            tone="quiet"
            size="sm"
            icon={<Plus size={14} aria-hidden />}
            onPress={() => onChange({ ...rule, when: [...when, startOf(first)] })}
          >
            {words.addCondition}
          </Button>
        </div>
      )}
    </li>
  )
}

function ConditionFields({
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
  const { values = [] } = condition
  // Several values, as set through the API, are one option.
  const value = values.join('\n')
  const label = words.or(values.map((one) => known.find((option) => option.value === one)?.label ?? one))
  const options = known.some((option) => option.value === value) ? known : [...known, { value, label }]
  const tests = (['one_of', 'none_of', 'empty', 'filled'] as const).filter(
    (test) => known.length > 0 || test === 'empty' || test === 'filled' || test === condition.is,
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
      {isCompared ? (
        <Select
          label={words.value}
          isLabelHidden
          className="w-44"
          isDisabled={isDisabled}
          value={value}
          options={options}
          onChange={(next) => onChange({ ...condition, values: next.split('\n') })}
        />
      ) : null}
    </>
  )
}

function startOf(field: Field): Condition {
  const [first] = valuesOf(field)
  return first ? { field: field.name, is: 'one_of', values: [first.value] } : { field: field.name, is: 'filled' }
}
