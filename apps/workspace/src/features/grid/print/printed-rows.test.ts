import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { TEST_FIELDS, testField } from '../../../lib/fields/test-fields.test-support.ts'
import { NO_FILTER } from '../../../lib/filters/filter.ts'
import { parseFilter } from '../../../lib/filters/filter-text.ts'
import type { ReadOptions } from '../export/export-view.ts'
import { gridQueryOf } from '../query/grid-query-of.ts'
import { PRINTED_MAX, readPrintedView } from './printed-rows.ts'

function tasks(rows: number): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  const names = ['id', ...TEST_FIELDS.map(({ name }) => name).filter((name) => name !== 'id')]
  database.exec(`create table tasks (${names.map((name) => `"${name}"`).join(', ')}); create table sites (id, name);
    insert into sites values ('s', 'Valve House');
    insert into tasks (id, title, state, points, site_id)
      select value, 'Task ' || value, case value % 2 when 0 then 'open' else 'done' end, value * 1000, 's'
        from (with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ${String(rows)}) select value from numbers)`)
  return database
}

function asked(database: DatabaseSync, changes: Partial<ReadOptions> = {}): ReadOptions {
  return {
    database: {
      getAll: <Row>(sql: string, values: readonly unknown[] = []) =>
        Promise.resolve(database.prepare(sql).all(...(values as string[])) as Row[]),
    },
    query: gridQueryOf({
      table: 'tasks',
      fields: TEST_FIELDS,
      search: '',
      filter: NO_FILTER,
      sort: '-points',
      today: '2026-11-29',
    }),
    groups: [],
    fields: ['title', 'due_on', 'points', 'site_id'].map(testField),
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...changes,
  }
}

test('a view is printed whole, in its order, with the titles of links: more than the screen has read', async () => {
  using database = tasks(1_203)
  const printed = await readPrintedView(asked(database))
  if (printed.kind !== 'rows') throw new Error('it was not read')
  expect(printed.records).toBe(1_203)
  expect(printed.rows[0]).toEqual({ id: '1203', cells: ['Task 1203', '1,203,000', 'Valve House'] })
  expect(printed.rows.at(-1)).toMatchObject({ id: '1' })
  expect(printed.fields.map(({ name }) => name)).toEqual(['title', 'points', 'site_id'])
})

test('each group of a view begins with its value, also where that is no printed column', async () => {
  using database = tasks(4)
  const printed = await readPrintedView(asked(database, { groups: [{ field: 'state', isDescending: false }] }))
  expect(printed.kind === 'rows' && printed.rows.map((row) => ('group' in row ? row.group : row.id))).toEqual([
    'State: Open',
    '4',
    '2',
    'State: Done',
    '3',
    '1',
  ])
})

test('a view of too many records is not printed in part', async () => {
  using database = tasks(PRINTED_MAX + 1)
  expect(await readPrintedView(asked(database))).toEqual({ kind: 'too_many', count: PRINTED_MAX + 1 })
  const query = { ...asked(database).query, filter: parseFilter('all(state.in.open)') }
  expect(await readPrintedView(asked(database, { query }))).toMatchObject({ kind: 'rows', records: PRINTED_MAX / 2 })
})
