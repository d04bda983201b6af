import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileSyncPlan, compileWriteRules, readWriteInput } from '@holdfast/policy'
import { sql } from '@holdfast/postgres'
import { EDDA, OLGA, openChangeWorld, type ChangeWorld } from './support/change-world.ts'

// Default, limits and uniqueness of a field; filters follow renamed options.

let world: ChangeWorld
beforeAll(async () => {
  world = await openChangeWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const KINDS = ['text', 'integer', 'number', 'boolean', 'date'] as const
const create = async (name: string): Promise<void> => {
  await world.create(name, [
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'state', label: 'State', kind: 'choice', choices: ['open', "it's done"] },
    ...KINDS.map((kind) => ({ name: `a_${kind}`, label: `A ${kind}`, kind })),
  ])
}
const edit = (table: string, field: string, of: object): Promise<string> =>
  world.change(table, { kind: 'edit_field', field, ...of })
const insert = (table: string, field: string, value: string | null): Promise<readonly object[]> =>
  world.asked(EDDA, sql`insert into ${sql.identifier('public', table)} (${sql.identifier(field)}) values (${value})`)
const settings = async (table: string, field: string): Promise<object | undefined> =>
  (
    await world.asked<{ is: object }>(
      OLGA,
      sql`select holdfast.field_settings(${world.workspace}, ${table}, ${field}) as is`,
    )
  )[0]?.is

describe('limits', () => {
  test.each([
    ['a_integer', { min: '-5', max: '10' }, '11', '10', 'A integer is from -5 to 10.'],
    ['a_integer', { min: '0' }, '-1', '0', 'A integer is at least 0.'],
    ['a_number', { max: '1.50' }, '1.51', '1.5', 'A number is at most 1.50.'],
    ['a_date', { min: '2026-01-01' }, '2025-12-31', '2026-01-01', 'A date is not before 2026-01-01.'],
    [
      'a_date',
      { min: '2026-01-01', max: '2026-12-31' },
      '2027-01-01',
      '2026-12-31',
      'A date is from 2026-01-01 to 2026-12-31.',
    ],
    ['a_text', { max: '3' }, 'four', 'äöü', 'A text has at most 3 characters.'],
  ] as const)('of %s %j refuse %s, take %s, and are known to devices', async (field, limits, beyond, within, words) => {
    const table = `limited_${field}_${Object.values(limits)
      .join('_')
      .replaceAll(/[^0-9]/g, '_')}`
      .slice(0, 50)
      .replace(/_+$/, '')
    await create(table)
    await edit(table, field, { limits })
    await expect(insert(table, field, beyond)).rejects.toMatchObject({ code: '23514' })
    await insert(table, field, within)
    await insert(table, field, null)
    expect(await settings(table, field)).toMatchObject(limits)
    expect(
      await world.database.pool.query(
        sql`select obj_description(oid) as words from pg_constraint where conname = ${`limits_${field}`} and conrelid = to_regclass(format('public.%I', ${table}::text))`,
      ),
    ).toEqual([{ words }])
    const input = await readWriteInput(world.database.compilerPool, { schemas: ['public', 'holdfast'] })
    const synced = new Set(compileSyncPlan(input.policies).tables.map(({ oid }) => oid))
    const { tables } = await compileWriteRules(input, 'authenticated', synced)
    const rule = tables[table]?.insert?.checks?.find(({ name }) => name === `limits_${field}`)
    expect(rule).toMatchObject({ words })
    expect(JSON.stringify(rule)).not.toContain('unknown')
    await edit(table, field, { limits: {} })
    await insert(table, field, beyond)
    await expect(edit(table, field, { limits })).rejects.toMatchObject({ hint: 'change_table.beyond', detail: '1' })
  })

  test.each([
    ['a_integer', { min: '1.5' }],
    ['a_integer', { min: '2', max: '1' }],
    ['a_date', { max: '2026-02-30' }],
    ['a_text', { max: '0' }],
    ['a_boolean', { max: '1' }],
  ])('of %s that make no sense are refused: %j', async (field, limits) => {
    if (((await world.shapeOf('senseless')) as readonly object[]).length === 0) await create('senseless')
    await expect(edit('senseless', field, { limits })).rejects.toMatchObject({ hint: 'change_table.limit' })
  })
})

test.each([
  ['a_text', "it's"],
  ['a_integer', '-3'],
  ['a_number', '1.50'],
  ['a_boolean', 'true'],
  ['a_date', '2026-01-31'],
  ['state', "it's done"],
])('the default of %s is %s until it is removed', async (field, value) => {
  const table = `default_${field}`
  await create(table)
  await edit(table, field, { default: value })
  expect(await settings(table, field)).toMatchObject({ default: value })
  await world.asked(EDDA, sql`insert into ${sql.identifier('public', table)} (title) values ('a')`)
  expect(
    await world.asked(
      EDDA,
      sql`select ${sql.identifier(field)}::text as value from ${sql.identifier('public', table)}`,
    ),
  ).toEqual([{ value }])
  await edit(table, field, { default: null })
  expect(await settings(table, field)).toMatchObject({ default: null })
})

test.each([
  ['a_date', 'today', "to_char(now() at time zone 'Pacific/Kiritimati', 'YYYY-MM-DD')"],
  ['a_datetime', 'now', "to_char(date_trunc('minute', now()) at time zone 'UTC', 'YYYY-MM-DD HH24:MI')"],
  ['person', 'me', "(select id::text from holdfast.members where name = 'Edda')"],
] as const)('the default of %s can be %s', async (field, computed, expected) => {
  const table = `computed_${computed}`
  await world.database.pool.execute(
    sql`update holdfast.workspaces set time_zone = 'Pacific/Kiritimati' where id = ${world.workspace}`,
  )
  await world.create(table, [
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'a_date', label: 'Day', kind: 'date' },
    { name: 'a_datetime', label: 'Moment', kind: 'datetime' },
    { name: 'person', label: 'Person', kind: 'link', table: 'hf_members' },
  ])
  await edit(table, field, { default: { computed } })
  expect(await settings(table, field)).toMatchObject({ default: null, computed })
  const shown = {
    today: 'a_date::text',
    now: "to_char(a_datetime at time zone 'UTC', 'YYYY-MM-DD HH24:MI')",
    me: 'person::text',
  }
  // One transaction, because the minute may end between two.
  const [row] = await world.asked<{ value: string; expected: string }>(
    EDDA,
    sql`insert into ${sql.identifier('public', table)} (title) values ('a')
        returning ${sql.trusted(shown[computed])} as value, ${sql.trusted(expected)} as expected`,
  )
  expect(row?.value).toBe(row?.expected)
  for (const other of ['a_date', 'a_datetime', 'person', 'title'].filter((one) => one !== field))
    await expect(edit(table, other, { default: { computed } })).rejects.toMatchObject({
      hint: 'change_table.default_value',
    })
  await edit(table, field, { default: null })
  expect(await settings(table, field)).toMatchObject({ default: null, computed: null })
})

