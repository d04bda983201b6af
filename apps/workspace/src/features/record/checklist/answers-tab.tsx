import type { JSX } from 'react'
import { Skeleton } from '../../../components/skeleton.tsx'
import { answerText } from '../../../lib/checklists/answer-text.ts'
import { type Checklist, hasFiles } from '../../../lib/checklists/checklist.ts'
import type { Question } from '../../../lib/checklists/questions.ts'
import { type ChecklistRows, useChecklistRows } from '../../../lib/checklists/use-checklist-rows.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { FileAnswer } from './file-answer.tsx'

/** The answers of a record's checklist by section, with photos, signatures and findings. */
export function AnswersTab({
  checklist,
  recordId,
}: {
  readonly checklist: Checklist
  readonly recordId: string
}): JSX.Element | null {
  const rows = useChecklistRows(checklist, recordId)
  if (rows === undefined)
    return (
      <div className="px-4">
        <Skeleton rows={6} />
      </div>
    )
  if (rows === null) return null
  const sections = [...Map.groupBy(rows.questions, ({ section }) => section ?? rows.title)]
  return (
    <div className="flex flex-col gap-6 px-4">
      <p className="text-small text-muted">{words.progressText(rows.answered.size, rows.questions.length)}</p>
      {sections.map(([section, questions]) => (
        <section key={section} className="flex flex-col gap-1">
          <h3 className="text-heading">{section}</h3>
          <dl className="flex flex-col divide-y divide-border">
            {questions.map((question) => (
              <Answered key={question.id} {...{ checklist, rows, recordId, question }} />
            ))}
          </dl>
        </section>
      ))}
    </div>
  )
}

function Answered({
  checklist,
  rows,
  recordId,
  question,
}: {
  readonly checklist: Checklist
  readonly rows: ChecklistRows
  readonly recordId: string
  readonly question: Question
}): JSX.Element {
  const answer = rows.answers.get(question.id)
  const hasPictures = hasFiles(question.kind) && rows.answered.has(question.id)
  const findings = (answer && rows.findings.get(answer.id)) ?? []
  return (
    <div className="flex flex-col gap-1 py-2">
      <dt className="text-small text-muted [overflow-wrap:anywhere]">{question.prompt}</dt>
      <dd className="text-body [overflow-wrap:anywhere]">
        {hasPictures ? (
          <FileAnswer {...{ checklist, recordId, question }} version={rows.version} isReadOnly />
        ) : (
          answerText(question, answer, false)
        )}
      </dd>
      {findings.map(({ id, title }) => (
        <dd key={id} className="text-small text-danger">
          {words.findingThere(title)}
        </dd>
      ))}
    </div>
  )
}
