import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { runAs, sql } from '@holdfast/postgres'
import {
  type ComputedField,
  computedSql,
  type Formula,
  readComputedDefinition,
  type TableDescriptor,
} from '@holdfast/protocol'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// Computed fields that owners add: who may, what is refused, and that a device computes what Postgres does.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`
const [OLGA, EDDA, MOLE] = [id(1), id(2), id(3)] as const

let database: TestDatabase
let workspace = ''

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, syncMigrations, serverMigrations] })
  const { pool } = database
  for (const user of [OLGA, EDDA, MOLE])
    await pool.execute(sql`insert into auth.users (id, email) values (${user}, ${`${user}@example.org`})`)
  const [made] = await pool.query<{ id: string }>(
    sql`select holdfast.create_workspace('Water', ${`${OLGA}@example.org`}) as id`,
  )
  workspace = made?.id ?? ''
  await pool.execute(
    sql`insert into holdfast.members (workspace_id, user_id, role, name) values (${workspace}, ${EDDA}, 'editor', 'Edda')`,
  )
  await pool.execute(sql`select holdfast.create_workspace('Gas', ${`${MOLE}@example.org`})`)
  await createTable({
    name: 'sites',
    label: 'Sites',
    fields: [{ name: 'title', label: 'Name', kind: 'text' }],
    access: { kind: 'members' },
  })
  const partOf = { kind: 'add_field', field: { name: 'part_of', label: 'Part of', kind: 'link', table: 'sites' } }
  await as(OLGA, sql`select holdfast.change_table(${workspace}, 'sites', ${JSON.stringify(partOf)}::jsonb)`)
  await createTable({
    name: 'jobs',
    label: 'Jobs',
    fields: [
      { name: 'title', label: 'Title', kind: 'text' },
      { name: 'hours', label: 'Hours', kind: 'number' },
      { name: 'due_on', label: 'Due', kind: 'date' },
      { name: 'done', label: 'Done', kind: 'boolean' },
      { name: 'site_id', label: 'Site', kind: 'link', table: 'sites' },
    ],
    access: { kind: 'own' },
  })
})
afterAll(() => database[Symbol.asyncDispose]())

const as = <Row extends object>(sub: string, query: ReturnType<typeof sql>): Promise<readonly Row[]> =>
  runAs(database.requestPool, { role: 'authenticated', claims: { role: 'authenticated', sub } }, (tx) =>
    tx.query<Row>(query),
  )
const createTable = (definition: object): Promise<readonly object[]> =>
  as(OLGA, sql`select holdfast.create_table(${workspace}, ${JSON.stringify(definition)}::jsonb)`)
const set = (table: string, name: string, definition: object, who: string = OLGA): Promise<readonly object[]> =>
  as(
    who,
    sql`select holdfast.set_computed_field(${workspace}, ${table}, ${JSON.stringify({ name, label: `The ${name}`, ...definition })}::jsonb)`,
  )
const remove = (table: string, name: string, who: string = OLGA): Promise<readonly object[]> =>
  as(who, sql`select holdfast.remove_computed_field(${workspace}, ${table}, ${name})`)
const formula = (of: Formula): object => ({ kind: 'formula', formula: of })
const field = (name: string): Formula => ({ field: name })
const call = (name: string, ...of: readonly Formula[]): Formula => ({ call: name, of })
const values = (who: string, table: string, name: string): Promise<readonly unknown[]> =>
  as<{ value: unknown }>(
    who,
    sql`select to_json(${sql.identifier('public', name)}(t)) as value from ${sql.identifier('public', table)} t order by title`,
  ).then((rows) => rows.map(({ value }) => value))

test('only owners and admins add fields, to tables of their workspace', async () => {
  const twice = formula(call('*', field('hours'), { number: 2 }))
  await expect(set('jobs', 'twice', twice, EDDA)).rejects.toThrow()
  await expect(set('jobs', 'twice', twice, MOLE)).rejects.toThrow()
  await expect(set('members', 'twice', twice)).rejects.toThrow('has made no table members')
  await expect(
    as(
      OLGA,
      sql`insert into holdfast.computed_fields (workspace_id, table_name, field_name, label, kind, definition, result) values (${workspace}, 'jobs', 'x', 'X', 'formula', '{}', 'text')`,
    ),
  ).rejects.toThrow('permission denied')
  expect(await as(MOLE, sql`select * from holdfast.computed_fields`)).toEqual([])
})

