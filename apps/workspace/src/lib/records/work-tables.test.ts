import { DatabaseSync } from 'node:sqlite'
import { FINISHED_STATES, type ColumnDescriptor, type SchemaDescriptor, type TableDescriptor } from '@holdfast/protocol'
import { describe, expect, test } from 'vitest'
import { tablesOf } from '../data/tables.ts'
import { choiceLooks } from '../fields/choice-looks.ts'
import { teamRecordsSql, teamSql, teamTablesOf } from './team-work.ts'
import { countWorkSql, openWorkSql, workTablesOf } from './work-tables.ts'

const column = (name: string, type = 'text', rest: Partial<ColumnDescriptor> = {}): ColumnDescriptor => ({
  name,
  type,
  local: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
  ...rest,
})
const person = (name: string): ColumnDescriptor =>
  column(name, 'uuid', { references: { table: 'people', column: 'id' } })
const table = (name: string, columns: readonly ColumnDescriptor[]): TableDescriptor => ({
  name,
  schema: 'public',
  table: name,
  columns: [column('id', 'uuid'), ...columns],
  can: { insert: true, update: true, delete: true },
  indexes: [],
})
const people = table('people', [column('name'), column('user_id', 'uuid'), column('born', 'date')])
const schema = (...tables: readonly TableDescriptor[]): SchemaDescriptor => ({
  version: '1',
  tables: [people, ...tables],
})

const halls = table('halls', [column('name'), column('lat', 'double precision'), column('lon', 'double precision')])
const visits = table('visits', [
  column('title'),
  column('hall', 'uuid', { references: { table: 'halls', column: 'id' } }),
  person('visitor'),
  person('checked_by'),
  column('state', 'visit_state', { choices: ['planned', 'returned', 'approved', 'cancelled'] }),
  column('day', 'date'),
  column('closed_on', 'date'),
])

test('work is in tables with a person and a day, and of several such columns the first counts', () => {
  const found = workTablesOf(
    schema(visits, table('notes', [column('title'), person('author')]), table('days', [column('day', 'date')])),
  )
  expect(found.map((one) => [one.table.name, one.assignee.name, one.due.name, one.state?.name])).toEqual([
    ['visits', 'visitor', 'day', 'state'],
  ])
})

test('without a table of people there is no work to find', () => {
  expect(workTablesOf({ version: '1', tables: [visits] })).toEqual([])
})

test('my open records come in the order of their days, without those that are finished, of others, or later', () => {
  const all = schema(visits, halls)
  using database = new DatabaseSync(':memory:')
  database.exec(`create table people (id, name, user_id, born);
    create table visits (id, title, hall, visitor, checked_by, state, day, closed_on);
    create table halls (id, name, lat, lon); insert into halls (id, name) values ('h', 'The old hall');
    insert into people values ('p1', 'Ann', 'u1', null), ('p2', 'Ben', 'u2', null);
    insert into visits (id, title, visitor, checked_by, state, day) values
      ('1', 'today', 'p1', 'p2', 'planned', '2026-05-02'), ('2', 'late', 'p1', null, 'returned', '2026-04-02'),
      ('3', 'finished', 'p1', null, 'approved', '2026-04-01'), ('4', 'of Ben', 'p2', 'p1', 'planned', '2026-05-01'),
      ('5', 'later', 'p1', null, 'planned', '2026-06-01'), ('6', 'no day', 'p1', null, 'planned', null);
    update visits set hall = 'h' where id = '2'`)
  const { sql, parameters } = openWorkSql(workTablesOf(all), 'u1', { until: '2026-05-02' }, 10)
  expect(database.prepare(sql).all(...parameters)).toEqual([
    { table: 'visits', id: '2', title: 'late', state: 'returned', due: '2026-04-02', place: 'The old hall' },
    { table: 'visits', id: '1', title: 'today', state: 'planned', due: '2026-05-02', place: null },
  ])
  const handedIn = openWorkSql(
    workTablesOf(all).map((one) => ({ ...one, handedIn: 'returned' })),
    'u1',
    { until: '2026-05-02' },
    1,
  )
  expect(database.prepare(handedIn.sql).all(...handedIn.parameters)).toMatchObject([{ id: '1' }])
})

test('all of my work counts each stretch of days, and has what is later and what has no day at its end', () => {
  const jobs = table('jobs', [column('title'), person('who'), column('by', 'date')])
  const all = schema(visits, jobs)
  using database = new DatabaseSync(':memory:')
  database.exec(`create table people (id, name, user_id, born);
    create table visits (id, title, hall, visitor, checked_by, state, day, closed_on);
    create table jobs (id, title, who, "by");
    insert into people values ('p1', 'Ann', 'u1', null), ('p2', 'Ben', 'u2', null);
    insert into visits (id, title, visitor, state, day) values
      ('1', 'late', 'p1', 'planned', '2026-04-30'), ('2', 'today', 'p1', 'planned', '2026-05-02'), ('3', 'done', 'p1', 'approved', '2026-05-02'),
      ('4', 'no day', 'p1', null, null), ('5', 'far', 'p1', 'planned', '2027-01-01');
    insert into jobs values ('6', 'tomorrow', 'p1', '2026-05-03'), ('7', 'in a week', 'p1', '2026-05-09'), ('8', 'of Ben', 'p2', '2026-05-03'),
      ('9', 'in eight days', 'p1', '2026-05-10')`)
  const work = workTablesOf(all)
  const titles = (days: { readonly from?: string; readonly until?: string }): readonly unknown[] => {
    const { sql, parameters } = openWorkSql(work, 'u1', days, 10)
    return database
      .prepare(sql)
      .all(...parameters)
      .map(({ title }) => title)
  }
  expect(titles({})).toEqual(['late', 'today', 'tomorrow', 'in a week', 'in eight days', 'far', 'no day'])
  expect(titles({ from: '2026-05-03', until: '2026-05-09' })).toEqual(['tomorrow', 'in a week'])
  const counted = countWorkSql(work, 'u1', '2026-05-02', '2026-05-09')
  expect(database.prepare(counted.sql).get(...counted.parameters)).toEqual({ overdue: 1, today: 1, soon: 2, every: 7 })
})

