import { DatabaseSync } from 'node:sqlite'
import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TEST_FIELDS, TEST_TASKS, testField } from '../../../lib/fields/test-fields.test-support.ts'
import { NO_FILTER } from '../../../lib/filters/filter.ts'
import type { SqlPart } from '../../../lib/sql.ts'
import { type Aggregate, aggregatesOf, formatAggregate, parseAggregates, renderAggregates } from './aggregates.ts'
import type { GridQuery } from './grid-query.ts'
import { type AskView, calculateInSlices } from './sliced-aggregates.ts'

const VIEW: GridQuery = {
  table: 'tasks',
  fields: TEST_FIELDS,
  search: '',
  filter: NO_FILTER,
  sorts: [],
  today: '2026-11-20',
}

/** Calculates aggregates of a field with the given values, in slices of the given size. */
async function calculated(
  name: string,
  aggregate: Aggregate,
  values: readonly (string | number | null)[],
  sliceRows = 2,
): Promise<string> {
  using database = new DatabaseSync(':memory:')
  database.exec(
    `create table tasks (${TEST_TASKS.columns.map((column) => `"${column.name}" ${column.local}`).join(', ')})`,
  )
  const insert = database.prepare(`insert into tasks (id, "${name}") values (?, ?)`)
  for (const [index, value] of values.entries()) insert.run(String(index).padStart(4, '0'), value)
  const one = { field: testField(name), aggregate }
  const ask: AskView = async <Row>(sqlOf: (query: GridQuery) => SqlPart) => {
    const { text, values: asked } = sqlOf(VIEW)
    return database.prepare(text).get(...asked) as Row
  }
  const row = await calculateInSlices(ask, [one], () => false, sliceRows)
  return row ? formatAggregate(one, 0, row) : 'over'
}

test('records, those with a value, those without and different values are counted', async () => {
  const titles = ['a', 'b', 'a', '', null]
  expect(await calculated('title', 'count', titles)).toBe('5')
  expect(await calculated('title', 'filled', titles)).toBe('3')
  expect(await calculated('title', 'empty', titles)).toBe('2')
  expect(await calculated('title', 'unique', titles)).toBe('2')
})

test('numbers are added as their type writes them, also decimal ones that are stored as texts', async () => {
  expect(await calculated('cost', 'sum', ['0.10', '0.20', null])).toBe('0.3')
  expect(await calculated('cost', 'max', ['9.50', '10.25'])).toBe('10.25')
  expect(await calculated('points', 'average', [1, 2, 2])).toBe('1.67')
  expect(await calculated('points', 'sum', [])).toBe('')
})

test('the first and the last day are found', async () => {
  const days = ['2026-02-01', null, '2025-12-31']
  expect(await calculated('due_on', 'earliest', days)).toMatch(/2025/)
  expect(await calculated('due_on', 'latest', days)).toMatch(/2026/)
})

test('slices of any size calculate what one question does', async () => {
  const number = fc.option(fc.integer({ min: -50, max: 50 }))
  await fc.assert(
    fc.asyncProperty(fc.array(number, { maxLength: 20 }), fc.integer({ min: 1, max: 8 }), async (values, sliceRows) => {
      for (const aggregate of aggregatesOf(testField('points'))) {
        const inOne = await calculated('points', aggregate, values, values.length + 1)
        expect(await calculated('points', aggregate, values, sliceRows), aggregate).toBe(inOne)
      }
    }),
    { numRuns: runsOf(30) },
  )
})

test('a calculation that nobody waits for ends between two slices', async () => {
  let asked = 0
  const ask: AskView = async <Row>() => {
    asked += 1
    return { id: String(asked), a0: 1 } as Row
  }
  const one = { field: testField('points'), aggregate: 'sum' } as const
  expect(await calculateInSlices(ask, [one], () => asked >= 4)).toBeUndefined()
  expect(asked).toBe(4)
})

test('the text of a view names one for a field, and what does not fit is skipped', () => {
  const parsed = parseAggregates('title.sum,points.sum,points.average,gone.count,due_on.latest', TEST_FIELDS)
  expect(renderAggregates(parsed)).toBe('points.average,due_on.latest')
  expect(renderAggregates(parseAggregates(undefined, TEST_FIELDS))).toBeUndefined()
  for (const field of TEST_FIELDS) expect(aggregatesOf(field)).toContain('count')
})
