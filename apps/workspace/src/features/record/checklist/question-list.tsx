import { Check, Circle, Flag, TriangleAlert } from 'lucide-react'
import type { JSX } from 'react'
import type { Checklist } from '../../../lib/checklists/checklist.ts'
import { needsFinding, outOfRange, type Question } from '../../../lib/checklists/questions.ts'
import { REVIEW } from '../../../lib/checklists/run-draft.ts'
import { answerWords } from '../../../lib/checklists/typed-value.ts'
import type { ChecklistRows } from '../../../lib/checklists/use-checklist-rows.ts'
import { cx } from '../../../lib/cx.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import type { Run } from './use-run.ts'

/** Lists all questions by section with their answers. Selecting a question opens it. */
export function QuestionList({
  checklist,
  rows,
  run,
  onGo,
}: {
  readonly checklist: Checklist
  readonly rows: ChecklistRows
  readonly run: Run
  readonly onGo: (id: string) => void
}): JSX.Element {
  const sections = [...Map.groupBy(rows.questions, ({ section }) => section ?? '')]
  return (
    <nav aria-label={words.questions} className="flex flex-col gap-4 px-2">
      {sections.map(([section, questions]) => (
        <div key={section} className="flex flex-col gap-0.5">
          {section === '' ? null : <p className="px-2 text-small font-medium text-muted">{section}</p>}
          <ol className="flex flex-col">
            {questions.map((question) => (
              <li key={question.id}>
                <Entry
                  {...{ checklist, rows, question }}
                  isCurrent={run.question?.id === question.id}
                  onPress={() => onGo(question.id)}
                />
              </li>
            ))}
          </ol>
        </div>
      ))}
      <button
        type="button"
        aria-current={run.question ? undefined : 'step'}
        onClick={() => onGo(REVIEW)}
        className={entryClass}
      >
        <Flag size={16} aria-hidden className="shrink-0 text-muted" />
        {words.reviewTitle}
      </button>
    </nav>
  )
}

const entryClass =
  'focus-inset flex min-h-9 w-full items-center gap-2 rounded-md px-2 py-1 text-left text-body hover:bg-hover aria-[current=step]:bg-accent-soft coarse:min-h-14'

function Entry({
  checklist,
  rows,
  question,
  isCurrent,
  onPress,
}: {
  readonly checklist: Checklist
  readonly rows: ChecklistRows
  readonly question: Question
  readonly isCurrent: boolean
  readonly onPress: () => void
}): JSX.Element {
  const answer = rows.answered.has(question.id) ? rows.answers.get(question.id) : undefined
  const isBad = answer !== undefined && isOpenProblem(checklist, rows, question)
  return (
    <button type="button" aria-current={isCurrent ? 'step' : undefined} onClick={onPress} className={entryClass}>
      {isBad ? (
        <TriangleAlert size={16} aria-hidden className="shrink-0 text-warning" />
      ) : answer ? (
        <Check size={16} aria-hidden className="shrink-0 text-success" />
      ) : (
        <Circle size={16} aria-hidden className="shrink-0 text-subtle" />
      )}
      <span className="min-w-0 flex-1 truncate">
        {rows.questions.indexOf(question) + 1}. {question.prompt}
      </span>
      <span className={cx('shrink-0 text-small', isBad ? 'text-warning' : 'text-muted')}>
        {answer ? answerWords(question, answer.value) : <span className="sr-only">{words.notAnswered}</span>}
      </span>
    </button>
  )
}

/** Whether an answer is out of range or lacks the finding that it requires. */
function isOpenProblem(checklist: Checklist, rows: ChecklistRows, question: Question): boolean {
  const answer = rows.answers.get(question.id)
  if (!answer) return false
  if (outOfRange(question, answer.value) !== undefined) return true
  return checklist.findings !== undefined && needsFinding(question, answer.value)
}
