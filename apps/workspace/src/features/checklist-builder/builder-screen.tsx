import { useRecords } from '@holdfast/react'
import { Link, useParams } from '@tanstack/react-router'
import { Eye, ListPlus, Pencil, Plus, Rows2 } from 'lucide-react'
import { type JSX, useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LeaveQuestion } from '../../components/leave-question.tsx'
import { Page } from '../../components/page.tsx'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { useOneAtATime } from '../../hooks/use-one-at-a-time.ts'
import type { AnswerKind, Checklist } from '../../lib/checklists/checklist.ts'
import { cx } from '../../lib/cx.ts'
import type { PhotoTable } from '../../lib/data/photo-table.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { usePhotoTable } from '../../lib/photos/use-photo-table.ts'
import type { RecordValues } from '../../lib/records/record-change.ts'
import { quoteName } from '../../lib/sql.ts'
import { builderMessages as words } from '../../messages/checklist-builder.ts'
import { checklistMessages } from '../../messages/checklist.ts'
import { changesFor, draftOf, isActive, type StoredChecklist, versionOf } from './builder-changes.ts'
import {
  type ChecklistDraft,
  insertAfter,
  newQuestion,
  newSection,
  problemsOf,
  QUESTIONS_MAX,
} from './builder-draft.ts'
import { EntryList } from './entry-list.tsx'
import type { EntryListProps } from './entry-props.ts'
import { LinesDialog } from './lines-dialog.tsx'
import { Preview, type RenderAnswer } from './preview.tsx'
import { numberText, toNumber } from './to-number.ts'

interface BuilderProps {
  readonly checklist: Checklist
  readonly table: TableInfo
  /** Id of the template. */
  readonly template: string
  readonly renderAnswer: RenderAnswer
}

/** Edits a checklist: its name, sections and questions. Works offline; nothing is written until the user saves. */
export function BuilderScreen(props: BuilderProps): JSX.Element {
  const { templates, items } = props.checklist
  const found = useRecords<RecordValues>(`select * from ${quoteName(templates.table)} where id = ?`, [props.template])
  const asked = useRecords<RecordValues>(
    `select * from ${quoteName(items.table)} where ${quoteName(items.template)} = ?`,
    [props.template],
  )
  const [template] = found.rows
  const stored = useMemo(() => template && { template, items: asked.rows }, [template, asked.rows])
  if (found.isLoading || asked.isLoading)
    return (
      <Page title={words.title}>
        <Skeleton rows={8} />
      </Page>
    )
  if (!stored)
    return (
      <Page title={words.title}>
        <EmptyState title={checklistMessages.gone}>{checklistMessages.goneDetail}</EmptyState>
      </Page>
    )
  return <Builder {...props} stored={stored} />
}

/** What the user edits: the stored checklist until the first change, so that changes of others appear. */
function useDraft(checklist: Checklist, stored: StoredChecklist) {
  const saved = useMemo(() => draftOf(checklist, stored, numberText), [checklist, stored])
  const [edited, setEdited] = useState<ChecklistDraft>()
  const draft = edited ?? saved
  const isChanged = edited !== undefined && JSON.stringify(edited) !== JSON.stringify(saved)
  return { draft, isChanged, setEdited }
}

function Builder({
  checklist,
  table,
  stored,
  renderAnswer,
}: BuilderProps & { readonly stored: StoredChecklist }): JSX.Element {
  const writer = useRecordWriter()
  const alone = useOneAtATime<void>()
  const photos = usePhotoTable(checklist.table)
  const { draft, isChanged, setEdited } = useDraft(checklist, stored)
  const [active, setActive] = useState<string>()
  const [isPreviewed, setPreviewed] = useState(false)
  const [hasTried, setTried] = useState(false)
  const version = versionOf(checklist, stored.template)
  const isPublished = isActive(checklist, stored.template) && version > 0
  const problems = useMemo(() => problemsOf(draft, toNumber), [draft])
  const count = draft.entries.filter(({ type }) => type === 'question').length
  const name = draft.name.trim()
  const save = async (publish: boolean): Promise<void> => {
    setTried(true)
    if (name === '' || problems.size > 0) return setActive([...problems.keys()][0])
    const changes = changesFor(checklist, stored, draft, { toNumber, isPublished: publish })
    if (changes.length > 0 && !(await writer.writeOrTell({ label: words.saving(name), changes }))) return
    setEdited(undefined)
    setTried(false)
    showToast({ text: publish ? words.publishedNow(name) : words.savedDraft })
  }
  return (
    <Page title={name === '' ? words.untitled : name} actions={<BackLink table={table} />}>
      <div className="grid gap-8 laptop:grid-cols-[minmax(0,1fr)_22rem]">
        <div className={cx('flex min-w-0 flex-col gap-6', isPreviewed && 'max-laptop:hidden')}>
          <div className="grid gap-3 tablet:grid-cols-2">
            <TextField
              label={words.name}
              value={draft.name}
              maxLength={120}
              onChange={(value) => setEdited({ ...draft, name: value })}
              errorMessage={hasTried && name === '' ? words.nameMissing : undefined}
            />
            {'description' in stored.template ? (
              <TextField
                label={words.descriptionLabel}
                value={draft.description}
                maxLength={500}
                onChange={(value) => setEdited({ ...draft, description: value })}
              />
            ) : null}
          </div>
          <Questions
            {...{ draft, active, hasTried, problems, count }}
            hasFindings={checklist.findings !== undefined}
            fileKinds={fileKindsOf(photos, checklist.table)}
            onActive={setActive}
            onChange={setEdited}
          />
        </div>
        <aside className={cx('min-w-0', !isPreviewed && 'max-laptop:hidden')} aria-label={words.preview}>
          <Preview draft={draft} renderAnswer={renderAnswer} />
        </aside>
      </div>
      <Footer
        {...{ version, isPublished, isChanged, isPreviewed, count }}
        problems={hasTried ? problems.size : 0}
        onPreviewed={setPreviewed}
        onSave={(publish) => alone(() => save(publish))}
      />
      <LeaveQuestion isChanged={isChanged} />
    </Page>
  )
}

