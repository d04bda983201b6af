// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest'
import type { Question } from './questions.ts'
import { EMPTY_DRAFT, REVIEW, type RunDraft } from './run-draft.ts'
import { typedValue } from './typed-value.ts'
import { isUnsaved, rawOf, unsavedQuestions, valueToSave } from './unsaved.ts'

const READING: Question = {
  id: 'q',
  prompt: 'Vibration',
  kind: 'reading',
  section: undefined,
  isRequired: false,
  unit: undefined,
  min: undefined,
  max: undefined,
  choices: [],
  findingWhen: undefined,
  help: undefined,
}

afterEach(() => {
  document.documentElement.lang = ''
})

test('a stored reading stays the number that it is, in every language', () => {
  document.documentElement.lang = 'de'
  const reading = READING
  for (const stored of [1.234, -12.345, 1234, '12.500']) {
    const answers = new Map([[reading.id, { id: 'a', value: stored }]])
    expect(typedValue(reading, rawOf(reading, EMPTY_DRAFT, answers))).toEqual({ kind: 'value', value: Number(stored) })
    expect(isUnsaved(reading, EMPTY_DRAFT, answers)).toBe(false)
  }
})

test('an answer that was emptied is not saved until it is stored as none', () => {
  const emptied: RunDraft = { at: 'q', values: { q: '' }, findings: {} }
  const stored = (value: number | null) => new Map([['q', { id: 'a', value }]])
  expect(isUnsaved(READING, emptied, stored(4))).toBe(true)
  expect(isUnsaved(READING, emptied, stored(null))).toBe(false)
  expect(isUnsaved(READING, emptied, new Map())).toBe(false)
  expect(valueToSave(READING, emptied, stored(4))).toBeNull()
  expect(valueToSave(READING, emptied, new Map())).toBeUndefined()
  expect(valueToSave(READING, { ...emptied, values: { q: 'four' } }, stored(4))).toBeUndefined()
})

test('what is typed and not saved is known at the end', () => {
  const questions = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ ...READING, id }))
  const values = { a: '4', b: '5', c: 'four', d: ' ', f: '' }
  const finding = { title: '', severity: undefined, photos: ['p1'], position: undefined }
  const answers = new Map(['a', 'b', 'e', 'f'].map((id) => [id, { id, value: 4 }]))
  const draft: RunDraft = { at: REVIEW, values, findings: { e: finding } }
  expect(unsavedQuestions(questions, draft, answers).map(({ id }) => id)).toEqual(['b', 'c', 'e', 'f'])
})
