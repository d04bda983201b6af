import { DatabaseSync } from 'node:sqlite'
import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addDays } from '../../../lib/fields/dates.ts'
import { compileComputed } from '../../../lib/fields/compile-computed.ts'
import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { TEST_FIELDS, TEST_SCHEMA, TEST_SITES, TEST_TASKS } from '../../../lib/fields/test-fields.test-support.ts'
import {
  type Condition,
  type FilterGroup,
  type FilterNode,
  NO_FILTER,
  operatorsOf,
} from '../../../lib/filters/filter.ts'
import type { SqlPart } from '../../../lib/sql.ts'
import { countSql, type GridQuery, tablesOfQuery, windowSql } from './grid-query.ts'

// The invariant: for any view, SQLite answers what checking each condition on every row would.

type Row = Record<string, FieldValue>

const TODAY = '2026-11-20'
const SITES: readonly Row[] = [
  { id: 's1', name: 'Elmcroft' },
  { id: 's2', name: 'harrow 100%' },
  { id: 's3', name: null },
]
const view = (more: Partial<GridQuery> = {}): GridQuery => ({
  table: 'tasks',
  fields: TEST_FIELDS,
  search: '',
  filter: NO_FILTER,
  sorts: [],
  today: TODAY,
  ...more,
})

describe('the SQL of a view', () => {
  test('has no value of anybody in it', () => {
    const filter: FilterGroup = {
      kind: 'any',
      nodes: [
        { kind: 'condition', field: 'title', operator: 'has', values: ["50% o'clock"] },
        { kind: 'condition', field: 'points', operator: 'gt', values: ['3'] },
        { kind: 'condition', field: 'state', operator: 'in', values: ['open', 'doing'] },
      ],
    }
    const { text, values } = countSql(view({ filter }))
    expect(text).toBe(
      `select count(*) as rows from "tasks" t where (coalesce(t."title", '') like ? escape '\\' or coalesce(cast(t."points" as real) > ?, 0) or t."state" in (?, ?))`,
    )
    expect(values).toEqual(["%50\\% o'clock%", 3, 'open', 'doing'])
  })

  test('finds the rows of a choice by its index, and keeps to the index of an order', () => {
    const filter: FilterGroup = {
      kind: 'all',
      nodes: [{ kind: 'condition', field: 'state', operator: 'in', values: ['open'] }],
    }
    using database = openDatabase([])
    database.exec(`create index by_state on tasks (state, id); create index by_due on tasks (due_on, id)`)
    const planOf = ({ text, values }: SqlPart): string =>
      JSON.stringify(database.prepare(`explain query plan ${text}`).all(...values))
    expect(planOf(countSql(view({ filter })))).toContain('COVERING INDEX by_state')
    expect(planOf(windowSql(view({ filter }), 0, 100))).toContain('COVERING INDEX by_state')
    const sorts = [{ field: 'due_on', isDescending: true }]
    expect(planOf(windowSql(view({ filter, sorts }), 0, 100))).toContain('INDEX by_due')
  })

  test('has computed fields as columns, and computes only those that it names', () => {
    const double = { call: '*', of: [{ field: 'points' }, { number: 2 }] }
    const site = { kind: 'lookup' as const, link: 'site_id', field: 'name' }
    const computed = compileComputed(
      TEST_TASKS,
      TEST_SCHEMA,
      [
        {
          table: 'tasks',
          name: 'double',
          label: 'Double',
          result: 'number',
          definition: { kind: 'formula', formula: double },
        },
        { table: 'tasks', name: 'site', label: 'Site', result: 'text', definition: site },
        { table: 'tasks', name: 'gone', label: 'Gone', result: 'text', definition: { ...site, field: 'nothing' } },
      ],
      { today: TODAY, now: new Date() },
    )
    expect(computed.map(({ name, kind }) => [name, kind])).toEqual([
      ['double', 'number'],
      ['site', 'text'],
    ])
    const query = view({
      fields: [...TEST_FIELDS, ...computed],
      filter: { kind: 'all', nodes: [{ kind: 'condition', field: 'double', operator: 'gt', values: ['3'] }] },
      sorts: [{ field: 'double', isDescending: true }],
    })
    using database = openDatabase([1, 2, 3].map((points) => ({ id: `t${points}`, points, site_id: 's1' })))
    expect(read(database, query, 0, 10)).toMatchObject([
      { id: 't3', double: 6, site: 'Elmcroft' },
      { id: 't2', double: 4, site: 'Elmcroft' },
    ])
    expect(tablesOfQuery(query)).toEqual(['tasks', 'sites'])
    const { text } = countSql(view({ fields: query.fields }))
    expect(JSON.stringify(database.prepare(`explain query plan ${text}`).all())).not.toContain('sites')
  })

  test('finds the same rows as a naive reading of the filter', () => {
    fc.assert(
      fc.property(rowsOf(), groupOf(3), (rows, filter) => {
        using database = openDatabase(rows)
        expect(idsOf(database, view({ filter }))).toEqual(
          rows
            .filter((row) => fits(row, filter))
            .map(({ id }) => id)
            .toSorted(),
        )
      }),
      { numRuns: runsOf(300) },
    )
  })

  test('says of each row which rules it fits, as a filter by them would', () => {
    fc.assert(
      fc.property(rowsOf(), groupOf(2), groupOf(1), groupOf(2), (rows, first, second, filter) => {
        using database = openDatabase(rows)
        const rules = [first, second].map((rule) => ({ filter: rule }))
        for (const row of read(database, view({ filter, rules }), 0, 100)) {
          const own = rows.find(({ id }) => id === row['id']) ?? {}
          // A rule without conditions marks nothing.
          const marks = [first, second].map((rule) => (!isEmpty(rule) && fits(own, rule) ? 1 : 0))
          expect([row['~0'], row['~1']]).toEqual(marks)
        }
      }),
    )
  })

  test('compares only the rows that an index names, when it can name them', () => {
    fc.assert(
      fc.property(rowsOf(), fc.constantFrom('pump', 'elm', 'x'), fc.boolean(), (rows, word, canHelp) => {
        using database = openDatabase(rows)
        const all = idsOf(database, view({ search: word }))
        const named = rows.filter((_, index) => index % 2 === 0).map(({ id }) => String(id))
        const candidates = () =>
          canHelp ? { text: 'select value from json_each(?)', values: [JSON.stringify(named)], few: FEW } : undefined
        expect(idsOf(database, view({ search: word, candidates }))).toEqual(
          canHelp ? all.filter((id) => named.includes(String(id))) : all,
        )
      }),
    )
  })

  test('searches every word in any text and in what links are called', () => {
    const word = fc.constantFrom('pump', 'PUMP', 'elm', '100%', '_', 'x')
    fc.assert(
      fc.property(rowsOf(), fc.array(word, { maxLength: 2 }), (rows, words) => {
        using database = openDatabase(rows)
        const found = rows.filter((row) =>
          words.every((one) =>
            [row['title'], row['detail'], siteName(row['site_id'] ?? null)].some((text) => has(text, one)),
          ),
        )
        expect(idsOf(database, view({ search: words.join(' ') }))).toEqual(found.map(({ id }) => id).toSorted())
      }),
    )
  })

  test('gives windows that together are the whole view in its order, empty values last', () => {
    const sort = fc.record({
      field: fc.constantFrom(...TEST_FIELDS.map(({ name }) => name)),
      isDescending: fc.boolean(),
    })
    fc.assert(
      fc.property(rowsOf(), fc.array(sort, { maxLength: 2 }), (rows, sorts) => {
        using database = openDatabase(rows)
        const query = view({ sorts })
        const whole = read(database, query, 0, 100)
        const pieces = [0, 3, 6, 9, 12, 15, 18].flatMap((offset) => read(database, query, offset, 3))
        expect(pieces).toEqual(whole)
        const [first] = sorts
        if (first) {
          const empties = whole.map((row) => sortKey(first.field, row) === null)
          expect(empties).toEqual(empties.toSorted((a, b) => Number(a) - Number(b)))
        }
      }),
    )
  })
})

