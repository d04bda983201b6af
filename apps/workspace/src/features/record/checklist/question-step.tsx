import { ChevronLeft, ChevronRight, Flag } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { type Checklist, hasFiles } from '../../../lib/checklists/checklist.ts'
import { needsFinding, outOfRange, type Question } from '../../../lib/checklists/questions.ts'
import type { FindingDraft } from '../../../lib/checklists/run-draft.ts'
import { answerWords } from '../../../lib/checklists/typed-value.ts'
import { isUnsaved } from '../../../lib/checklists/unsaved.ts'
import type { ChecklistRows } from '../../../lib/checklists/use-checklist-rows.ts'
import { usePhotoTable } from '../../../lib/photos/use-photo-table.ts'
import { useRemovePhoto } from '../../../lib/photos/use-photos.ts'
import { formatClock } from '../../../lib/format.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { AnswerInput } from './answer-input.tsx'
import { FindingForm } from './finding-form.tsx'
import { FileAnswer } from './file-answer.tsx'
import type { Run } from './use-run.ts'

export interface StepProps {
  readonly checklist: Checklist
  readonly rows: ChecklistRows
  readonly recordId: string
  readonly run: Run
  readonly isReadOnly: boolean
}

const NEW_FINDING: FindingDraft = { title: '', severity: undefined, photos: [], position: undefined }
const TITLE_MAX = 200

/** One question with its answer and the finding that the answer requires. */
export function QuestionStep(props: StepProps & { readonly question: Question }): JSX.Element {
  const { checklist, rows, run, question, recordId } = props
  const finding = run.draft.findings[question.id]
  const [isFindingOpen, setFindingOpen] = useState(finding !== undefined)
  const photos = usePhotoTable()
  const removePhoto = useRemovePhoto()
  const answer = run.typed(question)
  if (isFindingOpen && finding && checklist.findings) {
    const titleDefault = defaultTitle(question, answer.kind === 'value' ? answerWords(question, answer.value) : '')
    return (
      <FindingForm
        {...{ question, finding, recordId, photos, titleDefault }}
        findings={checklist.findings}
        photoLink={photos?.links.has(checklist.findings.table) ? photos.links.get(checklist.table) : undefined}
        onChange={(change) => run.changeFinding(question, (now) => now && change(now))}
        onSave={() => void run.saveFinding(photos, titleDefault).then((isSaved) => isSaved && setFindingOpen(false))}
        onBack={() => setFindingOpen(false)}
        onDiscard={() => {
          setFindingOpen(false)
          run.changeFinding(question, () => undefined)
          for (const id of finding.photos) void removePhoto(id)
        }}
      />
    )
  }
  const place = rows.questions.indexOf(question)
  return (
    <section aria-labelledby="question" className="flex flex-1 flex-col">
      <div className="flex flex-1 flex-col gap-4 px-4 py-4">
        <div>
          {question.section === undefined ? null : <p className="text-body text-muted">{question.section}</p>}
          <h2 id="question" tabIndex={-1} className="text-display [overflow-wrap:anywhere] outline-none">
            {place + 1}. {question.prompt}
          </h2>
          {question.help === undefined ? null : (
            <p className="pt-1 text-body whitespace-pre-line text-muted">{question.help}</p>
          )}
          {question.isRequired ? null : <p className="text-body text-muted">{words.optional}</p>}
        </div>
        <Answer {...props} />
        <FindingNeed
          {...props}
          onOpen={() => {
            run.changeFinding(question, (now) => now ?? NEW_FINDING)
            setFindingOpen(true)
          }}
        />
      </div>
      <Foot {...props} place={place} />
    </section>
  )
}

/** Returns the title of a finding without one: its question and the answer. */
function defaultTitle({ prompt }: Question, answer: string): string {
  return `${prompt} ${answer}`.trim().slice(0, TITLE_MAX)
}

function Answer(props: StepProps & { readonly question: Question }): JSX.Element {
  const { checklist, recordId, rows, run, question, isReadOnly } = props
  if (checklist.answers.values[question.kind] === undefined) return <Notice tone="warning" title={words.noValue} />
  if (hasFiles(question.kind))
    return (
      <FileAnswer
        {...{ checklist, recordId, question, isReadOnly }}
        version={rows.version}
        onTaken={() => run.put(question, words.photoTaken)}
      />
    )
  return (
    <AnswerInput
      question={question}
      raw={run.raw(question)}
      typed={run.typed(question)}
      last={rows.earlier.get(question.id)}
      isReadOnly={isReadOnly}
      onChange={(value) => run.put(question, value)}
      onEnter={() => void run.saveAndNext()}
    />
  )
}

/** Says whether the answer requires a finding, and lists the existing ones. */
function FindingNeed({
  checklist,
  rows,
  run,
  question,
  isReadOnly,
  onOpen,
}: StepProps & { readonly question: Question; readonly onOpen: () => void }): JSX.Element | null {
  const typed = run.typed(question)
  if (!checklist.findings || typed.kind !== 'value') return null
  const answerId = rows.answers.get(question.id)?.id
  const found = answerId === undefined ? [] : (rows.findings.get(answerId) ?? [])
  const isNeeded = needsFinding(question, typed.value)
  const isOffered = isNeeded || found.length > 0 || outOfRange(question, typed.value) !== undefined
  if (!isOffered) return null
  return (
    <div className="flex flex-col gap-3">
      {found.map(({ id, title }) => (
        <Notice key={id} tone="success" title={words.findingThere(title)} />
      ))}
      {isNeeded && found.length === 0 ? (
        <Notice tone="warning" role="status" title={words.needsFinding(answerWords(question, typed.value))} />
      ) : null}
      {isReadOnly ? null : (
        <Button isFullWidth className="h-14 text-heading" icon={<Flag size={20} aria-hidden />} onPress={onOpen}>
          {run.draft.findings[question.id] ? words.continueFinding : words.addFinding}
        </Button>
      )}
    </div>
  )
}

function Foot({
  rows,
  run,
  question,
  isReadOnly,
  place,
}: StepProps & { readonly question: Question; readonly place: number }): JSX.Element {
  const typed = run.typed(question)
  const isSaving = !isReadOnly && isUnsaved(question, run.draft, rows.answers)
  return (
    <footer className="sticky bottom-0 flex flex-col gap-2 border-t border-border bg-bg px-4 py-3">
      <div className="flex gap-2">
        <Button
          className="h-14 px-5"
          isDisabled={place === 0}
          icon={<ChevronLeft size={20} aria-hidden />}
          onPress={() => run.step(-1)}
        >
          {words.back}
        </Button>
        {isSaving ? (
          <Button
            tone="primary"
            className="h-14 flex-1 text-heading"
            isDisabled={typed.kind === 'invalid'}
            onPress={() => void run.saveAndNext()}
          >
            {words.saveNext}
          </Button>
        ) : (
          <Button
            className="h-14 flex-1 text-heading"
            iconAfter={<ChevronRight size={20} aria-hidden />}
            onPress={() => run.step(1)}
          >
            {rows.answered.has(question.id) || isReadOnly ? words.next : words.skip}
          </Button>
        )}
      </div>
      <div className="flex min-h-7 items-center gap-2 coarse:min-h-11">
        <p role="status" className="flex-1 text-small text-muted">
          {isSaving ? words.draftKept : run.savedAt ? words.savedAt(formatClock(run.savedAt)) : null}
        </p>
        {isSaving ? (
          <Button tone="quiet" size="sm" onPress={() => run.drop(question)}>
            {words.discard}
          </Button>
        ) : null}
      </div>
    </footer>
  )
}
