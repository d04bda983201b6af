import { type JSX, useState } from 'react'
import type { TableChange } from '@holdfast/protocol'
import { FormDialog, Select, TextField } from '@holdfast/workspace'
import type { Answers, ChangeField, ChangeForm } from './change-forms.ts'
import { PlanDialog } from './plan-dialog.tsx'

/** Asks for the details of a change, then shows its SQL. */
export function ChangeDialog({
  form,
  onClose,
}: {
  readonly form: ChangeForm
  readonly onClose: () => void
}): JSX.Element {
  const [answers, setAnswers] = useState<Answers>(() =>
    Object.fromEntries(form.fields.map(({ name, initial = '' }) => [name, initial])),
  )
  const [change, setChange] = useState<TableChange | undefined>(() =>
    form.fields.length === 0 ? form.build({}) : undefined,
  )
  if (change)
    return (
      <PlanDialog
        title={form.title}
        change={change}
        onBack={form.fields.length === 0 ? onClose : () => setChange(undefined)}
        onDone={onClose}
      />
    )
  const isMissing = form.fields.some(({ name, isOptional }) => !isOptional && answers[name]?.trim() === '')
  return (
    <FormDialog
      title={form.title}
      submitLabel="Show SQL"
      size="md"
      isPending={false}
      isDisabled={isMissing}
      onSubmit={() => setChange(form.build(answers))}
      onClose={onClose}
    >
      {form.fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={answers[field.name] ?? ''}
          onChange={(value) => setAnswers((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
    </FormDialog>
  )
}

function Field({
  field: { label, help, options },
  value,
  onChange,
}: {
  readonly field: ChangeField
  readonly value: string
  readonly onChange: (value: string) => void
}): JSX.Element {
  const described = help === undefined ? {} : { description: help }
  return options ? (
    <Select
      label={label}
      options={options.map((one) => ({ value: one, label: one }))}
      value={value}
      onChange={onChange}
      {...described}
    />
  ) : (
    <TextField label={label} value={value} onChange={onChange} spellCheck={false} autoComplete="off" {...described} />
  )
}
