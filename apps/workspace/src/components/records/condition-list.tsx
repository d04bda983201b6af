import { Plus, X } from 'lucide-react'
import type { JSX } from 'react'
import {
  type Condition,
  CONDITIONS_MAX,
  type Conditions,
  conditionsWords,
  type Joint,
  readConditions,
  startOf,
  writeConditions,
} from '../../lib/fields/condition.ts'
import type { Field } from '../../lib/fields/field.ts'
import { tableRulesMessages as words } from '../../messages/table-rules.ts'
import { Button } from '../button.tsx'
import { IconButton } from '../icon-button.tsx'
import { Select } from '../select.tsx'
import { ConditionFields } from './condition-fields.tsx'

/** The conditions of a rule or automation, edited as a sentence: all or any of them are required. */
export function ConditionList({
  list,
  fields,
  first,
  isDisabled,
  hasToday = true,
  onChange,
}: {
  readonly list: Conditions
  readonly fields: readonly Field[]
  /** Word before the first condition. */
  readonly first?: string
  readonly isDisabled: boolean
  /** Whether days may be counted from today. */
  readonly hasToday?: boolean
  readonly onChange: (list: Conditions) => void
}): JSX.Element {
  const { joint, conditions } = readConditions(list)
  const start = fields.find(({ isSystem }) => !isSystem)
  const set = (next: readonly Condition[], how: Joint = joint): void => onChange(writeConditions(how, next))
  if (joint === 'mixed')
    return (
      <div className="flex items-start gap-2">
        <p className="min-w-0 flex-1 py-1.5">{[first, conditionsWords(list, fields)].filter(Boolean).join(' ')}</p>
        <IconButton
          label={words.removeConditions}
          icon={<X size={16} aria-hidden />}
          isDisabled={isDisabled}
          onPress={() => onChange([])}
        />
      </div>
    )
  return (
    <div className="flex flex-col items-start gap-2">
      {conditions.map((condition, at) => (
        // Conditions have no identity of their own.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={at} className="flex flex-wrap items-center gap-2">
          {at === 0 ? (
            first === undefined ? null : (
              <span className="text-muted">{first}</span>
            )
          ) : at === 1 ? (
            <Select
              label={words.joint}
              isLabelHidden
              className="w-24"
              isDisabled={isDisabled}
              value={joint}
              options={(['all', 'any'] as const).map((value) => ({ value, label: words.joints[value] }))}
              onChange={(next) => set(conditions, next === 'any' ? 'any' : 'all')}
            />
          ) : (
            <span className="text-muted">{words.joints[joint]}</span>
          )}
          <ConditionFields
            condition={condition}
            fields={fields}
            isDisabled={isDisabled}
            hasToday={hasToday}
            onChange={(next) => set(conditions.with(at, next))}
          />
          <IconButton
            label={words.removeCondition}
            icon={<X size={16} aria-hidden />}
            isDisabled={isDisabled}
            onPress={() => set(conditions.toSpliced(at, 1))}
          />
        </div>
      ))}
      {isDisabled || !start || conditions.length >= CONDITIONS_MAX ? null : (
        <Button
          tone="quiet"
          size="sm"
          icon={<Plus size={14} aria-hidden />}
          onPress={() => set([...conditions, startOf(start)])}
        >
          {words.addCondition}
        </Button>
      )}
    </div>
  )
}
