import { useLocalDatabase } from '@holdfast/react'
import { useRef, useState } from 'react'
import { showToast } from '../../../components/toast.tsx'
import { useRecordWriter } from '../../../components/records/use-record-writer.ts'
import { useOneAtATime } from '../../../hooks/use-one-at-a-time.ts'
import { answerChanges, findingChange, finishChanges } from '../../../lib/checklists/answer-changes.ts'
import type { Checklist } from '../../../lib/checklists/checklist.ts'
import type { Question } from '../../../lib/checklists/questions.ts'
import {
  EMPTY_DRAFT,
  type FindingDraft,
  REVIEW,
  type RunDraft,
  runDraftId,
  savingOf,
  withoutQuestion,
} from '../../../lib/checklists/run-draft.ts'
import { typedValue, type TypedValue } from '../../../lib/checklists/typed-value.ts'
import { rawOf } from '../../../lib/checklists/unsaved.ts'
import type { ChecklistRows } from '../../../lib/checklists/use-checklist-rows.ts'
import type { PhotoTable } from '../../../lib/data/photo-table.ts'
import { storeOrTell } from '../../../lib/data/unstored.ts'
import type { FieldValue } from '../../../lib/fields/field.ts'
import { uuidV7 } from '../../../lib/fields/uuid-v7.ts'
import { removalOf } from '../../../lib/records/drafts.ts'
import type { LocalStatement, RecordChange } from '../../../lib/records/record-change.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'

/** A checklist that is being filled in. */
export interface Run {
  readonly draft: RunDraft
  /** `undefined`: everything is looked through. */
  readonly question: Question | undefined
  /** When something was saved since the screen was opened. */
  readonly savedAt: Date | undefined
  /** What stands in the input of a question: chosen or typed, else the answer that is there. */
  raw(question: Question): FieldValue | undefined
  typed(question: Question): TypedValue
  /** Keeps what is chosen or typed in the draft. */
  put(question: Question, value: FieldValue): void
  /** Takes back what was chosen or typed and is not saved. */
  drop(question: Question): void
  /** Changes the finding of a question as it is by then: a photo or a position may come late. */
  changeFinding(question: Question, change: (finding: FindingDraft | undefined) => FindingDraft | undefined): void
  /** Goes to a question, or to the end with {@link REVIEW}; what was typed stays in the draft. */
  go(id: string): void
  step(by: 1 | -1): void
  /** Saves the answer of the question that is shown, and goes on. @returns false when there is none, or this device has no room */
  saveAndNext(): Promise<boolean>
  /** Makes the finding of the question that is shown, with the answer that calls for it, in one step. */
  saveFinding(photos: PhotoTable | undefined, titleDefault: string): Promise<boolean>
  finish(): Promise<boolean>
}

/**
 * @param begun - the draft of the last visit
 * @param isReadOnly - looking through leaves no draft
 */