test('a default that is no value of the field is refused, and one of the options follows them', async () => {
  await create('defaults')
  await expect(edit('defaults', 'a_integer', { default: 'x' })).rejects.toMatchObject({
    hint: 'change_table.default_value',
  })
  await edit('defaults', 'state', { default: 'open' })
  await edit('defaults', 'state', { choices: ['Open', 'done'], renamed: { open: 'Open', "it's done": 'done' } })
  expect(await settings('defaults', 'state')).toMatchObject({ default: 'Open' })
  await edit('defaults', 'state', { choices: ['done'] })
  expect(await settings('defaults', 'state')).toMatchObject({ default: null })
})

test('a unique field names the values that occur several times, and refuses the next one', async () => {
  await create('once')
  for (const value of ['A1', 'A1', 'B2', null, null]) await insert('once', 'a_text', value)
  await expect(edit('once', 'a_text', { unique: true })).rejects.toMatchObject({
    hint: 'change_table.duplicates',
    message: 'Several records have these values: A1 (2)',
  })
  await world.database.pool.execute(sql`delete from public.once where a_text = 'A1'`)
  await edit('once', 'a_text', { unique: true })
  await expect(insert('once', 'a_text', 'B2')).rejects.toMatchObject({ code: '23505' })
  expect(await settings('once', 'a_text')).toMatchObject({ unique: true })
  await edit('once', 'a_text', { unique: false })
  await insert('once', 'a_text', 'B2')
})

test('renamed options are renamed in the filters of views and dashboards', async () => {
  await create('seen')
  const filter = "all(state.in.open.it's done,any(title.has.open,state.isnt.open))"
  await world.database.pool.execute(sql`
    insert into holdfast.views (table_name, name, scope, owner_id, config) values ('seen', 'Open', 'personal', ${EDDA}, ${JSON.stringify({ filter, sort: 'state' })}::jsonb)`)
  await world.database.pool.execute(sql`
    insert into holdfast.dashboards (name, scope, owner_id, config) values ('Board', 'personal', ${EDDA}, ${JSON.stringify(
      {
        version: 1,
        tiles: [
          {
            id: 't1',
            kind: 'number',
            title: 'Open',
            table: 'seen',
            filter,
            measure: { kind: 'count' },
            width: 1,
            height: 1,
          },
        ],
      },
    )}::jsonb)`)
  await edit('seen', 'state', { choices: ['To do (1.)', 'done'], renamed: { open: 'To do (1.)', "it's done": 'done' } })
  const renamed = 'all(state.in.To do !(1!.!).done,any(title.has.open,state.isnt.To do !(1!.!)))'
  expect(await world.database.pool.query(sql`select config from holdfast.views where table_name = 'seen'`)).toEqual([
    { config: { filter: renamed, sort: 'state' } },
  ])
  expect(
    await world.database.pool.query(sql`select config #>> '{tiles,0,filter}' as filter from holdfast.dashboards`),
  ).toEqual([{ filter: renamed }])
})

test('the type of a field with limits changes without them', async () => {
  await create('loosened')
  await edit('loosened', 'a_integer', { limits: { max: '5' } })
  await world.change('loosened', { kind: 'convert_field', field: 'a_integer', to: { kind: 'text' } })
  await insert('loosened', 'a_integer', 'six')
})
