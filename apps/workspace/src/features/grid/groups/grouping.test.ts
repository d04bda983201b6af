import { DatabaseSync } from 'node:sqlite'
import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FieldValue } from '../../../lib/fields/field.ts'
import { TEST_FIELDS, TEST_TASKS } from '../../../lib/fields/test-fields.test-support.ts'
import { NO_FILTER, type FilterGroup } from '../../../lib/filters/filter.ts'
import type { GridQuery } from '../query/grid-query.ts'
import type { GroupLayout } from '../row-groups.ts'
import { groupedQuery } from './grouping.ts'
import { parseGroups } from './parse-groups.ts'

// The invariant: a grouped view equals all rows sorted by the groups, with a header above each change of a value.

type Row = Record<string, FieldValue>

const SITES: readonly Row[] = [
  { id: 's1', name: 'Elmcroft' },
  // Two sites with the same name are two groups.
  { id: 's2', name: 'Harrow' },
  { id: 's3', name: 'harrow' },
  { id: 's4', name: null },
]
const view = (more: Partial<GridQuery> = {}): GridQuery => ({
  table: 'tasks',
  fields: TEST_FIELDS,
  search: '',
  filter: NO_FILTER,
  sorts: [{ field: 'points', isDescending: true }],
  today: '2026-11-20',
  ...more,
})

function openDatabase(rows: readonly Row[]): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec(`create table tasks (${TEST_TASKS.columns.map(({ name, local }) => `"${name}" ${local}`).join(', ')});
    create table sites (id text, name text)`)
  const site = database.prepare('insert into sites values (?, ?)')
  for (const { id = null, name = null } of SITES) site.run(id, name)
  const task = database.prepare('insert into tasks (id, state, site_id, points, cost) values (?, ?, ?, ?, ?)')
  for (const row of rows) {
    task.run(...(['id', 'state', 'site_id', 'points', 'cost'] as const).map((name): FieldValue => row[name] ?? null))
  }
  return database
}

async function layOut(database: DatabaseSync, query: GridQuery): Promise<GroupLayout> {
  const source = {
    getAll: async <T>(sql: string, values: readonly FieldValue[] = []): Promise<T[]> =>
      database.prepare(sql).all(...values) as T[],
  }
  if (!query.grouping) throw new Error('the query is grouped')
  return query.grouping.layOut(source as never, query, false)
}

/** Returns the content from position `first` on: a header's text or a row's id. */
function shown(database: DatabaseSync, layout: GroupLayout, first: number, count: number): readonly string[] {
  const { sql, places } = layout.windowAt(first, count)
  const rows = sql ? (database.prepare(sql.text).all(...sql.values) as Row[]) : []
  const byPlace = new Map(places.map((place, index) => [first + place, String(rows[index]?.['id'])]))
  return Array.from({ length: Math.max(0, Math.min(count, layout.places - first)) }, (_, index) => {
    const group = layout.groupAt(first + index)
    return group
      ? `${'#'.repeat(group.level)} ${group.text} ${group.records}`
      : (byPlace.get(first + index) ?? 'missing')
  })
}

const rowsOf = (): fc.Arbitrary<readonly Row[]> =>
  fc
    .array(
      fc.record({
        state: fc.constantFrom('open', 'doing', 'to_verify', 'gone'),
        site_id: fc.constantFrom('s1', 's2', 's3', 's4', null),
        points: fc.constantFrom(1, 2, null),
        cost: fc.constantFrom('1.10', '2.20', null),
      }),
      { maxLength: 30 },
    )
    .map((rows) => rows.map((row, index) => ({ ...row, id: String(index).padStart(3, '0') })))

