import type { JSX } from 'react'
import { ConditionList } from '../../components/records/condition-list.tsx'
import type { Conditions } from '../../lib/fields/condition.ts'
import { automationMessages as words } from '../../messages/automations.ts'
import type { PartProps } from './when-part.tsx'

/** Which records the automation is for. */
export function IfPart({ config, table, isDisabled, onChange }: PartProps): JSX.Element {
  const { if: conditions = [], ...rest } = config
  const set = (next: Conditions): void => onChange({ ...rest, ...(next.length > 0 && { if: next }) })
  return (
    <div className="flex flex-col items-start gap-2">
      {conditions.length === 0 ? <p className="py-1.5 text-muted">{words.everyRecord}</p> : null}
      <ConditionList list={conditions} fields={table.fields} isDisabled={isDisabled} onChange={set} />
    </div>
  )
}
