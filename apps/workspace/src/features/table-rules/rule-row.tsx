import { Trash2 } from 'lucide-react'
import type { JSX } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import { ConditionList } from '../../components/records/condition-list.tsx'
import { Select } from '../../components/select.tsx'
import type { Field } from '../../lib/fields/field.ts'
import { tableRulesMessages as words } from '../../messages/table-rules.ts'
import { type Command, type Rule, scopesOf, scopeValueOf } from './access-rules.ts'

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
      <div className="pl-4">
        <ConditionList
          list={when}
          first={words.when}
          fields={fields}
          isDisabled={isDisabled}
          onChange={(next) => onChange({ ...rule, when: next })}
        />
      </div>
    </li>
  )
}
