import { useJudgements } from '@holdfast/react'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from '../../../components/button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { hasFiles } from '../../../lib/checklists/checklist.ts'
import { needsFinding, type Question } from '../../../lib/checklists/questions.ts'
import type { ChecklistRows } from '../../../lib/checklists/use-checklist-rows.ts'
import { unsavedQuestions } from '../../../lib/checklists/unsaved.ts'
import { usePhotoTable } from '../../../lib/photos/use-photo-table.ts'
import { refusalWords } from '../../../lib/records/refusal-words.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import type { StepProps } from './question-step.tsx'
import { Signature } from './signature-pad.tsx'

/** Lists what is missing, and completes the checklist. */
export function ReviewStep({
  checklist,
  rows,
  recordId,
  run,
  isReadOnly,
  onGo,
  onClose,
}: StepProps & { readonly onGo: (id: string) => void; readonly onClose: () => void }): JSX.Element {
  const unsaved = isReadOnly ? [] : unsavedQuestions(rows.questions, run.draft, rows.answers)
  const unanswered = rows.questions.filter(
    (question) => question.isRequired && !rows.answered.has(question.id) && !unsaved.includes(question),
  )
  const unfound = checklist.findings?.answer === undefined ? [] : withoutFinding(rows)
  const photos = usePhotoTable()
  const link = photos?.links.get(checklist.table)
  const { signature } = checklist
  const isComplete = unsaved.length === 0 && unanswered.length === 0 && unfound.length === 0
  const canFinish = Object.keys(checklist.finish).length > 0
  const [judgement] =
    useJudgements(
      canFinish && isComplete && !isReadOnly
        ? [
            {
              table: checklist.table,
              command: 'update',
              before: { ...rows.record },
              after: { ...rows.record, ...checklist.finish },
              changed: Object.keys(checklist.finish),
            },
          ]
        : [],
    ) ?? []
  const refusal = judgement?.kind === 'refused' ? refusalWords(judgement.refusal) : undefined
  return (
    <section aria-labelledby="review" className="flex flex-1 flex-col">
      <div className="flex flex-1 flex-col gap-5 px-4 py-4">
        <h2 id="review" tabIndex={-1} className="text-display outline-none">
          {words.reviewTitle}
        </h2>
        {isComplete ? <Notice tone="success" title={words.allAnswered} /> : null}
        <Missing title={words.unsavedAnswers(unsaved.length)} questions={unsaved} onGo={onGo} />
        <Missing title={words.missingAnswers(unanswered.length)} questions={unanswered} onGo={onGo} />
        <Missing title={words.missingFindings(unfound.length)} questions={unfound} onGo={onGo} />
        {photos && link !== undefined && signature !== undefined && !isReadOnly ? (
          <Signature
            {...{ photos, link, recordId }}
            table={checklist.table}
            column={signature}
            path={rows.record[signature] ?? null}
          />
        ) : null}
        {refusal === undefined ? null : <Notice tone="warning" title={refusal} />}
      </div>
      <footer className="sticky bottom-0 flex gap-2 border-t border-border bg-bg px-4 py-3">
        <Button className="h-14 px-5" icon={<ChevronLeft size={20} aria-hidden />} onPress={() => run.step(-1)}>
          {words.back}
        </Button>
        {canFinish && !isReadOnly ? (
          <Button
            tone="primary"
            className="h-14 flex-1 text-heading"
            isDisabled={!isComplete || refusal !== undefined}
            onPress={() => void run.finish().then((isDone) => isDone && onClose())}
          >
            {words.finish}
          </Button>
        ) : (
          <Button className="h-14 flex-1 text-heading" onPress={onClose}>
            {words.close}
          </Button>
        )}
      </footer>
    </section>
  )
}

function withoutFinding({ questions, answers, findings }: ChecklistRows): readonly Question[] {
  return questions.filter((question) => {
    const answer = answers.get(question.id)
    return answer !== undefined && needsFinding(question, answer.value) && !findings.has(answer.id)
  })
}

function Missing({
  title,
  questions,
  onGo,
}: {
  readonly title: string
  readonly questions: readonly Question[]
  readonly onGo: (id: string) => void
}): JSX.Element | null {
  if (questions.length === 0) return null
  return (
    <div className="flex flex-col gap-2">
      <Notice tone="warning" title={title} />
      <ul className="flex flex-col gap-2">
        {questions.map(({ id, prompt, kind }) => (
          <li key={id}>
            <Button
              isFullWidth
              className="h-14 min-w-0 justify-between text-left"
              iconAfter={<ChevronRight size={20} aria-hidden />}
              onPress={() => onGo(id)}
            >
              <span className="flex min-w-0 flex-col">
                <span className="truncate">{prompt}</span>
                {hasFiles(kind) ? <span className="text-small text-muted">{words.missingFile[kind]}</span> : null}
              </span>
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}
