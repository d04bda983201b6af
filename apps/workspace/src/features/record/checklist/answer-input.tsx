import { type JSX, useId, useRef } from 'react'
import { SignKey } from '../../../components/sign-key.tsx'
import { inputClass } from '../../../components/text-field.tsx'
import { cx } from '../../../lib/cx.ts'
import { type Question, isTrue, outOfRange } from '../../../lib/checklists/questions.ts'
import { answerWords, toRaw, type TypedValue } from '../../../lib/checklists/typed-value.ts'
import type { FieldValue } from '../../../lib/fields/field.ts'
import { formatNumberText } from '../../../lib/fields/numbers.ts'
import { pageLocale } from '../../../lib/language.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { BigChoices } from './big-choices.tsx'

export interface AnswerInputProps {
  readonly question: Question
  readonly raw: FieldValue | undefined
  readonly typed: TypedValue
  /** The previous answer at the same place. */
  readonly last: FieldValue | undefined
  readonly isReadOnly: boolean
  readonly onChange: (value: FieldValue) => void
  /** Called on Enter in a single-line field. */
  readonly onEnter: () => void
}

const NOT_APPLICABLE = 'n/a'

/** The input of one question, depending on its kind. Photos have their own component. */
export function AnswerInput(props: AnswerInputProps): JSX.Element {
  const { question, raw, last, isReadOnly, onChange } = props
  const lastNote = last === undefined ? null : <LastValue {...props} last={last} />
  if (question.kind === 'yes_no') {
    const value = raw === undefined ? null : raw === null ? NOT_APPLICABLE : isTrue(raw) ? 'yes' : 'no'
    return (
      <>
        <BigChoices
          label={question.prompt}
          isLabelHidden
          isReadOnly={isReadOnly}
          value={value}
          options={[
            { value: 'yes', label: words.yes },
            { value: 'no', label: words.no },
            { value: NOT_APPLICABLE, label: words.notApplicable, name: words.notApplicableLong },
          ]}
          onChange={(next) => onChange(next === NOT_APPLICABLE ? null : Number(next === 'yes'))}
        />
        {lastNote}
      </>
    )
  }
  if (question.kind === 'choice') {
    return (
      <>
        <BigChoices
          label={question.prompt}
          isLabelHidden
          isReadOnly={isReadOnly}
          value={typeof raw === 'string' ? raw : null}
          options={question.choices.map((choice) => ({ value: choice, label: choice }))}
          onChange={onChange}
        />
        {lastNote}
      </>
    )
  }
  if (question.kind === 'date') return <Day {...props} />
  return question.kind === 'reading' ? <Reading {...props} /> : <LongText {...props} />
}

/** A number with the previous value beside it. Shows whether it is below or above the accepted range. */
function Reading(props: AnswerInputProps): JSX.Element {
  const { question, raw, typed, last, isReadOnly, onChange, onEnter } = props
  const id = useId()
  const inputRef = useRef<HTMLInputElement>(null)
  const { min, max, unit } = question
  const side = typed.kind === 'value' ? outOfRange(question, typed.value) : undefined
  const shown = (limit: number | undefined): string | undefined =>
    limit === undefined ? undefined : formatNumberText(String(limit), pageLocale())
  const problem = typed.kind === 'invalid' ? words.number : undefined
  const mark =
    side === 'above' ? words.above(shown(max) ?? '') : side === 'below' ? words.below(shown(min) ?? '') : undefined
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <div className="relative min-w-24 flex-1">
          <input
            ref={inputRef}
            id={id}
            aria-label={unit === undefined ? question.prompt : `${question.prompt} (${unit})`}
            aria-describedby={`${id}-notes`}
            {...(problem === undefined ? {} : { 'aria-invalid': true })}
            inputMode="decimal"
            enterKeyHint="next"
            autoComplete="off"
            readOnly={isReadOnly}
            value={String(raw ?? '')}
            onChange={({ target }) => onChange(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.nativeEvent.isComposing) onEnter()
            }}
            className={cx(
              inputClass,
              'h-14 text-display tabular-nums coarse:pr-12',
              side !== undefined && 'border-warning',
            )}
          />
          {isReadOnly ? null : (
            <div className="absolute inset-y-0 right-1 flex items-center">
              <SignKey label={question.prompt} inputRef={inputRef} value={String(raw ?? '')} onChange={onChange} />
            </div>
          )}
        </div>
        {unit === undefined ? null : <span className="min-w-8 text-heading text-muted">{unit}</span>}
        {last === undefined ? null : <LastValue {...props} last={last} />}
      </div>
      <div id={`${id}-notes`} className="flex flex-col gap-1 text-body">
        {min === undefined && max === undefined ? null : (
          <p className="text-muted">{words.range(shown(min), shown(max), unit === undefined ? '' : ` ${unit}`)}</p>
        )}
        <p role="status" className={cx('min-h-6 font-medium', problem === undefined ? 'text-warning' : 'text-danger')}>
          {problem ?? (mark === undefined ? null : `▲ ${mark}`)}
        </p>
      </div>
    </div>
  )
}

function Day(props: AnswerInputProps): JSX.Element {
  const { question, raw, last, isReadOnly, onChange } = props
  return (
    <div className="flex items-center gap-2">
      <input
        type="date"
        aria-label={question.prompt}
        readOnly={isReadOnly}
        value={String(raw ?? '')}
        onChange={({ target }) => onChange(target.value)}
        className={cx(inputClass, 'h-14 max-w-64 text-heading')}
      />
      {last === undefined ? null : <LastValue {...props} last={last} />}
    </div>
  )
}

function LongText(props: AnswerInputProps): JSX.Element {
  const { question, raw, last, isReadOnly, onChange } = props
  return (
    <>
      <textarea
        aria-label={question.prompt}
        rows={4}
        maxLength={10_000}
        readOnly={isReadOnly}
        value={String(raw ?? '')}
        onChange={({ target }) => onChange(target.value)}
        className={cx(inputClass, 'min-h-28 resize-y py-3')}
      />
      {last === undefined ? null : <LastValue {...props} last={last} />}
    </>
  )
}

/** Offers the previous value for reuse. It takes a press, because the user must check the value. */
function LastValue({
  question,
  last,
  isReadOnly,
  onChange,
}: AnswerInputProps & { readonly last: FieldValue }): JSX.Element {
  const value = answerWords(question, last)
  return (
    <button
      type="button"
      disabled={isReadOnly}
      aria-label={words.useLast(value)}
      className="min-h-14 max-w-full min-w-0 shrink self-start truncate rounded-md px-3 text-body text-muted hover:bg-hover"
      onClick={() => onChange(toRaw(question, last))}
    >
      {words.last(value)}
    </button>
  )
}