const FEW = { text: 'select 1 as few', values: [] }

function openDatabase(rows: readonly Row[]): DatabaseSync & Disposable {
  const database = new DatabaseSync(':memory:')
  for (const [table, content] of [[TEST_SITES, SITES], [TEST_TASKS, rows]] as const) {
    const names = table.columns.map(({ name, local }) => `"${name}" ${local}`)
    database.exec(`create table "${table.name}" (${names.join(', ')})`)
    const insert = database.prepare(`insert into "${table.name}" values (${names.map(() => '?').join(', ')})`)
    for (const row of content) insert.run(...table.columns.map(({ name }) => row[name] ?? null))
  } // prettier-ignore
  return database as DatabaseSync & Disposable
}

function read(database: DatabaseSync, query: GridQuery, offset: number, limit: number): readonly Row[] {
  const { text, values } = windowSql(query, offset, limit)
  return database.prepare(text).all(...values) as Row[]
}

function idsOf(database: DatabaseSync, query: GridQuery): readonly unknown[] {
  const ids = read(database, query, 0, 1000).map(({ id }) => id)
  const { text, values } = countSql(query)
  expect(database.prepare(text).get(...values)).toMatchObject({ rows: ids.length })
  return ids.toSorted()
}

function rowsOf(): fc.Arbitrary<readonly Row[]> {
  const day = fc.integer({ min: -3, max: 3 }).map((days) => addDays(TODAY, days))
  const orNull = <T extends FieldValue>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
    fc.option(values, { freq: 3 })
  const text = fc.constantFrom('', 'pump', 'Pump room', '100% open', 'a_b', 'x')
  const row = fc.record({
    title: orNull(text),
    state: orNull(fc.constantFrom('open', 'doing', 'to_verify')),
    site_id: orNull(fc.constantFrom('s1', 's2', 's3', 'gone')),
    points: orNull(fc.integer({ min: -3, max: 3 })),
    cost: orNull(fc.constantFrom('0.50', '2', '10.00', '-3')),
    ratio: orNull(fc.constantFrom(0.5, 2, -3)),
    due_on: orNull(day),
    seen_at: orNull(
      fc.tuple(day, fc.constantFrom('00:00', '09:30', '23:59')).map(([on, time]) => stored(`${on}T${time}:00`)),
    ),
    urgent: orNull(fc.constantFrom(0, 1)),
    tags: orNull(fc.constantFrom('["pump"]', '[]')),
    detail: orNull(text),
  })
  return fc
    .array(row, { maxLength: 20 })
    .map((rows) => rows.map((one, index) => ({ ...one, id: `t${String(index).padStart(2, '0')}` })))
}

