import { Plus, X } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { ConditionFields } from '../../components/records/condition-fields.tsx'
import { type Condition, startOf } from '../../lib/fields/condition.ts'
import { automationMessages as words } from '../../messages/automations.ts'
import type { PartProps } from './when-part.tsx'

/** The server has the same limit. */
const CONDITIONS_MAX = 4

/** Which records the automation is for. */
export function IfPart({ config, table, isDisabled, onChange }: PartProps): JSX.Element {
  const { if: conditions = [], ...rest } = config
  const [first] = table.fields
  const set = (next: readonly Condition[]): void => onChange({ ...rest, ...(next.length > 0 && { if: next }) })
  return (
    <div className="flex flex-col items-start gap-2">
      {conditions.length === 0 ? <p className="py-1.5 text-muted">{words.everyRecord}</p> : null}
      {conditions.map((condition, at) => (
        // Conditions have no identity of their own.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={at} className="flex flex-wrap items-center gap-2">
          {at === 0 ? null : <span className="text-muted">{words.and}</span>}
          <ConditionFields
            condition={condition}
            fields={table.fields}
            isDisabled={isDisabled}
            onChange={(next) => set(conditions.map((one, index) => (index === at ? next : one)))}
          />
          <IconButton
            label={words.removeCondition}
            icon={<X size={16} aria-hidden />}
            isDisabled={isDisabled}
            onPress={() => set(conditions.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {isDisabled || !first || conditions.length >= CONDITIONS_MAX ? null : (
        <Button
          tone="quiet"
          size="sm"
          icon={<Plus size={14} aria-hidden />}
          onPress={() => set([...conditions, startOf(first)])}
        >
          {words.addCondition}
        </Button>
      )}
    </div>
  )
}