test('windows of a grouped view together are all its places, and the records of a header follow it', async () => {
  await fc.assert(
    fc.asyncProperty(
      rowsOf(),
      fc.constantFrom('site_id', '-state', 'state,-site_id', 'site_id,state'),
      fc.array(fc.nat(20), { maxLength: 4 }),
      async (rows, text, toggled) => {
        using database = openDatabase(rows)
        const query = groupedQuery(view(), text, undefined)
        let layout = await layOut(database, query)
        query.grouping?.toggleAll(true)
        const whole = shown(database, layout, 0, 1_000)
        expect(whole.filter((line) => !line.startsWith('#')).toSorted()).toEqual(rows.map(({ id }) => id))
        expect(whole).not.toContain('missing')
        // Each header has as many records below it as it says, all with its value.
        for (const [place, line] of whole.entries()) {
          const group = layout.groupAt(place)
          if (!group) continue
          const next = whole.findIndex((other, at) => at > place && (layout.groupAt(at)?.level ?? 9) <= group.level)
          const own = whole.slice(place + 1, next < 0 ? undefined : next).filter((one) => !one.startsWith('#'))
          expect([line, own.length]).toEqual([line, group.records])
          for (const id of own) expect(rows.find((row) => row['id'] === id)?.[group.field.name]).toBe(group.value)
        }
        for (const place of toggled) {
          const group = layout.groupAt(place)
          if (group) query.grouping?.toggle(group.key)
          layout = await layOut(database, query)
        }
        const all = shown(database, layout, 0, 1_000)
        const pieces = Array.from({ length: Math.ceil(layout.places / 7) }, (_, index) =>
          shown(database, layout, index * 7, 7),
        ).flat()
        expect(pieces).toEqual(all)
        expect(all).toHaveLength(layout.places)
        const records = whole.filter((line) => !line.startsWith('#'))
        for (const [place, line] of all.entries()) {
          if (!line.startsWith('#')) expect(records[layout.recordAt(place)]).toBe(line)
        }
        query.grouping?.toggleAll(true)
      },
    ),
    { numRuns: runsOf(150) },
  )
})

test('groups come in the order of their field, choices as declared, what has no value last', async () => {
  using database = openDatabase([
    { id: '1', state: 'to_verify', site_id: 's2' },
    { id: '2', state: 'open', site_id: null },
    { id: '3', state: 'open', site_id: 's1' },
  ])
  const layout = await layOut(database, groupedQuery(view(), 'state,site_id', undefined))
  expect(shown(database, layout, 0, 20)).toEqual([
    '# Open 2',
    '## Elmcroft 1',
    '3',
    '## No value 1',
    '2',
    '# To verify 1',
    '## Harrow 1',
    '1',
  ])
})

test('a collapsed group keeps its header, with what its columns calculate of the records that fit the filter', async () => {
  using database = openDatabase([
    { id: '1', state: 'open', cost: '1.10', points: 2 },
    { id: '2', state: 'open', cost: '2.20', points: 2 },
    { id: '3', state: 'open', cost: '9.00', points: 1 },
    { id: '4', state: 'doing', cost: '4.00', points: 2 },
  ])
  const filter: FilterGroup = {
    kind: 'all',
    nodes: [{ kind: 'condition', field: 'points', operator: 'is', values: ['2'] }],
  }
  const query = groupedQuery(view({ filter }), 'state', 'cost.sum')
  query.grouping?.toggle((await layOut(database, query)).groupAt(0)?.key ?? '')
  const layout = await layOut(database, query)
  expect(shown(database, layout, 0, 9)).toEqual(['# Open 2', '# Doing 1', '4'])
  expect(layout.groupAt(0)?.isExpanded).toBe(false)
  expect(layout.groupAt(0)?.subtotals.get('cost')).toBe('3.3')
  expect(layout.records).toBe(3)
})

test('a text groups by at most two fields that have groups', () => {
  expect(parseGroups('state,-site_id,due_on', TEST_FIELDS)).toEqual([
    { field: 'state', isDescending: false },
    { field: 'site_id', isDescending: true },
  ])
  expect(parseGroups('seen_at,gone,state,state', TEST_FIELDS)).toEqual([{ field: 'state', isDescending: false }])
  expect(groupedQuery(view(), 'gone', undefined).grouping).toBeUndefined()
})
