import { useState } from 'react'
import { showToast } from '../../../components/toast.tsx'
import { useRecordWriter } from '../../../components/records/use-record-writer.ts'
import { useOneAtATime } from '../../../hooks/use-one-at-a-time.ts'
import { answerChanges, findingChange, finishChanges } from '../../../lib/checklists/answer-changes.ts'
import type { Checklist } from '../../../lib/checklists/checklist.ts'
import type { Question } from '../../../lib/checklists/questions.ts'
import {
  type FindingDraft,
  removalFromRunDraft,
  REVIEW,
  type RunDraft,
  runDraftId,
  withoutQuestion,
} from '../../../lib/checklists/run-draft.ts'
import { typedValue, type TypedValue } from '../../../lib/checklists/typed-value.ts'
import { rawOf, valueToSave } from '../../../lib/checklists/unsaved.ts'
import type { ChecklistRows } from '../../../lib/checklists/use-checklist-rows.ts'
import type { PhotoTable } from '../../../lib/data/photo-table.ts'
import type { FieldValue } from '../../../lib/fields/field.ts'
import { uuidV7 } from '../../../lib/fields/uuid-v7.ts'
import { removalOf } from '../../../lib/records/drafts.ts'
import type { LocalStatement, RecordChange } from '../../../lib/records/record-change.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { type StoredDraft, useRunDraft } from './use-run-draft.ts'

/** A checklist being filled in. */
export interface Run {
  readonly draft: RunDraft
  /** `undefined`: all questions are done. */
  readonly question: Question | undefined
  /** Time of the last save since the screen opened. */
  readonly savedAt: Date | undefined
  /** Returns a question's input: the unsaved value, or else the saved answer. */
  raw(question: Question): FieldValue | undefined
  typed(question: Question): TypedValue
  /** Stores an unsaved value in the draft. */
  put(question: Question, value: FieldValue): void
  /** Discards the unsaved value of a question. */
  drop(question: Question): void
  /** Changes the current finding of a question, because a photo or position may arrive late. */
  changeFinding(question: Question, change: (finding: FindingDraft | undefined) => FindingDraft | undefined): void
  /** Goes to a question, or with {@link REVIEW} to the end. Typed values stay in the draft. */
  go(id: string): void
  step(by: 1 | -1): void
  /** Saves or clears the current answer and continues. @returns false if there is no answer, or no room on this device */
  saveAndNext(): Promise<boolean>
  /** Creates the current question's finding and saves the answer that requires it in one transaction. */
  saveFinding(photos: PhotoTable | undefined, titleDefault: string): Promise<boolean>
  finish(): Promise<boolean>
}

/**
 * @param stored - the draft on this device
 * @param isReadOnly - keeps no draft
 */
export function useRun(checklist: Checklist, rows: ChecklistRows, stored: StoredDraft, isReadOnly: boolean): Run {
  const writer = useRecordWriter()
  const recordId = String(rows.record['id'])
  const { draft, latest, put, kept, end } = useRunDraft(checklist.table, recordId, stored, isReadOnly)
  const [savedAt, setSavedAt] = useState<Date>()
  const alone = useOneAtATime<boolean>()
  const question = questionAt(rows, draft)
  const raw = (of: Question): FieldValue | undefined => rawOf(of, latest(), rows.answers)
  const typed = (of: Question): TypedValue => typedValue(of, raw(of))
  const go = (id: string): void => put((now) => ({ ...now, at: id }))
  const step = (by: 1 | -1): void => {
    const at = question ? rows.questions.indexOf(question) : rows.questions.length
    go(rows.questions[at + by]?.id ?? REVIEW)
  }
  /** Saves changes and updates the draft with them. After a crash in between, the change would otherwise be saved twice. */
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
    put: ({ id }, value) => put((now) => ({ ...now, at: now.at ?? id, values: { ...now.values, [id]: value } })),
    drop: ({ id }) => put((now) => withoutValue(now, id)),
    changeFinding({ id }, change) {
      const shown = latest().findings[id]
      if (change(shown) !== shown) put((now) => withFinding(now, id, change))
    },
    go,
    step,
    saveAndNext: () => alone(saveAndNext),
    saveFinding: (photos, titleDefault) => alone(() => saveFinding(photos, titleDefault)),
    finish: () => alone(finish),
  }

  async function saveAndNext(): Promise<boolean> {
    const value = question && valueToSave(question, latest(), rows.answers)
    if (!question || value === undefined) return false
    const { [question.id]: saved } = latest().values
    const { changes } = answerChanges(checklist, rows, question, value)
    const removal = removalFromRunDraft(recordId, question.id, ['values'])
    if (!(await write(words.answerOf(question.prompt), changes, removal))) return false
    const { [question.id]: entered } = latest().values
    // Input entered while the answer was stored is a new answer and stays with its question.
    if (entered !== saved) put((now) => ({ ...now, values: { ...now.values, ...given(question.id, entered) } }))
    else put((now) => ({ ...withoutValue(now, question.id), at: nextOf(question) }))
    return true
  }

  function nextOf(of: Question): string {
    return rows.questions[rows.questions.indexOf(of) + 1]?.id ?? REVIEW
  }

  async function saveFinding(photos: PhotoTable | undefined, titleDefault: string): Promise<boolean> {
    const answer = question && typed(question)
    const finding = question && latest().findings[question.id]
    if (!question || !finding || answer?.kind !== 'value') return false
    const { answerId, changes } = answerChanges(checklist, rows, question, answer.value)
    const id = uuidV7()
    const title = finding.title.trim() === '' ? titleDefault : finding.title.trim()
    const made = findingChange(checklist, rows.record, answerId, { ...finding, id, title })
    const linked = linkPhotos(checklist, photos, finding, id)
    const removal = removalFromRunDraft(recordId, question.id, ['values', 'findings'])
    const all = [...changes, ...made, ...linked]
    if (!(await write(words.newFinding(question.prompt), all, removal))) return false
    // The question now has an answer and stays on screen until the user continues.
    put((now) => ({ ...withoutQuestion(now, question.id), at: question.id }))
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

/** Returns a draft value; none if it was discarded. */
function given(id: string, value: FieldValue | undefined): RunDraft['values'] {
  return value === undefined ? {} : { [id]: value }
}

function withFinding(draft: RunDraft, id: string, change: Parameters<Run['changeFinding']>[1]): RunDraft {
  const { [id]: old, ...others } = draft.findings
  const finding = change(old)
  return { ...draft, at: draft.at ?? id, findings: finding ? { ...others, [id]: finding } : others }
}

/** Returns the draft without a question's unsaved value. */
function withoutValue(draft: RunDraft, id: string): RunDraft {
  const { [id]: _value, ...values } = draft.values
  return { ...draft, values }
}

/** Returns the draft's question, or else the first unanswered one. */
function questionAt({ questions, answered }: ChecklistRows, { at }: RunDraft): Question | undefined {
  if (at === REVIEW) return undefined
  return questions.find(({ id }) => id === at) ?? questions.find(({ id }) => !answered.has(id))
}

/** Moves a finding's photos from the record to the finding. */
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