export function useRun(checklist: Checklist, rows: ChecklistRows, begun: RunDraft, isReadOnly: boolean): Run {
  const writer = useRecordWriter()
  const recordId = String(rows.record['id'])
  const { draft, latest, put, keeping, kept, end } = useRunDraft(checklist.table, recordId, begun, isReadOnly)
  const [savedAt, setSavedAt] = useState<Date>()
  const alone = useOneAtATime<boolean>()
  const question = questionAt(rows, draft)
  const raw = (of: Question): FieldValue | undefined => rawOf(of, latest(), rows.answers)
  const typed = (of: Question): TypedValue => typedValue(of, raw(of))
  const step = (by: 1 | -1): void => {
    const at = question ? rows.questions.indexOf(question) : rows.questions.length
    put({ ...latest(), at: rows.questions[at + by]?.id ?? REVIEW })
  }
  /** What is saved is no draft any more: after a crash in between it would be saved a second time. */
  const write = async (label: string, changes: readonly RecordChange[], draft: LocalStatement): Promise<boolean> => {
    await kept()
    if (!(await writer.writeOrTell({ label, changes, drafts: [draft] }))) return false
    setSavedAt(new Date())
    return true
  }

  return {
    draft,
    question,
    savedAt,
    raw,
    typed,
    put: ({ id }, value) => put({ ...latest(), at: latest().at ?? id, values: { ...latest().values, [id]: value } }),
    drop({ id }) {
      const { [id]: _value, ...values } = latest().values
      put({ ...latest(), values })
    },
    changeFinding({ id }, change) {
      const { [id]: old, ...others } = latest().findings
      const finding = change(old)
      if (finding === old) return
      put({ ...latest(), at: latest().at ?? id, findings: finding ? { ...others, [id]: finding } : others })
    },
    go: (id) => put({ ...latest(), at: id }),
    step,
    saveAndNext: () => alone(saveAndNext),
    saveFinding: (photos, titleDefault) => alone(() => saveFinding(photos, titleDefault)),
    finish: () => alone(finish),
  }

  async function saveAndNext(): Promise<boolean> {
    const answer = question && typed(question)
    if (!question || answer?.kind !== 'value') return false
    const stored = rows.answers.get(question.id)
    const { changes } = answerChanges(checklist, rows.record, question, answer.value, stored)
    const next = (): RunDraft => {
      const { [question.id]: _value, ...values } = latest().values
      return { ...latest(), values, at: rows.questions[rows.questions.indexOf(question) + 1]?.id ?? REVIEW }
    }
    if (!(await write(words.answerOf(question.prompt), changes, keeping(next())))) return false
    put(next())
    return true
  }

  async function saveFinding(photos: PhotoTable | undefined, titleDefault: string): Promise<boolean> {
    const answer = question && typed(question)
    const finding = question && latest().findings[question.id]
    if (!question || !finding || answer?.kind !== 'value') return false
    const stored = rows.answers.get(question.id)
    const { answerId, changes } = answerChanges(checklist, rows.record, question, answer.value, stored)
    const id = uuidV7()
    const title = finding.title.trim() === '' ? titleDefault : finding.title.trim()
    const made = findingChange(checklist, rows.record, answerId, { ...finding, id, title })
    const linked = linkPhotos(checklist, photos, finding, id)
    // It has an answer now, and is on the screen until the person goes on.
    const next = (): RunDraft => ({ ...withoutQuestion(latest(), question.id), at: question.id })
    const all = [...changes, ...made, ...linked]
    if (!(await write(words.newFinding(question.prompt), all, keeping(next())))) return false
    put(next())
    return true
  }

  async function finish(): Promise<boolean> {
    if (!(await write(words.finish, finishChanges(checklist, rows.record), removalOf(runDraftId(recordId)))))
      return false
    showToast({ text: words.finished })
    end()
    return true
  }
}

/** The draft of a checklist, on the screen and on this device. */
interface KeptDraft {
  readonly draft: RunDraft
  /** As it is now, also before it is drawn. */
  latest(): RunDraft
  put(next: RunDraft): void
  /** Keeps a draft, together with a command. */
  keeping(next: RunDraft): LocalStatement
  /** All that was put is stored. */
  kept(): Promise<unknown>
  /** Nothing of it is left; the screen is about to go. */
  end(): void
}

function useRunDraft(table: string, recordId: string, begun: RunDraft, isReadOnly: boolean): KeptDraft {
  const { database } = useLocalDatabase()
  const [draft, setDraft] = useState(begun)
  const latest = useRef(begun)
  const writing = useRef<Promise<unknown>>(Promise.resolve())
  const keeping = (next: RunDraft): LocalStatement => savingOf(table, recordId, next)
  return {
    draft,
    latest: () => latest.current,
    keeping,
    kept: () => writing.current,
    end: () => void (latest.current = EMPTY_DRAFT),
    /** One after the other: a draft that is typed later is never overtaken. */
    put(next) {
      latest.current = next
      setDraft(next)
      if (isReadOnly) return
      const { sql, parameters } = keeping(next)
      writing.current = writing.current.then(() =>
        storeOrTell(words.draftKept, () => database.execute(sql, [...parameters])),
      )
    },
  }
}

/** The question of the draft, else the first without an answer. */
function questionAt({ questions, answers }: ChecklistRows, { at }: RunDraft): Question | undefined {
  if (at === REVIEW) return undefined
  return questions.find(({ id }) => id === at) ?? questions.find(({ id }) => !answers.has(id))
}

/** The photos of a finding were the record's until now. */
function linkPhotos(
  { findings }: Checklist,
  photos: PhotoTable | undefined,
  finding: FindingDraft,
  findingId: string,
): readonly RecordChange[] {
  const link = findings && photos?.links.get(findings.table)
  if (!photos || link === undefined) return []
  return finding.photos.map((id) => ({
    kind: 'update',
    table: photos.name,
    id,
    values: { [link]: findingId },
    before: { [link]: null },
  }))
}
