import { expect, test } from 'vitest'
import { refusalWords } from './refusal-words.ts'

test('a refusal is said in the words of the policies, and by their names where they have none', () => {
  const lead = { name: 'lead_edits', words: undefined }
  const verified = { name: 'verify_by_supervisor', words: 'Only a lead verifies it.' }
  expect(refusalWords({ reason: 'restriction', policies: [verified] })).toBe('Only a lead verifies it.')
  expect(refusalWords({ reason: 'restriction', policies: [lead] })).toBe('Not allowed by “Lead edits”.')
  expect(refusalWords({ reason: 'permission', policies: [lead] })).toBe('Others can, by “Lead edits”.')
  expect(refusalWords({ reason: 'permission', policies: [] })).toBe('Nobody may change it.')
  expect(refusalWords({ reason: 'grant', columns: ['title'] })).toBe('Your role may not change it.')
})
