import { expect, test } from 'vitest'
import type { WordedColumn } from '../data/column-words.ts'
import { fieldsOf } from './field.ts'
import { latenessOf } from './late.ts'
import { TEST_FIELDS, TEST_SCHEMA, testColumn, testField, testTable } from './test-fields.test-support.ts'

const CLOCK = { today: '2026-11-20', now: Date.parse('2026-11-20T10:00:00Z') }
const lateIn = latenessOf(TEST_FIELDS, CLOCK)

test('a record that is due on a day is late from the day after', () => {
  expect(lateIn({ due_on: '2026-11-19', state: 'open' })).toBe('due_on')
  expect(lateIn({ due_on: '2026-11-20', state: 'open' })).toBeUndefined()
  expect(lateIn({ due_on: null, state: 'open' })).toBeUndefined()
})

test('a record that is due at a time is late from that time, on the same day', () => {
  const due = { ...testField('seen_at'), name: 'due_at', use: 'due' as const }
  const late = latenessOf([due], CLOCK)
  expect(late({ due_at: '2026-11-20T09:59:00Z' })).toBe('due_at')
  expect(late({ due_at: '2026-11-20T10:01:00Z' })).toBeUndefined()
  expect(late({ due_at: 'no time' })).toBeUndefined()
})

test('other times make nothing late', () => {
  expect(latenessOf([testField('seen_at')], CLOCK)({ seen_at: '2020-01-01T00:00:00Z' })).toBeUndefined()
})

test('work that has ended is not late, however its state is written', () => {
  for (const state of ['done', 'verified', 'dropped', 'Erledigt'])
    expect(lateIn({ due_on: '2020-01-01', state })).toBeUndefined()
  expect(lateIn({ due_on: '2020-01-01', state: null })).toBe('due_on')
})

test('a field is due by its name, in English and German, unless the owner says otherwise', () => {
  const dueOf = (...columns: readonly WordedColumn[]): string | undefined =>
    fieldsOf(testTable('tasks', columns), TEST_SCHEMA).find(({ use }) => use === 'due')?.name
  const dated = (name: string): WordedColumn => testColumn(name, 'date')
  expect(['faellig_am', 'fällig', 'frist', 'due_on'].map((name) => dueOf(dated(name)))).not.toContain(undefined)
  expect(['subdued', 'residue_on'].map((name) => dueOf(dated(name)))).toEqual([undefined, undefined])
  expect(dueOf(dated('due_on'), { ...dated('end_on'), use: 'due' })).toBe('end_on')
  expect(dueOf({ ...dated('due_on'), use: 'none' })).toBeUndefined()
})

test('a state that the owner closed is finished, and the usual words are not any more', () => {
  const closed = ['to_verify']
  const fields = TEST_FIELDS.map((field) =>
    field.name === 'state' ? { ...field, column: { ...field.column, closed } } : field,
  )
  const late = latenessOf(fields, CLOCK)
  expect(late({ due_on: '2020-01-01', state: 'to_verify' })).toBeUndefined()
  expect(late({ due_on: '2020-01-01', state: 'done' })).toBe('due_on')
})