test.each<[string, string, object, string]>([
  ['a field that is there', 'title', formula(field('hours')), 'has a field title already'],
  ['another name', 'Bad name', formula(field('hours')), 'small letters'],
  ['a field that does not exist', 'f', formula(field('nope')), 'has no field nope'],
  ['a hidden system column', 'f', formula(field('xmin')), 'has no field xmin'],
  ['types that do not fit', 'f', formula(call('+', field('title'), { number: 1 })), 'do not fit'],
  ['an unknown function', 'f', formula(call('pg_sleep', { number: 1 })), 'no function pg_sleep'],
  ['SQL in a name', 'f', formula(call("lower('x'); drop table jobs; --", field('title'))), 'no function'],
  ['a function of the database', 'f', formula(call('sql', field('title'))), 'no function sql'],
  ['itself', 'f', formula(call('neg', field('f'))), 'computed from itself'],
  ['what is no formula', 'f', { kind: 'formula', formula: [] }, 'not a formula'],
  ['another kind', 'f', { kind: 'sql', formula: 'now()' }, 'formula, lookup or rollup'],
  ['a lookup without a link', 'f', { kind: 'lookup', link: 'title', field: 'title' }, 'does not lead to records'],
  [
    'a rollup of a table that does not lead here',
    'f',
    { kind: 'rollup', table: 'sites', link: 'title', function: 'count' },
    'does not lead here',
  ],
])('refuses %s', async (_, name, definition, message) => {
  await expect(set('jobs', name, definition)).rejects.toThrow(message)
})

test('the values are those that the reader may see, in Postgres and on a device', async () => {
  const sites = await as<{ id: string }>(OLGA, sql`insert into sites (title) values ('A'), ('B') returning id`)
  const [a, b] = sites.map((site) => site.id)
  await as(
    OLGA,
    sql`insert into jobs (title, hours, done, due_on, site_id) values
    ('1', 0.1, true, '2026-03-01', ${a}), ('2', 0.2, false, '2026-02-01', ${a}), ('3', null, null, null, ${a}), ('4', 9e12, false, null, ${b})`,
  )
  await as(EDDA, sql`insert into jobs (title, hours, site_id) values ('5', 40, ${a})`)
  const rollup = (kind: string, name: string, more: object = {}): object => ({
    kind: 'rollup',
    table: 'jobs',
    link: 'site_id',
    function: kind,
    field: name,
    ...more,
  })
  await set('jobs', 'site_title', { kind: 'lookup', link: 'site_id', field: 'title' })
  await set('jobs', 'cost', formula(call('*', field('hours'), { number: 10 })))
  await set('sites', 'jobs_here', { kind: 'rollup', table: 'jobs', link: 'site_id', function: 'count' })
  await set('sites', 'open_jobs', {
    kind: 'rollup',
    table: 'jobs',
    link: 'site_id',
    function: 'count',
    only: call('not', field('done')),
  })
  await set('sites', 'cost', rollup('sum', 'cost'))
  await set('sites', 'mean', rollup('average', 'hours'))
  await set('sites', 'first_due', rollup('min', 'due_on'))
  await set('sites', 'cost_text', formula(call('&', field('cost'), { text: ' €' })))

  await expect(set('sites', 'f', rollup('sum', 'title'))).rejects.toThrow('do not fit')
  const expected: Readonly<Record<string, readonly unknown[]>> = {
    jobs_here: [4, 1],
    open_jobs: [1, 1],
    cost: [403, null],
    mean: [40.3 / 3, null],
    first_due: ['2026-02-01', null],
    cost_text: ['403 €', ' €'],
  }
  for (const [name, wanted] of Object.entries(expected))
    expect([name, await values(OLGA, 'sites', name)]).toEqual([name, wanted])
  expect(await values(EDDA, 'sites', 'jobs_here')).toEqual([1, 0])
  expect(await values(OLGA, 'jobs', 'site_title')).toEqual(['A', 'A', 'A', 'B', 'A'])
  using device = await copyToDevice()
  for (const [name, wanted] of Object.entries(expected))
    expect([name, device.values('sites', name)]).toEqual([name, wanted])
  expect(device.values('jobs', 'site_title')).toEqual(['A', 'A', 'A', 'B', 'A'])
})

test('a rollup counts records of the same table that link to the record', async () => {
  await as(OLGA, sql`insert into public.sites (title) values ('Plant')`)
  await as(
    OLGA,
    sql`insert into public.sites (title, part_of) select t, s.id from public.sites s, unnest('{Plant A,Plant B}'::text[]) t where s.title = 'Plant'`,
  )
  const parts = { kind: 'rollup', table: 'sites', link: 'part_of', function: 'count' }
  await set('sites', 'parts', parts)
  await expect(set('sites', 'parts', { ...parts, function: 'max', field: 'parts' })).rejects.toThrow(
    'computed from itself',
  )
  using device = await copyToDevice()
  const counted = await values(OLGA, 'sites', 'parts')
  expect(counted.filter((count) => count !== 0)).toEqual([2])
  expect(device.values('sites', 'parts')).toEqual(counted)
  await remove('sites', 'parts')
  await as(OLGA, sql`delete from public.sites where title like 'Plant%'`)
})

test('what another field reads stays: names, types, columns and tables', async () => {
  await expect(remove('jobs', 'cost')).rejects.toThrow('these fields read it: The cost')
  await expect(set('jobs', 'cost', formula(field('title')))).rejects.toThrow()
  await expect(set('jobs', 'cost', formula(call('+', field('hours'), { number: 1 })))).resolves.toBeDefined()
  await expect(database.pool.execute(sql`alter table jobs drop column hours`)).rejects.toThrow(
    'other objects depend on it',
  )
  await expect(database.pool.execute(sql`alter table jobs alter column hours type text`)).rejects.toThrow()
  await expect(remove('sites', 'cost')).rejects.toThrow('The cost_text')
  await expect(
    as(OLGA, sql`select holdfast.change_table(${workspace}, 'jobs', '{"kind": "delete_field", "field": "due_on"}')`),
  ).rejects.toThrow('The first_due')
  await remove('sites', 'first_due')
  await remove('sites', 'cost_text')
  await remove('sites', 'cost')
  await remove('jobs', 'cost')
})

