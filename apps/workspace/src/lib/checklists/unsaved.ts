import type { FieldValue } from '../fields/field.ts'
import type { StoredAnswer } from './answer-changes.ts'
import type { Question } from './questions.ts'
import type { RunDraft } from './run-draft.ts'
import { toRaw, type TypedValue, typedValue } from './typed-value.ts'

const NO_ANSWER: TypedValue = { kind: 'none' }

type Answers = ReadonlyMap<string, StoredAnswer>

/** Returns the content of a question's input: the draft value, otherwise the stored answer. */
export function rawOf(question: Question, draft: RunDraft, answers: Answers): FieldValue | undefined {
  if (Object.hasOwn(draft.values, question.id)) return draft.values[question.id]
  const stored = answers.get(question.id)
  return stored && toRaw(question, stored.value)
}

/** Whether the entered value differs from the stored answer or is invalid; clearing counts as different. */
export function isUnsaved(question: Question, draft: RunDraft, answers: Answers): boolean {
  if (!Object.hasOwn(draft.values, question.id)) return false
  const typed = typedValue(question, draft.values[question.id])
  if (typed.kind === 'invalid') return true
  const stored = answers.get(question.id)
  const saved = stored ? typedValue(question, toRaw(question, stored.value)) : NO_ANSWER
  if (typed.kind === 'none' || saved.kind !== 'value') return typed.kind !== saved.kind
  return saved.value !== typed.value
}

/** Returns the value to save: `null` if cleared, `undefined` if unchanged. */
export function valueToSave(question: Question, draft: RunDraft, answers: Answers): FieldValue | undefined {
  const typed = typedValue(question, rawOf(question, draft, answers))
  if (typed.kind === 'value') return typed.value
  return typed.kind === 'none' && isUnsaved(question, draft, answers) ? null : undefined
}

/** Returns questions with unsaved answers or findings, which finishing would lose. */
export function unsavedQuestions(
  questions: readonly Question[],
  draft: RunDraft,
  answers: Answers,
): readonly Question[] {
  return questions.filter(
    (question) => Object.hasOwn(draft.findings, question.id) || isUnsaved(question, draft, answers),
  )
}
