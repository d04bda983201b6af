import { expect, test } from 'vitest'
import { latenessOf } from './late.ts'
import { TEST_FIELDS, testField } from './test-fields.test-support.ts'

const lateIn = latenessOf(TEST_FIELDS, '2026-11-20')

test('a record is late from the day after the one that it is due on', () => {
  expect(lateIn({ due_on: '2026-11-19', state: 'open' })).toBe('due_on')
  expect(lateIn({ due_on: '2026-11-20', state: 'open' })).toBeUndefined()
  expect(lateIn({ due_on: null, state: 'open' })).toBeUndefined()
})

test('work that has ended is not late', () => {
  for (const state of ['done', 'verified', 'dropped']) expect(lateIn({ due_on: '2020-01-01', state })).toBeUndefined()
  expect(lateIn({ due_on: '2020-01-01', state: null })).toBe('due_on')
})

test('a moment is late by the day of this device, and other days make nothing late', () => {
  const due = { ...testField('seen_at'), name: 'due_at' }
  expect(latenessOf([due], '2026-11-20')({ due_at: '2026-11-18T12:00:00Z' })).toBe('due_at')
  expect(latenessOf([testField('seen_at')], '2026-11-20')({ seen_at: '2020-01-01T00:00:00Z' })).toBeUndefined()
})