test('changes are in the history of the table, and a deleted field keeps its name for its return', async () => {
  const changes = await as<{ kind: string; statements: string }>(
    OLGA,
    sql`select kind, statements from holdfast.table_changes(${workspace}, 'jobs') limit 2`,
  )
  expect(changes.map(({ kind }) => kind)).toEqual(['remove_computed_field', 'set_computed_field'])
  expect(changes[1]?.statements).toContain(`select holdfast.set_computed_field('${workspace}', 'jobs', '{`)
  await as(OLGA, sql`select holdfast.change_table(${workspace}, 'jobs', '{"kind": "delete_field", "field": "due_on"}')`)
  await expect(set('jobs', 'due_on', formula(field('hours')))).rejects.toThrow('can be restored has the name due_on')
})

test('fields do not read each other in a circle', async () => {
  await set('jobs', 'one', formula(field('hours')))
  await set('jobs', 'two', formula(call('neg', field('one'))))
  await set('sites', 'most', { kind: 'rollup', table: 'jobs', link: 'site_id', function: 'max', field: 'two' })
  await expect(set('jobs', 'one', { kind: 'lookup', link: 'site_id', field: 'most' })).rejects.toThrow(
    'computed from itself: The most',
  )
})

test('an empty table goes with its fields', async () => {
  await createTable({
    name: 'extras',
    label: 'Extras',
    fields: [{ name: 'title', label: 'Title', kind: 'text' }],
    access: { kind: 'members' },
  })
  await set('extras', 'loud', formula(call('upper', field('title'))))
  await as(OLGA, sql`select holdfast.remove_empty_table(${workspace}, 'extras')`)
  expect(await as(OLGA, sql`select from holdfast.computed_fields where table_name = 'extras'`)).toEqual([])
  await createTable({
    name: 'extras',
    label: 'Extras',
    fields: [{ name: 'title', label: 'Title', kind: 'text' }],
    access: { kind: 'members' },
  })
})

/** The rows and definitions that the owner's device has. */
async function copyToDevice(): Promise<Disposable & { values(table: string, name: string): readonly unknown[] }> {
  const device = new DatabaseSync(':memory:')
  device.exec(
    'create table sites (id text, title text, part_of text); create table jobs (id text, title text, hours text, due_on text, done integer, site_id text)',
  )
  for (const [table, columns] of [
    ['sites', 'title, part_of'],
    ['jobs', 'title, hours, due_on, done, site_id'],
  ] as const) {
    const rows = await as<{ row: readonly (string | number | null)[] }>(
      OLGA,
      sql.trusted(
        `select json_build_array(id, ${columns.replace('hours', 'hours::text').replace('done', 'done::int')}) as row from ${table} t`,
      ),
    )
    for (const { row } of rows) device.prepare(`insert into ${table} values (${row.map(() => '?').join()})`).run(...row)
  }
  const stored = await as<{
    table: string
    name: string
    label: string
    result: ComputedField['result']
    definition: string
  }>(
    OLGA,
    sql`select table_name as table, field_name as name, label, result, definition::text as definition from holdfast.computed_fields`,
  )
  const fields = stored.flatMap((one) => {
    const definition = readComputedDefinition(one.definition)
    return definition ? [{ ...one, definition }] : []
  })
  const context = { tables: TABLES, fields, today: '2026-11-29', now: new Date() }
  return {
    values(table, name) {
      const found = fields.find((one) => one.table === table && one.name === name)
      if (!found) throw new Error(`no field ${name}`)
      return device
        .prepare(`select ${computedSql(found, 't', context).sql} as v from ${table} t order by title`)
        .all()
        .map(({ v }) => v)
    },
    [Symbol.dispose]: () => device.close(),
  }
}

const column = (name: string, type: string, more: object = {}): TableDescriptor['columns'][number] => ({
  name,
  type,
  local: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
  ...more,
})
const described = (name: string, columns: TableDescriptor['columns']): TableDescriptor => ({
  name,
  schema: 'public',
  table: name,
  columns,
  can: { insert: true, update: true, delete: true },
  indexes: [],
})
const TABLES: readonly TableDescriptor[] = [
  described('sites', [
    column('id', 'uuid'),
    column('title', 'text'),
    column('part_of', 'uuid', { references: { table: 'sites', column: 'id' } }),
  ]),
  described('jobs', [
    column('id', 'uuid'),
    column('title', 'text'),
    column('hours', 'numeric'),
    column('due_on', 'date'),
    column('done', 'boolean'),
    column('site_id', 'uuid', { references: { table: 'sites', column: 'id' } }),
  ]),
]
