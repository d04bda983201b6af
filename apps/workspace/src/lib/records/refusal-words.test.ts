import type { WriteRefusal } from '@holdfast/client'
import { expect, test } from 'vitest'
import { commonRefusal, refusalWords } from './refusal-words.ts'

test('a refusal is said in the words of the policies, and by their names where they have none', () => {
  const lead = { name: 'lead_edits', words: undefined }
  const verified = { name: 'verify_by_supervisor', words: 'Only a lead verifies it.' }
  expect(refusalWords({ reason: 'restriction', policies: [verified] })).toBe('Only a lead verifies it.')
  expect(refusalWords({ reason: 'restriction', policies: [lead] })).toBe('Not allowed by “Lead edits”.')
  expect(refusalWords({ reason: 'permission', policies: [lead] })).toBe('Others can, by “Lead edits”.')
  expect(refusalWords({ reason: 'permission', policies: [] })).toBe('Nobody may change it.')
  expect(refusalWords({ reason: 'grant', columns: ['title'] })).toBe('Your role may not change it.')
})

test('what may follow a value is said in the words of the field, and why this person may not in those of the rule', () => {
  const field = { name: 'state', label: 'Stand', choiceWords: new Map([['to_verify', 'Zu prüfen']]) }
  const refused = { reason: 'transition', column: 'state', words: 'State stays Dropped.' } as const
  const next = ['to_verify', 'dropped']
  expect(refusalWords({ ...refused, from: 'open', next }, [field])).toBe(
    'Stand goes from Open to Zu prüfen or Dropped.',
  )
  expect(refusalWords({ ...refused, from: 'to_verify', next: [] }, [field])).toBe('Stand stays Zu prüfen.')
  expect(refusalWords({ ...refused, from: null, next: ['open'] })).toBe('State of a new record is Open.')
  expect(refusalWords({ ...refused, from: null, next: [] })).toBe('State stays as it is.')
  expect(refusalWords({ ...refused, from: 'open', words: 'Only a lead drops it.' })).toBe('Only a lead drops it.')
})

test('a reason of three fields or more is said of them together, one of two is not', () => {
  const verified: WriteRefusal = { reason: 'restriction', policies: [{ name: 'v', words: 'Only a lead verifies it.' }] }
  const granted: WriteRefusal = { reason: 'grant', columns: ['title'] }
  const common = (...refusals: readonly WriteRefusal[]): string | undefined =>
    commonRefusal({ fields: new Map(refusals.map((refusal, place) => [`field ${place}`, refusal])) })
  expect(common(granted, verified, verified, verified)).toBe('Only a lead verifies it.')
  expect(common(verified, verified, granted)).toBeUndefined()
  expect(common()).toBeUndefined()
})
