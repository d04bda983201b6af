import { Plus, X } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { ConditionFields } from '../../components/records/condition-fields.tsx'
import { type Condition, startOf } from '../../lib/fields/condition.ts'
import type { Field } from '../../lib/fields/field.ts'
import { tableRulesMessages as words } from '../../messages/table-rules.ts'

/** Conditions of a rule; the server has the same limit. */
const CONDITIONS_MAX = 4

/** The conditions of a rule, edited as a sentence. */
export function ConditionList({
  when,
  fields,
  isDisabled,
  onChange,
}: {
  readonly when: readonly Condition[]
  readonly fields: readonly Field[]
  readonly isDisabled: boolean
  readonly onChange: (when: readonly Condition[]) => void
}): JSX.Element {
  const [first] = fields.filter(({ isSystem }) => !isSystem)
  const change = (at: number, next: Condition | undefined): void =>
    onChange(when.flatMap((one, index) => (index === at ? (next ?? []) : one)))
  return (
    <div className="flex flex-col gap-2">
      {when.map((condition, at) => (
        // Conditions have no identity of their own.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={at} className="flex flex-wrap items-center gap-2">
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
        <Button
          tone="quiet"
          size="sm"
          className="self-start"
          icon={<Plus size={14} aria-hidden />}
          onPress={() => onChange([...when, startOf(first)])}
        >
          {words.addCondition}
        </Button>
      )}
    </div>
  )
}
