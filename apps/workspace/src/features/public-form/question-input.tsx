import type { JSX } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { Select } from '../../components/select.tsx'
import { TextField, type TextFieldProps } from '../../components/text-field.tsx'
import { lateContent } from '../../components/late-content.tsx'
import { pageLocale } from '../../lib/language.ts'
import type { Question } from '../../lib/fields/question.ts'
import { publicFormMessages as words } from '../../messages/public-form.ts'
import { formatterOfQuestion } from './read-answer.ts'

/** Loaded for forms that ask for a place. */
const { Content: LocateButton } = lateContent(async () => (await import('../record/format-input.tsx')).LocateButton)

const TEXT_CHARS_MAX = 10_000

const TYPES: Partial<Record<Question['kind'], Pick<TextFieldProps, 'type' | 'inputMode' | 'autoComplete'>>> = {
  email: { type: 'email', autoComplete: 'email' },
  url: { type: 'url' },
  phone: { type: 'tel', autoComplete: 'tel' },
  integer: { inputMode: 'numeric' },
  number: { inputMode: 'decimal' },
  date: { type: 'date' },
  datetime: { type: 'datetime-local' },
}

/** Asks one question. Values are texts as typed; `true` for a ticked box. */
export function QuestionInput({
  question,
  value,
  problem,
  onChange,
}: {
  readonly question: Question
  readonly value: string | boolean | undefined
  readonly problem: string | undefined
  readonly onChange: (value: string | boolean) => void
}): JSX.Element {
  const { kind, help, choices, field } = question
  const label = question.isRequired ? `${question.label} (${words.required})` : question.label
  const description = help === '' ? undefined : help
  if (kind === 'boolean')
    return (
      <div className="flex flex-col gap-1">
        <Checkbox isSelected={value === true} onChange={onChange}>
          {label}
        </Checkbox>
        {description === undefined ? null : <p className="text-small text-muted">{description}</p>}
        {problem === undefined ? null : <p className="text-small text-danger">{problem}</p>}
      </div>
    )
  const text = typeof value === 'string' ? value : ''
  if (kind === 'choice')
    return (
      <Select
        label={label}
        description={description}
        errorMessage={problem}
        value={text === '' ? null : text}
        options={choices}
        onChange={onChange}
      />
    )
  const example = kind === 'duration' ? words.durationExample : kind === 'location' ? words.locationExample : undefined
  const input = (
    <TextField
      label={label}
      description={description ?? example}
      errorMessage={problem}
      name={field}
      value={text}
      maxLength={TEXT_CHARS_MAX}
      {...(kind === 'long_text' && { rows: 4 })}
      {...TYPES[kind]}
      onChange={onChange}
    />
  )
  if (kind !== 'location') return input
  return (
    <div>
      {input}
      <LocateButton onLocate={(place) => onChange(formatterOfQuestion(question)?.edit(place, pageLocale()) ?? place)} />
    </div>
  )
}