test('states in which nothing is left to do look finished', () => {
  for (const state of FINISHED_STATES) expect(['check', 'cross'], state).toContain(choiceLooks(state).glyph)
})

describe('the work of a team', () => {
  const members = { ...table('hf_members', [column('name'), column('user_id', 'uuid')]), schema: 'holdfast' }
  const orders = table('orders', [
    column('title'),
    column('due_on', 'date'),
    column('state', 'order_state', { choices: ['Open', 'Done'] }),
  ])
  const jobs = table('jobs', [
    column('title'),
    column('who', 'uuid', { references: { table: 'hf_members', column: 'id' } }),
    column('by', 'date'),
  ])
  const bought = table('bought', [
    column('title'),
    column('due_on', 'date'),
    column('state', 'kind', { choices: ['A'] }),
  ])
  const all = schema(visits, halls, members, orders, jobs, bought)
  const team = teamTablesOf(all, tablesOf(all))

  function filled(): DatabaseSync {
    const database = new DatabaseSync(':memory:')
    database.exec(`create table people (id, name, user_id, born); create table halls (id, name, lat, lon);
      create table hf_members (id, name, user_id); create table orders (id, title, due_on, state);
      create table visits (id, title, hall, visitor, checked_by, state, day, closed_on);
      create table jobs (id, title, who, "by");
      insert into people values ('p1', 'Ann', 'u1', null), ('p2', 'Ben', 'u2', null), ('p3', 'Cy', null, null);
      insert into hf_members values ('m1', 'Ann', 'u1'), ('m2', 'Ben', 'u2');
      insert into visits (id, title, visitor, state, day) values
        ('1', 'mine', 'p1', 'planned', '2026-04-01'), ('2', 'Ben, late', 'p2', 'planned', '2026-05-01'),
        ('3', 'Ben, done', 'p2', 'approved', '2026-05-01'), ('4', 'Ben, far', 'p2', 'planned', '2026-09-01'),
        ('5', 'Cy, today', 'p3', 'planned', '2026-05-02'), ('6', 'hidden person', 'p9', 'planned', '2026-05-01'),
        ('7', 'nobody', null, 'planned', '2026-05-01'), ('8', 'no day', 'p2', 'planned', null);
      insert into jobs values ('a', 'Ben, of the other table', 'm2', '2026-04-01'), ('b', 'mine', 'm1', '2026-04-01');
      insert into orders values ('x', 'late order', '2026-05-01', 'Open'), ('y', 'finished order', '2026-05-01', 'Done')`)
    return database
  }

  test('is in tables with a person of the project or the workspace, and in those with a due date and a final state', () => {
    expect(team.map((one) => [one.table.name, one.people?.name])).toEqual([
      ['jobs', 'hf_members'],
      ['visits', 'people'],
      ['orders', undefined],
    ])
  })

  test('is counted per account, without my own and finished records, and with unassigned and hidden people', () => {
    using database = filled()
    const { sql, parameters } = teamSql(team, 'u1', '2026-05-02', '2026-05-09')
    expect(database.prepare(sql).all(...parameters)).toEqual([
      { who: 'u2', name: 'Ben', overdue: 2, soon: 0 },
      { who: null, name: null, overdue: 2, soon: 0 },
      { who: 'p9', name: null, overdue: 1, soon: 0 },
      { who: 'p3', name: 'Cy', overdue: 0, soon: 1 },
    ])
  })

  test.each([
    ['u2', ['Ben, of the other table', 'Ben, late']],
    [null, ['late order', 'nobody']],
    ['p9', ['hidden person']],
    ['p3', ['Cy, today']],
  ])('lists as many records of %s as it counts', (who, titles) => {
    using database = filled()
    const { sql, parameters } = teamRecordsSql(team, 'u1', who, '2026-05-09', 10)
    expect(
      database
        .prepare(sql)
        .all(...parameters)
        .map(({ title }) => title),
    ).toEqual(titles)
  })

  test('of tables with the persons of a workspace is also my work', () => {
    using database = filled()
    const { sql, parameters } = openWorkSql(workTablesOf(all), 'u1', {}, 10)
    expect(database.prepare(sql).all(...parameters)).toMatchObject([{ id: 'b' }, { id: '1' }])
  })
})
