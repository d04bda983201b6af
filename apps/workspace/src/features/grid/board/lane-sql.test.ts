import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { TEST_FIELDS, testField } from '../../../lib/fields/test-fields.test-support.ts'
import { NO_FILTER } from '../../../lib/filters/filter.ts'
import type { SqlPart } from '../../../lib/sql.ts'
import type { GridQuery } from '../query/grid-query.ts'
import { laneFieldOf, laneFields, laneRowsSql, type LaneRow, lanesOf, lanesSql } from './lane-sql.ts'

const QUERY: GridQuery = {
  table: 'tasks',
  fields: TEST_FIELDS,
  search: '',
  filter: NO_FILTER,
  sorts: [{ field: 'title', isDescending: false }],
  today: '2026-11-20',
}

function openTasks(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec(`
    create table tasks (${TEST_FIELDS.map(({ name }) => `"${name}"`).join(', ')});
    create table sites (id, name);
    insert into sites values ('s1', 'Zeal'), ('s2', 'Arbour');
    insert into tasks (id, title, state, site_id, urgent) values
      ('1', 'a', 'open', 's1', 1), ('2', 'b', 'doing', 's2', 0), ('3', 'c', 'open', null, null),
      ('4', 'd', 'strange', 's1', 1), ('5', 'e', null, 's2', 0);`)
  return database
}

function ask<Row>(database: DatabaseSync, { text, values }: SqlPart): readonly Row[] {
  return database
    .prepare(text)
    .all(...values)
    .map((row) => ({ ...row })) as Row[]
}

const lanes = (database: DatabaseSync, field: string, query = QUERY): readonly (readonly unknown[])[] =>
  lanesOf(testField(field), ask<LaneRow>(database, lanesSql(query, testField(field)))).map(({ value, label, rows }) => [
    label ?? value,
    rows,
  ])

test('lanes stand in the order of the choices, the empty ones too, then values nobody declared, then none', () => {
  using database = openTasks()
  expect(lanes(database, 'state')).toEqual([
    ['open', 2],
    ['doing', 1],
    ['to_verify', 0],
    ['strange', 1],
    [null, 1],
  ])
})

test('lanes of a link are called by their records and stand in the order of the names', () => {
  using database = openTasks()
  expect(lanes(database, 'site_id')).toEqual([
    ['Arbour', 2],
    ['Zeal', 2],
    [null, 1],
  ])
})

test('the filter of the view narrows the lanes', () => {
  using database = openTasks()
  const filter = { kind: 'all', nodes: [{ kind: 'condition', field: 'urgent', operator: 'yes', values: [] }] } as const
  expect(lanes(database, 'state', { ...QUERY, filter })).toEqual([
    ['open', 1],
    ['doing', 0],
    ['to_verify', 0],
    ['strange', 1],
  ])
})

test('a lane has its own rows in the order of the view, and no more than asked for', () => {
  using database = openTasks()
  const ids = (value: string | null, limit: number, query = QUERY): readonly string[] =>
    ask<{ readonly id: string }>(database, laneRowsSql(query, testField('state'), value, limit)).map(({ id }) => id)
  expect(ids('open', 10)).toEqual(['1', '3'])
  expect(ids('open', 10, { ...QUERY, sorts: [{ field: 'title', isDescending: true }] })).toEqual(['3', '1'])
  expect(ids('open', 1)).toEqual(['1'])
  expect(ids(null, 10)).toEqual(['5'])
})

test('a board takes the field of the view, or the one that says where a record stands', () => {
  expect(laneFields(TEST_FIELDS).map(({ name }) => name)).toEqual(['state', 'site_id', 'urgent'])
  expect(laneFieldOf(TEST_FIELDS, 'site_id')?.name).toBe('site_id')
  expect(laneFieldOf(TEST_FIELDS, 'gone')?.name).toBe('state')
  expect(laneFieldOf([testField('title')], undefined)).toBeUndefined()
})