/** Returns the kinds of questions with files that a table can store: photos also in the photo table of its project. */
function fileKindsOf(photos: PhotoTable | undefined, table: string): ReadonlySet<AnswerKind> {
  if (!photos?.links.has(table)) return new Set()
  return new Set<AnswerKind>(photos.isOfFields ? ['photo', 'signature'] : ['photo'])
}

/** Says who gets the changes, and saves them. */
function Footer({
  version,
  isPublished,
  isChanged,
  isPreviewed,
  count,
  problems,
  onPreviewed,
  onSave,
}: {
  readonly version: number
  readonly isPublished: boolean
  readonly isChanged: boolean
  readonly isPreviewed: boolean
  /** Number of questions. */
  readonly count: number
  /** Number of entries that cannot be saved. */
  readonly problems: number
  readonly onPreviewed: (isPreviewed: boolean) => void
  readonly onSave: (publish: boolean) => Promise<void>
}): JSX.Element {
  return (
    <footer className="sticky bottom-0 -mx-4 mt-6 flex flex-wrap items-center gap-2 border-t border-border bg-bg px-4 py-3">
      <p role="status" className="min-w-0 flex-1 basis-60 text-small text-muted">
        {problems > 0 ? (
          <span className="text-danger">{words.fix(problems)}</span>
        ) : isPublished ? (
          words.versionNote
        ) : (
          words.draftNote
        )}
      </p>
      <Button
        className="laptop:hidden"
        icon={isPreviewed ? <Pencil size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
        onPress={() => onPreviewed(!isPreviewed)}
      >
        {isPreviewed ? words.closePreview : words.preview}
      </Button>
      {version === 0 ? (
        <Button isDisabled={!isChanged} onPress={() => void onSave(false)}>
          {words.saveDraft}
        </Button>
      ) : null}
      <Button tone="primary" isDisabled={count === 0 || (isPublished && !isChanged)} onPress={() => void onSave(true)}>
        {isPublished ? words.publishChanges : words.publish}
      </Button>
    </footer>
  )
}

function BackLink({ table }: { readonly table: TableInfo }): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table/checklists' })
  return (
    <Link to="/w/$ws/t/$table/checklists" params={{ ws, table: table.name }} search={{}} className="text-body">
      {words.back}
    </Link>
  )
}

function Questions({
  draft,
  active,
  hasTried,
  problems,
  count,
  hasFindings,
  fileKinds,
  onActive,
  onChange,
}: {
  readonly draft: ChecklistDraft
  /** Id of the entry whose settings are open. */
  readonly active: string | undefined
  readonly hasTried: boolean
  readonly problems: ReturnType<typeof problemsOf>
  readonly count: number
  readonly hasFindings: boolean
  readonly fileKinds: EntryListProps['fileKinds']
  readonly onActive: (id: string | undefined) => void
  readonly onChange: (draft: ChecklistDraft) => void
}): JSX.Element {
  const [isPasting, setPasting] = useState(false)
  const isFull = count >= QUESTIONS_MAX
  const after = draft.entries.some(({ id }) => id === active) ? active : undefined
  const add = (entry: ReturnType<typeof newQuestion> | ReturnType<typeof newSection>): void => {
    onChange(insertAfter(draft, after, [entry]))
    onActive(entry.id)
  }
  return (
    <section aria-label={words.questions} className="flex flex-col gap-3">
      <h2 className="text-title">{words.questions}</h2>
      {draft.entries.length === 0 ? (
        <EmptyState title={words.none}>{words.noneDetail}</EmptyState>
      ) : (
        <EntryList
          {...{ draft, active, hasFindings, fileKinds, onActive, onChange }}
          problems={hasTried ? problems : new Map()}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button icon={<Plus size={16} aria-hidden />} isDisabled={isFull} onPress={() => add(newQuestion())}>
          {words.addQuestion}
        </Button>
        <Button icon={<Rows2 size={16} aria-hidden />} onPress={() => add(newSection())}>
          {words.addSection}
        </Button>
        <Button icon={<ListPlus size={16} aria-hidden />} isDisabled={isFull} onPress={() => setPasting(true)}>
          {words.addLines}
        </Button>
      </div>
      {isFull ? <p className="text-small text-muted">{words.full(QUESTIONS_MAX)}</p> : null}
      {isPasting ? (
        <LinesDialog
          room={QUESTIONS_MAX - count}
          onAdd={(entries) => {
            onChange(insertAfter(draft, after, entries))
            setPasting(false)
          }}
          onClose={() => setPasting(false)}
        />
      ) : null}
    </section>
  )
}
