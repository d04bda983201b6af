import { useHasSynced, useJudgements, useRecords } from '@holdfast/react'
import { ListChecks, X } from 'lucide-react'
import { type JSX, useEffect, useRef, useState } from 'react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { useDocumentTitle } from '../../../components/page.tsx'
import { Progress } from '../../../components/progress.tsx'
import { FirstRowsNote } from '../../../components/records/first-rows-note.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import { beginChanges, isFinished } from '../../../lib/checklists/answer-changes.ts'
import type { Checklist } from '../../../lib/checklists/checklist.ts'
import { RUN_DRAFT_SQL, runDraftId, type RunDraftRow } from '../../../lib/checklists/run-draft.ts'
import { type ChecklistRows, useChecklistRows } from '../../../lib/checklists/use-checklist-rows.ts'
import { cx } from '../../../lib/cx.ts'
import { useTableInfo, useWordedSchema } from '../../../lib/data/use-tables.tsx'
import { useRecordTitle } from '../../../lib/data/use-record-title.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { fieldsOf } from '../../../lib/fields/field.ts'
import { refusalWords } from '../../../lib/records/refusal-words.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { ChooseTemplate } from './choose-template.tsx'
import { QuestionList } from './question-list.tsx'
import { QuestionStep } from './question-step.tsx'
import { ReviewStep } from './review-step.tsx'
import type { StoredDraft } from './use-run-draft.ts'
import { type Run, useRun } from './use-run.ts'

export interface ChecklistRunProps {
  readonly checklist: Checklist
  readonly recordId: string
  readonly onClose: () => void
}

/** A record's checklist, one question at a time. Works offline; unsaved input is kept in a draft. */
export function ChecklistRun(props: ChecklistRunProps): JSX.Element {
  const rows = useChecklistRows(props.checklist, props.recordId)
  const drafts = useRecords<RunDraftRow>(RUN_DRAFT_SQL, [runDraftId(props.recordId)])
  const hasSynced = useHasSynced()
  if (!hasSynced && (rows === null || rows?.questions.length === 0)) return <FirstRowsNote rows={8} />
  if (rows === null) return <EmptyState title={words.gone}>{words.goneDetail}</EmptyState>
  if (rows === undefined || drafts.isLoading) return <Loading />
  if ((rows.record[props.checklist.template] ?? null) === null) return <ChooseTemplate {...props} />
  if (rows.questions.length === 0) return <EmptyState title={words.noQuestions}>{words.noQuestionsDetail}</EmptyState>
  return <Filling {...props} rows={rows} stored={drafts.rows[0]} />
}

function Loading(): JSX.Element {
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-4">
      <Skeleton rows={8} />
    </div>
  )
}

function Filling({
  checklist,
  recordId,
  onClose,
  rows,
  stored,
}: ChecklistRunProps & { readonly rows: ChecklistRows; readonly stored: StoredDraft }): JSX.Element {
  const refusal = useRefusal(checklist, rows)
  const isDone = isFinished(checklist, rows)
  const isReadOnly = refusal !== undefined || isDone
  const run = useRun(checklist, rows, stored, isReadOnly)
  const [isListed, setListed] = useState(false)
  const body = useRef<HTMLDivElement>(null)
  useDocumentTitle(rows.title)
  const shown = isListed ? 'list' : (run.question?.id ?? 'review')
  useFocusOnChange(body, shown)
  const go = (id: string): void => {
    setListed(false)
    run.go(id)
  }
  return (
    <div className="mx-auto flex min-h-full w-full max-w-5xl">
      <aside className="hidden w-72 shrink-0 border-r border-border py-4 laptop:block">
        <QuestionList {...{ checklist, rows, run }} onGo={go} />
      </aside>
      <div ref={body} className="flex min-w-0 flex-1 flex-col">
        <Header {...{ checklist, rows, recordId, run, isListed, onClose }} onListed={setListed} />
        {isReadOnly ? (
          <div className="px-4 pt-3">
            {isDone ? (
              <FinishedNote checklist={checklist} />
            ) : (
              <Notice tone="info" title={words.readOnly}>
                {refusal}
              </Notice>
            )}
          </div>
        ) : null}
        {isListed ? (
          <div className="py-4 laptop:hidden">
            <QuestionList {...{ checklist, rows, run }} onGo={go} />
          </div>
        ) : null}
        <div className={cx('flex flex-1 flex-col', isListed && 'max-laptop:hidden')}>
          {run.question ? (
            <QuestionStep
              key={run.question.id}
              {...{ checklist, rows, recordId, run, isReadOnly }}
              question={run.question}
            />
          ) : (
            <ReviewStep {...{ checklist, rows, recordId, run, isReadOnly, onClose }} onGo={go} />
          )}
        </div>
      </div>
    </div>
  )
}

