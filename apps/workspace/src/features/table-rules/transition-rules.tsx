import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { LeaveQuestion } from '../../components/leave-question.tsx'
import { NoRows, Section } from '../../components/section.tsx'
import { Select } from '../../components/select.tsx'
import { showToast } from '../../components/toast.tsx'
import { useCall } from '../../hooks/use-call.ts'
import type { Field } from '../../lib/fields/field.ts'
import { choiceWords } from '../../lib/fields/format-value.ts'
import { fieldRulesMessages as words, fieldRulesRefusals } from '../../messages/field-rules.ts'
import { tableRulesMessages } from '../../messages/table-rules.ts'
import type { FieldRulesProps } from './required-rules.tsx'
import {
  matrixOf,
  NEW_RECORD,
  openMatrix,
  type StepMatrix,
  stepsOf,
  type StoredStep,
  withStep,
} from './transition-steps.ts'

/** "State may go from Open to Done": which option of a field may follow which. */
export function TransitionSection({
  steps,
  ...props
}: FieldRulesProps & { readonly steps: readonly StoredStep[] }): JSX.Element {
  const choices = props.fields.filter(({ kind, choices: options }) => kind === 'choice' && options.length > 1)
  const limited = choices.find(({ name }) => steps.some(({ field }) => field === name))
  const [chosen, setChosen] = useState((limited ?? choices[0])?.name)
  const field = choices.find(({ name }) => name === chosen)
  return (
    <Section title={words.steps} description={words.stepsDetail}>
      {field === undefined ? (
        <NoRows>{words.noChoices}</NoRows>
      ) : (
        <>
          {choices.length === 1 ? null : (
            <Select
              label={tableRulesMessages.field}
              className="w-64"
              value={field.name}
              options={choices.map(({ name, label }) => ({ value: name, label }))}
              onChange={setChosen}
            />
          )}
          <Steps
            key={`${field.name} ${JSON.stringify(steps)}`}
            {...props}
            field={field}
            kept={matrixOf(steps, field.name)}
          />
        </>
      )}
    </Section>
  )
}

function Steps({
  workspace,
  table,
  field,
  kept,
  isDisabled,
}: FieldRulesProps & { readonly field: Field; readonly kept: StepMatrix | undefined }): JSX.Element {
  const [matrix, setMatrix] = useState(kept)
  const [saved, setSaved] = useState(kept)
  const call = useCall(fieldRulesRefusals)
  const save = async (next: StepMatrix | undefined): Promise<void> => {
    const args = {
      workspace,
      table_name: table.descriptor.table,
      field: field.column.column ?? field.name,
      steps: next ? stepsOf(next) : [],
    }
    if (!(await call.run('set_transitions', args))) return
    setSaved(next)
    showToast({ text: next ? words.saved : words.removed })
  }
  if (!matrix) {
    return (
      <div className="flex flex-col items-start gap-2">
        <p className="text-muted">{words.anyStep(field.label)}</p>
        <Button isDisabled={isDisabled} onPress={() => setMatrix(openMatrix(field.choices))}>
          {words.limit}
        </Button>
        <CallFailureText failure={call.failure} />
      </div>
    )
  }
  const isChanged = JSON.stringify(stepsOf(matrix)) !== JSON.stringify(kept ? stepsOf(kept) : [])
  return (
    <div className="flex flex-col gap-3">
      <LeaveQuestion isChanged={matrix !== saved} />
      <ul className="flex flex-col divide-y divide-border rounded-md border border-border">
        {[NEW_RECORD, ...field.choices].map((from) => (
          <FromRow
            key={from}
            field={field}
            from={from}
            next={matrix.get(from)}
            isDisabled={isDisabled}
            onChange={(to, isAllowed) => setMatrix(withStep(matrix, from, to, isAllowed))}
          />
        ))}
      </ul>
      <CallFailureText failure={call.failure} />
      <div className="flex flex-wrap gap-2">
        <Button
          tone="primary"
          isDisabled={isDisabled || !isChanged || stepsOf(matrix).length === 0}
          isPending={call.isPending}
          onPress={() => void save(matrix)}
        >
          {isChanged ? tableRulesMessages.save : tableRulesMessages.unchanged}
        </Button>
        <Button
          isDisabled={isDisabled || call.isPending}
          onPress={() => (kept ? void save(undefined) : setMatrix(undefined))}
        >
          {kept ? words.unlimit : words.cancel}
        </Button>
      </div>
    </div>
  )
}

/** What may follow one option. */
function FromRow({
  field,
  from,
  next,
  isDisabled,
  onChange,
}: {
  readonly field: Field
  readonly from: string
  readonly next: ReadonlyMap<string, string | null> | undefined
  readonly isDisabled: boolean
  readonly onChange: (to: string, isAllowed: boolean) => void
}): JSX.Element {
  const text = (choice: string): string => choiceWords(choice, field.choiceWords)
  const name = from === NEW_RECORD ? words.newRecord : words.fromTo(text(from))
  const allowed = next?.size ?? 0
  return (
    <li className="flex flex-col gap-1 px-4 py-2">
      <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <legend className="contents">
          <span className="w-full shrink-0 font-medium [overflow-wrap:anywhere] tablet:w-40">{name}</span>
        </legend>
        {field.choices
          .filter((to) => to !== from)
          .map((to) => {
            const role = next?.get(to)
            return (
              <Checkbox
                key={to}
                isSelected={next?.has(to) === true}
                isDisabled={isDisabled}
                onChange={(isAllowed) => onChange(to, isAllowed)}
              >
                {role == null ? text(to) : words.fromRole(text(to), role)}
              </Checkbox>
            )
          })}
      </fieldset>
      {allowed > 0 ? null : (
        <p className="text-small text-muted">{from === NEW_RECORD ? words.startsAnywhere : words.staysThere}</p>
      )}
    </li>
  )
}
