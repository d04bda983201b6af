import { useRecords } from '@holdfast/react'
import type { AutomationStep } from '@holdfast/protocol'
import type { JSX } from 'react'
import { Select } from '../../components/select.tsx'
import { automationMessages as words } from '../../messages/automations.ts'
import { type AutomatedTable, memberFields } from './draft.ts'

/** To whom a record is assigned, in which field. */
export function AssignFields({
  step,
  table,
  workspace,
  isDisabled,
  onStep,
}: {
  readonly step: Extract<AutomationStep, { kind: 'assign' }>
  readonly table: AutomatedTable
  readonly workspace: string
  readonly isDisabled: boolean
  readonly onStep: (step: AutomationStep) => void
}): JSX.Element {
  const { rows: members } = useRecords<{ readonly id: string; readonly name: string }>(
    "select id, name from hf_members where workspace_id = ? and status = 'active' order by name collate nocase, id",
    [workspace],
  )
  const fields = memberFields(table)
  const label = (name: string): string => fields.find((field) => field.name === name)?.label ?? words.goneField(name)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        label={words.field}
        isLabelHidden
        className="w-44"
        isDisabled={isDisabled}
        value={step.field}
        options={[...new Set([...fields.map(({ name }) => name), step.field])].map((name) => ({
          value: name,
          label: label(name),
        }))}
        onChange={(field) => onStep({ ...step, field })}
      />
      <span className="text-muted">{words.to}</span>
      <Select
        label={words.assignee}
        isLabelHidden
        className="min-w-44 flex-1"
        isDisabled={isDisabled}
        value={step.to}
        options={[
          { value: 'creator', label: words.creator },
          ...fields
            .filter(({ name }) => name !== step.field)
            .map((field) => ({ value: `field:${field.name}`, label: words.memberIn(field.label) })),
          ...members.map(({ id, name }) => ({ value: `member:${id}`, label: name })),
        ]}
        onChange={(to) => onStep({ ...step, to })}
      />
    </div>
  )
}
