import { Camera, PenLine } from 'lucide-react'
import { Fragment, type JSX, type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { hasFiles } from '../../lib/checklists/checklist.ts'
import { needsFinding, type Question } from '../../lib/checklists/questions.ts'
import { answerWords, typedValue, type TypedValue } from '../../lib/checklists/typed-value.ts'
import type { FieldValue } from '../../lib/fields/field.ts'
import { builderMessages as words } from '../../messages/checklist-builder.ts'
import { checklistMessages } from '../../messages/checklist.ts'
import { type ChecklistDraft, choicesOf, type DraftQuestion, questionsIn } from './builder-draft.ts'
import { toNumber } from './to-number.ts'

/** Renders the input of a question. */
export type RenderAnswer = (props: {
  readonly question: Question
  readonly raw: FieldValue | undefined
  readonly typed: TypedValue
  readonly onChange: (value: FieldValue) => void
}) => ReactNode

/** The checklist as on a phone. Inputs work, so that limits and findings can be tried. */
export function Preview({
  draft,
  renderAnswer,
}: {
  readonly draft: ChecklistDraft
  readonly renderAnswer: RenderAnswer
}): JSX.Element {
  const [given, setGiven] = useState<Readonly<Record<string, FieldValue>>>({})
  const questions = questionsIn(draft)
  return (
    <div className="sticky top-4 mx-auto flex max-h-[calc(100dvh-9rem)] w-full max-w-[22rem] flex-col overflow-hidden rounded-[1.75rem] border-4 border-border bg-bg">
      <div className="border-b border-border px-4 py-3">
        <p className="truncate text-heading">{draft.name.trim() === '' ? words.untitled : draft.name}</p>
        <p className="text-small text-muted">{words.previewNote}</p>
      </div>
      {/* Makes it scrollable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div tabIndex={0} className="flex flex-col gap-6 overflow-y-auto px-4 py-4">
        {questions.length === 0 ? <p className="text-muted">{words.none}</p> : null}
        {questions.map(({ question: edited, section }, at) => {
          const question = toQuestion(edited, section)
          const raw = given[edited.id]
          const typed = typedValue(question, raw)
          const before = questions[at - 1]?.section ?? ''
          return (
            <Fragment key={edited.id}>
              {section !== '' && section !== before ? <p className="-mb-3 text-heading">{section}</p> : null}
              <div className="flex flex-col gap-3">
                <div>
                  <p className="text-title [overflow-wrap:anywhere]">
                    {at + 1}. {edited.prompt.trim() === '' ? words.untitled : edited.prompt}
                  </p>
                  {question.help === undefined ? null : (
                    <p className="text-body whitespace-pre-line text-muted">{question.help}</p>
                  )}
                  {question.isRequired ? null : <p className="text-body text-muted">{checklistMessages.optional}</p>}
                </div>
                {hasFiles(question.kind) ? (
                  <Button
                    isDisabled
                    className="h-14"
                    icon={
                      question.kind === 'photo' ? <Camera size={20} aria-hidden /> : <PenLine size={20} aria-hidden />
                    }
                  >
                    {question.kind === 'photo' ? words.photoPreview : words.signaturePreview}
                  </Button>
                ) : (
                  renderAnswer({
                    question,
                    raw,
                    typed,
                    onChange: (value) => setGiven((now) => ({ ...now, [edited.id]: value })),
                  })
                )}
                {typed.kind === 'value' && needsFinding(question, typed.value) ? (
                  <p role="status" className="text-body text-warning">
                    {checklistMessages.needsFinding(answerWords(question, typed.value))}
                  </p>
                ) : null}
              </div>
            </Fragment>
          )
        })}
      </div>
    </div>
  )
}

function toQuestion(edited: DraftQuestion, section: string): Question {
  const { id, prompt, kind, isRequired, help, unit, min, max, findingWhen } = edited
  const given = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim())
  const limit = (text: string): number | undefined => (text.trim() === '' ? undefined : toNumber(text))
  const isReading = kind === 'reading'
  return {
    id,
    prompt,
    kind,
    section: given(section),
    isRequired,
    unit: isReading ? given(unit) : undefined,
    min: isReading ? limit(min) : undefined,
    max: isReading ? limit(max) : undefined,
    choices: choicesOf(edited),
    findingWhen: findingWhen.length > 1 ? JSON.stringify(findingWhen) : findingWhen[0],
    help: given(help),
  }
}
