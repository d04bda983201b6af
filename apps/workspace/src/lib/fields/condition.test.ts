import { describe, expect, test } from 'vitest'
import {
  type Condition,
  type Conditions,
  conditionsWords,
  daysFromToday,
  readConditions,
  testsOf,
  todayPlus,
  writeConditions,
} from './condition.ts'
import { fieldsOf } from './field.ts'
import { testColumn, testTable } from './test-fields.test-support.ts'

const JOBS = testTable('jobs', [
  testColumn('title', 'text', { comment: 'Title.' }),
  testColumn('state', 'text', { comment: 'State.', choices: ['open', 'done'] }),
  testColumn('hours', 'numeric', { comment: 'Hours.' }),
  testColumn('due_on', 'date', { comment: 'Due.' }),
  testColumn('seen_at', 'timestamp with time zone', { comment: 'Seen.' }),
  testColumn('is_urgent', 'boolean', { comment: 'Urgent.' }),
])
const FIELDS = fieldsOf(JOBS, { version: '1', tables: [JOBS] })
const open: Condition = { field: 'state', is: 'one_of', values: ['open'] }
const long: Condition = { field: 'hours', is: 'more_than', values: ['7.5'] }
const late: Condition = { field: 'due_on', is: 'less_than', values: ['today-1'], zone: 'UTC' }

test.each<readonly [string, string]>([
  ['title', 'one_of none_of contains empty filled'],
  ['state', 'one_of none_of empty filled'],
  ['hours', 'one_of none_of more_than at_least less_than at_most empty filled'],
  ['due_on', 'one_of none_of more_than at_least less_than at_most empty filled'],
  ['seen_at', 'more_than at_least less_than at_most empty filled'],
  ['is_urgent', 'one_of none_of empty filled'],
])('%s is compared by %s, as the server compares its type', (name, tests) => {
  const field = FIELDS.find((one) => one.name === name)
  expect(field && testsOf(field).join(' ')).toBe(tests)
})

describe('a list', () => {
  test.each<readonly [Conditions, string]>([
    [[], 'all'],
    [[open, long], 'all'],
    [[{ any: [open, long] }], 'any'],
    [[late, { any: [open, long] }], 'mixed'],
  ])('%j is joined by %s', (list, joint) => {
    expect(readConditions(list).joint).toBe(joint)
    if (joint !== 'mixed')
      expect(writeConditions(readConditions(list).joint, readConditions(list).conditions)).toEqual(list)
  })

  test('with one condition needs no alternatives', () => {
    expect(writeConditions('any', [open])).toEqual([open])
  })

  test.each<readonly [Conditions, string]>([
    [[open, long], 'State is Open and Hours is more than 7.5'],
    [[{ any: [open, late] }], 'State is Open or Due is before yesterday'],
    [[long, { any: [open, late] }], 'Hours is more than 7.5 and (State is Open or Due is before yesterday)'],
    [[{ field: 'gone', is: 'at_most', values: ['x'] }], 'gone is at most x'],
  ])('%j reads "%s"', (list, words) => {
    expect(conditionsWords(list, FIELDS)).toBe(words)
  })
})

test('days from today are written as they are read', () => {
  for (const days of [0, 1, -1, 400, -9_999]) expect(daysFromToday(todayPlus(days))).toBe(days)
  for (const value of ['', '2026-01-01', 'today+', 'todays', 'today+12345', undefined])
    expect(daysFromToday(value)).toBeUndefined()
})