/** Says how a finished checklist is opened again. */
function FinishedNote({ checklist: { table, finish } }: Pick<ChecklistRunProps, 'checklist'>): JSX.Element {
  const descriptor = useTableInfo(table)?.descriptor
  const schema = useWordedSchema()
  const fields = descriptor ? fieldsOf(descriptor, schema).filter(({ name }) => Object.hasOwn(finish, name)) : []
  return (
    <Notice tone="success" title={words.isFinished}>
      {words.isFinishedDetail(fields.map(({ label }) => label).join(', '))}
    </Notice>
  )
}

/** Shows the record, the progress and the ways out. */
function Header({
  checklist,
  rows,
  recordId,
  run,
  isListed,
  onListed,
  onClose,
}: ChecklistRunProps & {
  readonly rows: ChecklistRows
  readonly run: Run
  readonly isListed: boolean
  readonly onListed: (isListed: boolean) => void
}): JSX.Element {
  const place = checklist.places[0]
  const table = useTableInfo(checklist.table)
  const target = table?.descriptor.columns.find(({ name }) => name === place)?.references?.table
  const where = useTableInfo(target ?? '')
  return (
    <header className="sticky top-0 z-10 flex flex-col gap-1 border-b border-border bg-bg px-4 pt-1 pb-3">
      <div className="flex items-center gap-1">
        <h1 tabIndex={-1} className="min-w-0 flex-1 truncate text-heading">
          {rows.title}
        </h1>
        <IconButton
          label={isListed ? words.hideQuestions : words.questions}
          isActive={isListed}
          className="laptop:hidden"
          icon={<ListChecks size={20} aria-hidden />}
          onPress={() => onListed(!isListed)}
        />
        <IconButton label={words.close} icon={<X size={20} aria-hidden />} onPress={onClose} />
      </div>
      <p className="truncate text-body text-muted">
        {table ? <Title table={table} id={recordId} /> : null}
        {where && place !== undefined ? (
          <>
            {' · '}
            <Title table={where} id={String(rows.record[place] ?? '')} />
          </>
        ) : null}
      </p>
      <Progress
        label={words.progress}
        value={rows.answered.size}
        total={rows.questions.length}
        valueText={words.progressText(rows.answered.size, rows.questions.length)}
      />
      <span role="status" className="sr-only">
        {run.question
          ? words.place(rows.questions.indexOf(run.question) + 1, rows.questions.length)
          : words.reviewTitle}
      </span>
    </header>
  )
}

function Title({ table, id }: { readonly table: TableInfo; readonly id: string }): JSX.Element {
  return <>{useRecordTitle(table, id).title}</>
}

/** Returns why the database currently accepts no answers for this record, as far as this device knows. */
function useRefusal(checklist: Checklist, { record, questions }: ChecklistRows): string | undefined {
  const { table, record: ofRecord, item } = checklist.answers
  const [begin] = beginChanges(checklist, record)
  const answer = { [ofRecord]: String(record['id']), [item]: questions[0]?.id ?? null }
  const [judgement] =
    useJudgements([
      begin?.kind === 'update'
        ? {
            table: begin.table,
            command: 'update',
            before: { ...record },
            after: { ...record, ...begin.values },
            changed: Object.keys(begin.values),
          }
        : { table, command: 'insert', after: answer },
    ]) ?? []
  return judgement?.kind === 'refused' ? refusalWords(judgement.refusal) : undefined
}

/** Scrolls each step to its top and focuses its heading. */
function useFocusOnChange(body: React.RefObject<HTMLDivElement | null>, shown: string): void {
  const last = useRef(shown)
  // The focus is outside React.
  useEffect(() => {
    if (last.current === shown) return
    last.current = shown
    const heading = body.current?.querySelector<HTMLElement>('h2')
    heading?.focus({ preventScroll: true })
    document.querySelector('main')?.scrollTo({ top: 0 })
  }, [body, shown])
}
