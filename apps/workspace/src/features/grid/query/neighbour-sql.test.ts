import { DatabaseSync } from 'node:sqlite'
import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { TEST_FIELDS, TEST_SITES, TEST_TASKS } from '../../../lib/fields/test-fields.test-support.ts'
import { NO_FILTER } from '../../../lib/filters/filter.ts'
import { sortIndexSql } from '../sort-index.ts'
import { type GridQuery, rowsSql } from './grid-query.ts'
import { neighbourSql } from './neighbour-sql.ts'
import type { Sort } from './sort.ts'

type Row = Record<string, FieldValue>

const view = (more: Partial<GridQuery> = {}): GridQuery => ({
  table: 'tasks',
  fields: TEST_FIELDS,
  search: '',
  filter: NO_FILTER,
  sorts: [],
  today: '2026-11-20',
  ...more,
})

describe('the neighbours of a record', () => {
  test('are those that the view shows before and after it, whatever its order and its groups', () => {
    const sort = fc.record({
      field: fc.constantFrom('title', 'state', 'site_id', 'points', 'due_on', 'cost'),
      isDescending: fc.boolean(),
    })
    fc.assert(
      fc.property(rowsOf(), fc.array(sort, { maxLength: 3 }), groupsOf(sort), (rows, sorts, groups) => {
        using database = openDatabase(rows)
        const query = view({ sorts })
        const window = rowsSql(query, undefined, 100, 0, groups)
        const ids = database.prepare(window.text).all(...window.values).map(({ id }) => id) // prettier-ignore
        for (const [index, id] of ids.entries()) {
          expect(neighboursOf(database, query, String(id), groups)).toEqual({
            previous: ids[index - 1] ?? null,
            next: ids[index + 1] ?? null,
          })
        }
      }),
      { numRuns: runsOf(200) },
    )
  })

  test('are of the view, also for a record that has left it', () => {
    const rows = ['a', 'b', 'c', 'd'].map((title, index) => ({
      id: `t${index}`,
      title,
      state: index % 2 ? 'doing' : 'open',
    }))
    using database = openDatabase(rows)
    const filter = {
      kind: 'all' as const,
      nodes: [{ kind: 'condition' as const, field: 'state', operator: 'in' as const, values: ['open'] }],
    }
    const query = view({ filter, sorts: [{ field: 'title', isDescending: false }] })
    expect(neighboursOf(database, query, 't1')).toEqual({ previous: 't0', next: 't2' })
  })

  test('are found by the index of the order, without reading the table', () => {
    using database = new DatabaseSync(':memory:') as DatabaseSync & Disposable
    const columns = TEST_TASKS.columns.filter(({ name }) => name !== 'id')
    const casts = columns.map(
      ({ name, local }) => `CAST(json_extract(data, '$.${name}') as ${local.toUpperCase()}) as "${name}"`,
    )
    database.exec(`create table "ps_data__tasks" (id text primary key, data text)`)
    database.exec(`create view "tasks" (id, ${columns.map(({ name }) => `"${name}"`).join(', ')})
      as select id, ${casts.map((cast) => cast.replace(/ as "[^"]*"$/, '')).join(', ')} from ps_data__tasks`)
    for (const name of ['title', 'due_on', 'points']) {
      const field = TEST_FIELDS.find((one): one is Field => one.name === name)
      database.exec((field && sortIndexSql('tasks', field)) ?? '')
      const { text, values } = neighbourSql(view({ sorts: [{ field: name, isDescending: name === 'due_on' }] }), 't1')
      const plan = database.prepare(`explain query plan ${text}`).all(...values).map(({ detail }) => String(detail)) // prettier-ignore
      const reads = plan.filter((step) => /^(SEARCH|SCAN) (t|ps_data__tasks)\b/.test(step))
      expect(reads.length).toBeGreaterThan(6)
      expect(reads.filter((step) => !step.includes('INDEX'))).toEqual([])
      expect(plan.filter((step) => step.includes('TEMP B-TREE'))).toEqual([])
    }
  })
})

function groupsOf(sort: fc.Arbitrary<Sort>): fc.Arbitrary<readonly Sort[]> {
  return fc.uniqueArray(sort, { maxLength: 2, selector: ({ field }) => field })
}

function neighboursOf(database: DatabaseSync, query: GridQuery, id: string, groups: readonly Sort[] = []): Row {
  const { text, values } = neighbourSql(query, id, groups)
  return { ...database.prepare(text).get(...values) } as Row
}

function openDatabase(rows: readonly Row[]): DatabaseSync & Disposable {
  const database = new DatabaseSync(':memory:')
  const sites = [{ id: 's1', name: 'Elmcroft' }, { id: 's2', name: 'Harrow' }, { id: 's3', name: 'harrow' }, { id: 's4', name: null }] // prettier-ignore
  for (const [table, content] of [[TEST_SITES, sites], [TEST_TASKS, rows]] as const) {
    const names = table.columns.map(({ name, local }) => `"${name}" ${local}`)
    database.exec(`create table "${table.name}" (${names.join(', ')})`)
    const insert = database.prepare(`insert into "${table.name}" values (${names.map(() => '?').join(', ')})`)
    for (const row of content) insert.run(...table.columns.map(({ name }) => (row as Row)[name] ?? null))
  } // prettier-ignore
  return database as DatabaseSync & Disposable
}

function rowsOf(): fc.Arbitrary<readonly Row[]> {
  const orNull = <T extends FieldValue>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
    fc.option(values, { freq: 3 })
  const row = fc.record({
    title: orNull(fc.constantFrom('', 'pump', 'Pump', 'x')),
    state: orNull(fc.constantFrom('open', 'doing', 'to_verify')),
    site_id: orNull(fc.constantFrom('s1', 's2', 's3', 's4', 'gone')),
    points: orNull(fc.integer({ min: -2, max: 2 })),
    cost: orNull(fc.constantFrom('0.50', '2', '10.00')),
    due_on: orNull(fc.constantFrom('2026-11-20', '2026-11-21')),
  })
  return fc
    .array(row, { maxLength: 12 })
    .map((rows) => rows.map((one, index) => ({ ...one, id: `t${String(index).padStart(2, '0')}` })))
}
