import type { AutomationStep } from '@holdfast/protocol'
import { Plus, Trash2 } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Select } from '../../components/select.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { automationMessages as words } from '../../messages/automations.ts'
import { AssignFields } from './assign-fields.tsx'
import { type AutomatedTable, isWithoutRecord, memberFields, newStep } from './draft.ts'
import { FunctionFields, MailFields, WebhookFields } from './outside-steps.tsx'
import { RecipientsField } from './recipients-field.tsx'
import { TemplateField } from './template-field.tsx'
import { ValuesEditor } from './values-editor.tsx'
import type { PartProps } from './when-part.tsx'

/** The server has the same limit. */
const STEPS_MAX = 10
const KINDS = ['update', 'assign', 'create', 'notify', 'mail', 'webhook', 'function'] as const
/** Steps that need a record. */
const OF_RECORD: ReadonlySet<AutomationStep['kind']> = new Set(['update', 'assign'])

/** What the automation does, in order. */
export function DoPart({
  workspace,
  automation,
  ...given
}: PartProps & {
  readonly workspace: string
  /** Id of the automation, once it is saved. */
  readonly automation: string | undefined
}): JSX.Element {
  const hasNone = isWithoutRecord(given.config)
  const part = { ...given, isWithoutRecord: hasNone, table: hasNone ? { ...given.table, fields: [] } : given.table }
  const { config, isDisabled, onChange } = part
  const kinds = KINDS.filter(
    (kind) => !(hasNone && OF_RECORD.has(kind)) && (kind !== 'assign' || memberFields(given.table).length > 0),
  )
  const set = (steps: readonly AutomationStep[]): void => onChange({ ...config, do: steps })
  return (
    <div className="flex flex-col items-start gap-3">
      <ol className="flex w-full flex-col gap-3">
        {config.do.map((step, at) => (
          // Steps have no identity of their own.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={at} className="flex flex-col gap-3 rounded-md border border-border p-3">
            <div className="flex items-center gap-2">
              <Select
                label={words.stepNumber(at + 1)}
                isLabelHidden
                className="min-w-0 flex-1"
                isDisabled={isDisabled}
                value={step.kind}
                options={kinds.map((value) => ({
                  value,
                  label: words.steps[value],
                }))}
                onChange={(kind) =>
                  set(
                    config.do.map((one, index) =>
                      index === at ? newStep(kind as AutomationStep['kind'], given.table, hasNone) : one,
                    ),
                  )
                }
              />
              {config.do.length > 1 ? (
                <IconButton
                  label={words.removeStep}
                  icon={<Trash2 size={16} aria-hidden />}
                  isDisabled={isDisabled}
                  onPress={() => set(config.do.filter((_, index) => index !== at))}
                />
              ) : null}
            </div>
            <StepFields
              {...part}
              step={step}
              workspace={workspace}
              automation={automation}
              onStep={(next) => set(config.do.map((one, index) => (index === at ? next : one)))}
            />
          </li>
        ))}
      </ol>
      {isDisabled || config.do.length >= STEPS_MAX ? null : (
        <Button
          tone="quiet"
          size="sm"
          icon={<Plus size={14} aria-hidden />}
          onPress={() => set([...config.do, newStep('notify', given.table, hasNone)])}
        >
          {words.addStep}
        </Button>
      )}
    </div>
  )
}

function StepFields({
  step,
  table,
  tables,
  workspace,
  automation,
  isWithoutRecord: hasNone,
  isDisabled,
  onStep,
}: PartProps & {
  readonly step: AutomationStep
  readonly workspace: string
  readonly automation: string | undefined
  readonly isWithoutRecord: boolean
  readonly onStep: (step: AutomationStep) => void
}): JSX.Element {
  const fields = { table, isDisabled, onStep }
  switch (step.kind) {
    case 'notify':
      return <NotifyFields {...fields} step={step} workspace={workspace} hasRecord={!hasNone} />
    case 'assign':
      return <AssignFields {...fields} step={step} workspace={workspace} />
    case 'mail':
      return <MailFields {...fields} step={step} workspace={workspace} hasRecord={!hasNone} />
    case 'webhook':
      return <WebhookFields {...fields} step={step} automation={automation} />
    case 'function':
      return <FunctionFields {...fields} step={step} />
  }
  const targetOf = (name: string): AutomatedTable | undefined => tables.find((one) => one.name === name)
  const target = step.kind === 'create' ? targetOf(step.table) : table
  return (
    <>
      {step.kind === 'create' ? (
        <Select
          label={words.table}
          className="w-full tablet:w-64"
          isDisabled={isDisabled}
          value={step.table}
          options={tables.map(({ name, label }) => ({ value: name, label }))}
          onChange={(name) => {
            const next = targetOf(name)
            if (next && name !== step.table) onStep(newStep('create', next))
          }}
        />
      ) : null}
      {target ? (
        <ValuesEditor
          set={step.set}
          target={target}
          table={table}
          isDisabled={isDisabled}
          onChange={(set) => onStep({ ...step, set })}
        />
      ) : null}
    </>
  )
}

/** Who is notified, and of what. */
function NotifyFields({
  step,
  table,
  workspace,
  hasRecord,
  isDisabled,
  onStep,
}: {
  readonly step: Extract<AutomationStep, { kind: 'notify' }>
  readonly table: AutomatedTable
  readonly workspace: string
  readonly hasRecord: boolean
  readonly isDisabled: boolean
  readonly onStep: (step: AutomationStep) => void
}): JSX.Element {
  const hasPush = useBackend().config.pushKey !== undefined
  return (
    <>
      <RecipientsField
        to={step.to}
        table={table}
        workspace={workspace}
        hasRecord={hasRecord}
        isDisabled={isDisabled}
        onChange={(to) => onStep({ ...step, to })}
      />
      <TemplateField
        label={words.message}
        value={step.text}
        table={table}
        rows={2}
        isDisabled={isDisabled}
        onChange={(text) => onStep({ ...step, text })}
      />
      {hasPush ? (
        <Checkbox
          isDisabled={isDisabled}
          isSelected={step.push === true}
          onChange={(isSelected) => {
            const { push: _replaced, ...rest } = step
            onStep(isSelected ? { ...rest, push: true } : rest)
          }}
        >
          {words.push}
        </Checkbox>
      ) : null}
    </>
  )
}