function stored(local: string): string {
  return new Date(local).toISOString().replace('Z', '000Z')
}

function groupOf(depth: number): fc.Arbitrary<FilterGroup> {
  const condition = fc
    .constantFrom(...TEST_FIELDS.filter(({ name }) => name !== 'id'))
    .chain((field) =>
      fc.tuple(fc.constant(field), fc.constantFrom(...operatorsOf(field)), valueOf(field), valueOf(field)),
    )
    .map(([field, operator, first, second]): Condition => ({
      kind: 'condition',
      field: field.name,
      operator,
      values: operator === 'in' || operator === 'notin' ? [first, second] : [first],
    }))
  return fc.record({
    kind: fc.constantFrom('all' as const, 'any' as const),
    nodes: fc.array<FilterNode>(depth === 1 ? condition : fc.oneof(condition, groupOf(depth - 1)), { maxLength: 3 }),
  })
}

function valueOf({ kind }: Field): fc.Arbitrary<string> {
  switch (kind) {
    case 'integer':
    case 'number':
      return fc.constantFrom('2', '0.5', '-3', '10')
    case 'date':
    case 'datetime':
      return fc.constantFrom('today', 'today-1', 'today+2', 'week', 'month', addDays(TODAY, -2))
    case 'choice':
      return fc.constantFrom('open', 'doing', 'to_verify')
    case 'link':
      return fc.constantFrom('s1', 's2', 'elm', '100%', 'PUMP')
    default:
      return fc.constantFrom('pump', 'PUMP ROOM', '%', '_', 'x', 'open')
  }
}

