import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { TEST_FIELDS, TEST_TASKS, testField } from '../../../lib/fields/test-fields.test-support.ts'
import { NO_FILTER } from '../../../lib/filters/filter.ts'
import {
  type Aggregate,
  type AggregateRow,
  aggregatesOf,
  aggregatesSql,
  formatAggregate,
  parseAggregates,
  renderAggregates,
} from './aggregates.ts'
import type { GridQuery } from './grid-query.ts'

const VIEW: GridQuery = {
  table: 'tasks',
  fields: TEST_FIELDS,
  search: '',
  filter: NO_FILTER,
  sorts: [],
  today: '2026-11-20',
}

/** What the view calculates of a field whose rows have these values. */
function calculated(name: string, aggregate: Aggregate, values: readonly (string | number | null)[]): string {
  using database = new DatabaseSync(':memory:')
  database.exec(
    `create table tasks (${TEST_TASKS.columns.map((column) => `"${column.name}" ${column.local}`).join(', ')})`,
  )
  const insert = database.prepare(`insert into tasks (id, "${name}") values (?, ?)`)
  for (const [index, value] of values.entries()) insert.run(String(index), value)
  const one = { field: testField(name), aggregate }
  const { text, values: asked } = aggregatesSql(VIEW, [one])
  return formatAggregate(one, 0, database.prepare(text).get(...asked) as AggregateRow)
}

test('records, those with a value, those without and different values are counted', () => {
  const titles = ['a', 'b', 'a', '', null]
  expect(calculated('title', 'count', titles)).toBe('5')
  expect(calculated('title', 'filled', titles)).toBe('3')
  expect(calculated('title', 'empty', titles)).toBe('2')
  expect(calculated('title', 'unique', titles)).toBe('2')
})

test('numbers are added as their type writes them, also decimal ones that are stored as texts', () => {
  expect(calculated('cost', 'sum', ['0.10', '0.20', null])).toBe('0.3')
  expect(calculated('cost', 'max', ['9.50', '10.25'])).toBe('10.25')
  expect(calculated('points', 'average', [1, 2, 2])).toBe('1.67')
  expect(calculated('points', 'sum', [])).toBe('')
})

test('the first and the last day are found', () => {
  const days = ['2026-02-01', null, '2025-12-31']
  expect(calculated('due_on', 'earliest', days)).toMatch(/2025/)
  expect(calculated('due_on', 'latest', days)).toMatch(/2026/)
})

test('the text of a view names one for a field, and what does not fit is skipped', () => {
  const parsed = parseAggregates('title.sum,points.sum,points.average,gone.count,due_on.latest', TEST_FIELDS)
  expect(renderAggregates(parsed)).toBe('points.average,due_on.latest')
  expect(renderAggregates(parseAggregates(undefined, TEST_FIELDS))).toBeUndefined()
  for (const field of TEST_FIELDS) expect(aggregatesOf(field)).toContain('count')
})
