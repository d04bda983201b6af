import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { toTableInfo } from '../../lib/data/tables.ts'
import { TEST_FIELDS, TEST_TASKS } from '../../lib/fields/test-fields.test-support.ts'
import { parseFilter } from '../../lib/filters/filter-text.ts'
import { countSql } from './query/grid-query.ts'
import { gridQueryOf } from './query/grid-query-of.ts'
import { VIEW_COUNT_MAX, viewCountQuery } from './view-count-sql.ts'

const TABLE = toTableInfo(TEST_TASKS)
const TODAY = '2026-11-29'

const counted = (filter: string | undefined, type: 'grid' | 'form' = 'grid'): ReturnType<typeof viewCountQuery> =>
  viewCountQuery(TABLE, { type, settings: filter === undefined ? {} : { filter } }, TEST_FIELDS, TODAY)

function tasks(rows: number): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec(`create table tasks (${['id', ...TEST_FIELDS.map(({ name }) => name).filter((name) => name !== 'id')].map((name) => `"${name}"`).join(', ')});
    insert into tasks (id, title, state, points)
      select value, 'Task ' || value, case value % 3 when 0 then 'open' when 1 then 'done' end, value
        from (with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ${String(rows)}) select value from numbers)`)
  return database
}

test.each([
  'all(state.in.open)',
  'any(state.in.done,points.gt.20)',
  'all(state.empty)',
  'all(title.has.1,points.lt.9)',
])('the count beside a view with %s is that of the opened view', (filter) => {
  using database = tasks(30)
  const query = counted(filter)
  const grid = countSql(
    gridQueryOf({
      table: 'tasks',
      fields: TEST_FIELDS,
      search: '',
      filter: parseFilter(filter),
      sort: undefined,
      today: TODAY,
    }),
  )
  const expected = database.prepare(grid.text).get(...grid.values)
  expect(Number(expected?.['rows'])).toBeGreaterThan(0)
  expect(database.prepare(query?.sql.text ?? '').get(...(query?.sql.values ?? []))).toEqual(expected)
  expect(query?.tables).toContain('tasks')
})

test('counting stops after the limit', () => {
  using database = tasks(3 * VIEW_COUNT_MAX + 30)
  const query = counted('all(state.in.open)')
  expect(database.prepare(query?.sql.text ?? '').get(...(query?.sql.values ?? []))).toEqual({
    rows: VIEW_COUNT_MAX + 1,
  })
})

test('forms, views of all records and filters on unknown fields have no count', () => {
  expect(counted('all(state.in.open)', 'form')).toBeUndefined()
  expect(counted(undefined)).toBeUndefined()
  expect(counted('all(nothing.is.1)')).toBeUndefined()
})