/** Whether a row matches a filter. An empty group matches everything, even when nested. */
function fits(row: Row, group: FilterGroup): boolean {
  const answers = group.nodes
    .filter((node) => !isEmpty(node))
    .map((node) => (node.kind === 'condition' ? asks(row, node) : fits(row, node)))
  return answers.length === 0 || (group.kind === 'all' ? answers.every(Boolean) : answers.some(Boolean))
}

function isEmpty(node: FilterNode): boolean {
  return node.kind !== 'condition' && node.nodes.every(isEmpty)
}

function asks(row: Row, { field: name, operator, values }: Condition): boolean {
  const field = TEST_FIELDS.find((one) => one.name === name)
  const value = row[name] ?? null
  const [wanted = ''] = values
  const text = field?.kind === 'link' ? siteName(value) : value
  const isNumber = field?.kind === 'integer' || field?.kind === 'number'
  const [from, to] = [dayStart(field, wanted, 0), dayStart(field, wanted, 1)]
  switch (operator) {
    case 'empty':
      return value === null || value === ''
    case 'filled':
      return value !== null && value !== ''
    case 'yes':
      return value !== null && value !== 0
    case 'no':
      return value === 0
    case 'has':
      return has(text, wanted)
    case 'hasnt':
      return !has(text, wanted)
    case 'starts':
      return String(text ?? '')
        .toLowerCase()
        .startsWith(wanted.toLowerCase())
    case 'in':
      return values.includes(String(value ?? ''))
    case 'notin':
      return !values.includes(String(value ?? ''))
    case 'is':
      if (value === null) return false
      if (field?.kind === 'date' || field?.kind === 'datetime') return moment(value) >= from && moment(value) < to
      return isNumber ? Number(value) === Number(wanted) : String(value).toLowerCase() === wanted.toLowerCase()
    case 'isnt':
      if (value === null) return true
      return isNumber ? Number(value) !== Number(wanted) : String(value).toLowerCase() !== wanted.toLowerCase()
    case 'lt':
      return value !== null && Number(value) < Number(wanted)
    case 'lte':
      return value !== null && Number(value) <= Number(wanted)
    case 'gt':
      return value !== null && Number(value) > Number(wanted)
    case 'gte':
      return value !== null && Number(value) >= Number(wanted)
    case 'before':
      return value !== null && moment(value) < from
    case 'after':
      return value !== null && moment(value) >= to
    default:
      return operator satisfies never
  }
}

function has(text: FieldValue | undefined, part: string): boolean {
  return String(text ?? '')
    .toLowerCase()
    .includes(part.toLowerCase())
}

function siteName(id: FieldValue): FieldValue {
  return SITES.find((site) => site['id'] === id)?.['name'] ?? null
}

function moment(value: FieldValue): number {
  const text = String(value)
  return new Date(text.length === 10 ? `${text}T00:00:00` : text).getTime()
}

function dayStart(field: Field | undefined, wanted: string, later: number): number {
  const [from, to] = { week: ['2026-11-16', '2026-11-23'], month: ['2026-11-01', '2026-12-01'] }[wanted] ?? []
  if (from !== undefined && to !== undefined && isDated(field)) return moment(later === 0 ? from : to)
  if (!isDated(field)) return 0
  const days = wanted.startsWith('today') ? Number(wanted.slice(5) || 0) : undefined
  return moment(addDays(days === undefined ? wanted : addDays(TODAY, days), later))
}

function isDated(field: Field | undefined): boolean {
  return field?.kind === 'date' || field?.kind === 'datetime'
}

function sortKey(name: string, row: Row): FieldValue {
  return name === 'site_id' ? siteName(row[name] ?? null) : (row[name] ?? null)
}
