import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { toStoredMoment } from '../../../lib/fields/dates.ts'
import { TEST_FIELDS, testField } from '../../../lib/fields/test-fields.test-support.ts'
import { NO_FILTER } from '../../../lib/filters/filter.ts'
import type { GridQuery } from '../query/grid-query.ts'
import { type Entry, entriesSql } from './calendar-sql.ts'
import { type DateFields, dateFieldsOf, movedBy } from './date-fields.ts'

const QUERY: GridQuery = {
  table: 'tasks',
  fields: TEST_FIELDS,
  search: '',
  filter: NO_FILTER,
  sorts: [{ field: 'title', isDescending: false }],
  today: '2026-11-20',
}
const at = (text: string): string => toStoredMoment(new Date(text), true)

function openTasks(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec(
    `create table tasks (${TEST_FIELDS.map(({ name }) => `"${name}"`).join(', ')}); create table sites (id, name)`,
  )
  const insert = database.prepare('insert into tasks (id, title, state, due_on, seen_at) values (?, ?, ?, ?, ?)')
  insert.run('1', 'c', 'open', '2026-11-20', at('2026-11-20T00:00:00'))
  insert.run('2', 'b', 'doing', '2026-11-20', at('2026-11-22T09:30:00'))
  insert.run('3', 'a', 'open', '2026-11-20', null)
  insert.run('4', 'd', 'open', '2026-11-21', at('2026-11-22T00:00:00'))
  insert.run('5', 'e', 'open', '2026-12-01', at('2026-11-21T23:59:59'))
  insert.run('6', 'f', 'open', null, null)
  return database
}

function entries(
  fields: DateFields,
  days: readonly string[],
  perDay = 10,
  query = QUERY,
): readonly (readonly [day: string, titles: string, total: number])[] {
  using database = openTasks()
  const { text, values } = entriesSql(query, fields, days, perDay)
  const rows = database.prepare(text).all(...values) as Entry[]
  return [...Map.groupBy(rows, (row) => row['#day'])].map(([day, own]) => [
    day,
    own.map(({ title }) => title).join(''),
    own[0]?.['#total'] ?? 0,
  ])
}

const DUE: DateFields = { start: testField('due_on'), end: undefined }

test('each day has its records in the order of the view, and says how many more it has', () => {
  expect(entries(DUE, ['2026-11-19', '2026-11-20', '2026-11-21'], 2)).toEqual([
    ['2026-11-20', 'ab', 3],
    ['2026-11-21', 'd', 1],
  ])
})

test('the filter of the view narrows the days', () => {
  const filter = {
    kind: 'all',
    nodes: [{ kind: 'condition', field: 'state', operator: 'in', values: ['doing'] }],
  } as const
  expect(entries(DUE, ['2026-11-20', '2026-11-21'], 10, { ...QUERY, filter })).toEqual([['2026-11-20', 'b', 1]])
})

test('a moment belongs to the day that it has on this device', () => {
  const seen: DateFields = { start: testField('seen_at'), end: undefined }
  expect(entries(seen, ['2026-11-20', '2026-11-21', '2026-11-22'])).toEqual([
    ['2026-11-20', 'c', 1],
    ['2026-11-21', 'e', 1],
    ['2026-11-22', 'db', 2],
  ])
})

test('a record with an end is on every day until then, also on days whose beginning is not shown', () => {
  const both: DateFields = { start: testField('due_on'), end: testField('seen_at') }
  expect(entries(both, ['2026-11-21', '2026-11-22'])).toEqual([
    ['2026-11-21', 'bd', 2],
    ['2026-11-22', 'b', 1],
  ])
})

test('a move keeps the time of day, and the distance to the end', () => {
  const row = { id: '2', due_on: '2026-11-20', seen_at: at('2026-11-22T09:30:00') }
  expect(movedBy({ start: testField('due_on'), end: testField('seen_at') }, row, 9)).toEqual({
    due_on: '2026-11-29',
    seen_at: at('2026-12-01T09:30:00'),
  })
  expect(movedBy({ start: testField('due_on'), end: testField('seen_at') }, { ...row, seen_at: null }, -1)).toEqual({
    due_on: '2026-11-19',
  })
  expect(movedBy({ start: testField('seen_at'), end: testField('due_on') }, { ...row, due_on: 'infinity' }, 1)).toEqual(
    {
      seen_at: at('2026-11-23T09:30:00'),
      due_on: 'infinity',
    },
  )
})

test('a calendar goes by the fields of the view, or by the date that people set', () => {
  expect(dateFieldsOf(TEST_FIELDS, 'seen_at')?.start.name).toBe('seen_at')
  expect(dateFieldsOf(TEST_FIELDS, 'due_on,seen_at')?.end?.name).toBe('seen_at')
  expect(dateFieldsOf(TEST_FIELDS, 'gone,gone')).toEqual(DUE)
  expect(dateFieldsOf([testField('title')], undefined)).toBeUndefined()
})
