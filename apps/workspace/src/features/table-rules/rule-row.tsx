import { Plus, Trash2, X } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { ConditionFields } from '../../components/records/condition-fields.tsx'
import { Select } from '../../components/select.tsx'
import { type Condition, startOf } from '../../lib/fields/condition.ts'
import type { Field } from '../../lib/fields/field.ts'
import { tableRulesMessages as words } from '../../messages/table-rules.ts'
import { type Command, type Rule, scopesOf, scopeValueOf } from './access-rules.ts'

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
