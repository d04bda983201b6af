import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { runsOf } from '@holdfast/test-support'
import { EDDA, MOLE, OLGA, openChangeWorld, type ChangeWorld } from './support/change-world.ts'

// The type of a field changes without loss: what does not convert is listed first, and kept if the owner wants it.

let world: ChangeWorld
beforeAll(async () => {
  world = await openChangeWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const query = <Row extends object>(text: string): Promise<readonly Row[]> =>
  world.database.pool.query<Row>(sql.trusted(text))
const conversion = async (table: string, of: object, who = OLGA): Promise<object | undefined> => {
  const [row] = await world.asked<{ found: object }>(
    who,
    sql`select holdfast.field_conversion(${world.workspace}, ${table}, ${JSON.stringify(of)}::jsonb) as found`,
  )
  return row?.found
}
const to = (kind: string, more: object = {}): object => ({
  kind: 'convert_field',
  field: 'cause',
  to: { kind, ...more },
})
const insert = async (table: string, values: readonly (string | null)[]): Promise<void> => {
  for (const [place, value] of values.entries())
    await world.asked(
      EDDA,
      sql`insert into ${sql.identifier('public', table)} (title, cause) values (${String(place).padStart(3, '0')}, ${value})`,
    )
}
const causes = async (table: string): Promise<readonly unknown[]> =>
  (await world.rows(table)).map((row) => ('cause' in row ? row.cause : undefined))

describe('a text as a value of another kind', () => {
  const HOSTILE = [
    '', ' ', '0', '-0', '+5', '007', '12', ' 12 ', '\t12\n', '1e5', '1E5', '.5', '5.', '1.50', '-1.50', '1,5', '1 000', 'NaN', 'nan', 'Infinity', '-inf',
    '9223372036854775807', '9223372036854775808', '-9223372036854775808', '99999999999999999999', '1'.repeat(100), '1'.repeat(101), 'x'.repeat(100_000),
    '１２', '٣', '0x1F', '1_000', "1'; drop table x", '2026-02-28', '2026-02-30', '2024-02-29', '31.02.2026', '2026-2-3', '0000-01-01', '9999-12-31',
    '10000-01-01', 'today', 'infinity', 'epoch', '2026-01-01 BC', 'true', 'TRUE', 'yes', 'on', 't', 'ja', '1', 'no', 'nein',
  ] // prettier-ignore
  const CHARACTERS = [...'0123456789', ...'..--++eE ,:_', 'NaN', '２', '\u00A0', 'inf']
  const casts = [
    ['integer', 'bigint'],
    ['number', 'numeric'],
    ['date', 'date'],
  ] as const

  /** Returns what Postgres makes of a text, as text; `undefined` if it refuses. */
  const cast = async (value: string, type: string): Promise<string | undefined> => {
    try {
      const [row] = await world.database.pool.query<{ text: string }>(
        sql`select (${value}::text)::${sql.trusted(type)}::text as text`,
      )
      return row?.text
    } catch {
      return undefined
    }
  }

  test.each(casts)('converts to %s exactly where Postgres reads it and writes the same again', async (kind, type) => {
    const law = async (value: string): Promise<void> => {
      const given = value.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')
      const read = await cast(given, type)
      const isPlain = /^-?[0-9][0-9.-]*$/.test(given) && given.length <= 100 && !/^[0-9]{5,}-/.test(given)
      const [row] = await world.database.pool.query<{ converted: string | null }>(
        sql`select holdfast.convert_text(${value}, ${kind}) as converted`,
      )
      expect(row?.converted, JSON.stringify(value.slice(0, 60))).toBe(isPlain && read === given ? given : null)
    }
    for (const value of HOSTILE) await law(value)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 12 }).map((parts) => parts.join('')),
        law,
      ),
      { numRuns: runsOf(25) },
    )
  })

  test.each([
    ['31.12.2026', 'dmy', '2026-12-31'],
    ['12/31/2026', 'mdy', '2026-12-31'],
    ['1.2.2026', 'dmy', '2026-02-01'],
    ['1.2.2026', 'mdy', '2026-01-02'],
    ['31.02.2026', 'dmy', null],
    ['31.12.26', 'dmy', null],
    ['2026-12-31', 'dmy', '2026-12-31'],
    ['31.12.2026', 'iso', null],
  ])('reads %s as a date in the order %s', async (text, order, date) => {
    expect(
      await world.database.pool.query(
        sql`select holdfast.convert_text(${text}, 'date', ${JSON.stringify({ order })}::jsonb) as date`,
      ),
    ).toEqual([{ date }])
  })

  test.each([
    [' Yes', 'true'],
    ['WAHR', 'true'],
    ['1', 'true'],
    ['nein', 'false'],
    ['0', 'false'],
    ['maybe', null],
    ['2', null],
  ])('reads %j as yes or no', async (text, boolean) => {
    expect(await world.database.pool.query(sql`select holdfast.convert_text(${text}, 'boolean') as boolean`)).toEqual([
      { boolean },
    ])
  })
})

test('the preview counts and lists what does not convert, and the change keeps its text in another field', async () => {
  await world.create('measured')
  await insert('measured', ['12', ' 13 ', '007', '12 m', '12 m', null, ''])
  expect(await conversion('measured', to('integer'))).toEqual({
    total: 5,
    lost: 3,
    values: [
      { text: '12 m', records: 2 },
      { text: '007', records: 1 },
    ],
  })
  await expect(world.change('measured', to('integer'))).rejects.toMatchObject({
    hint: 'change_table.lost',
    detail: '3',
  })
  const change = { ...to('integer'), rest: 'keep', keep_label: 'Cause before' }
  const text = await world.preview('measured', change)
  expect(await world.change('measured', change)).toBe(text)
  expect(await world.rows('measured')).toMatchObject([
    { cause: '12', cause_text: null },
    { cause: '13', cause_text: null },
    { cause: null, cause_text: '007' },
    { cause: null, cause_text: '12 m' },
    { cause: null, cause_text: '12 m' },
    { cause: null, cause_text: null },
    { cause: null, cause_text: null },
  ])
})

test('values that do not convert are left empty if the owner wants it', async () => {
  await world.create('emptied')
  await insert('emptied', ['2026-01-31', '31.01.2026', 'soon'])
  await world.change('emptied', { ...to('date', { order: 'dmy' }), rest: 'empty' })
  expect(await world.asked(EDDA, sql`select cause::text from public.emptied order by title`)).toEqual([
    { cause: '2026-01-31' },
    { cause: '2026-01-31' },
    { cause: null },
  ])
})

test.each([
  ['integer', {}, ['12', '-3', null]],
  ['number', {}, ['1.50', '-3', null]],
  ['boolean', {}, ['true', 'false', null]],
  ['date', {}, ['2026-01-31', null]],
  ['choice', { choices: ['open', "it's"] }, ['open', "it's", null]],
])('a text becomes %s and a text again', async (kind, more, values) => {
  const table = `there_and_back_${kind}`
  await world.create(table)
  await insert(table, values)
  const before = await world.shapeOf(table)
  await world.change(table, to(kind, more))
  await world.change(table, to('text'))
  expect(await causes(table)).toEqual(values)
  expect(await world.shapeOf(table)).toEqual(before)
})

test('numbers become whole numbers where they are whole', async () => {
  await world.create('rounded')
  await insert('rounded', ['3.00', '3.5'])
  await world.change('rounded', to('number'))
  expect(await conversion('rounded', to('integer'))).toMatchObject({ lost: 1, values: [{ text: '3.5', records: 1 }] })
})

test('the options of a new choice are the texts that the records have', async () => {
  await world.create('chosen')
  await insert('chosen', ['rust', ' rust ', 'frost', 'x'.repeat(101), 'a\\b', null])
  expect(await conversion('chosen', to('choice'))).toMatchObject({ lost: 2, choices: ['frost', 'rust'] })
  await world.change('chosen', { ...to('choice', { choices: ['rust', 'frost'] }), rest: 'empty' })
  expect(await causes('chosen')).toEqual(['rust', 'rust', 'frost', null, null, null])
  await expect(world.asked(EDDA, sql`update public.chosen set cause = 'heat'`)).rejects.toMatchObject({ code: '23514' })
})

test('names become links to the only record with the name, and links become names', async () => {
  await world.create('makers')
  await insert('makers', [null, null, null])
  await query(`update public.makers set title = case title when '000' then 'Acme' else 'Twin' end`)
  await world.create('made')
  await insert('made', ['Acme', ' Acme ', 'Twin', 'Nobody', null])
  const link = to('link', { table: 'makers', by: 'title' })
  expect(await conversion('made', link)).toMatchObject({ total: 4, lost: 2 })
  await world.change('made', { ...link, rest: 'empty' })
  await query(`delete from public.makers where title = 'Twin'`)
  expect(
    await world.asked(
      EDDA,
      sql`select m.title as maker from public.made r left join public.makers m on m.id = r.cause order by r.title`,
    ),
  ).toEqual([{ maker: 'Acme' }, { maker: 'Acme' }, { maker: null }, { maker: null }, { maker: null }])
  await world.change('made', { ...to('text'), by: 'title' })
  expect(await causes('made')).toEqual(['Acme', 'Acme', null, null, null])
})

describe('refused', () => {
  test.each([
    ['a person who is no admin', EDDA, to('integer'), 'people.not_admin'],
    ['the owner of another workspace', MOLE, to('integer'), 'people.not_admin'],
    ['an unknown kind', OLGA, to('json'), 'change_table.convert'],
    ['a choice with an option that cannot be one', OLGA, to('choice', { choices: ['a\\b'] }), 'new_table.choices'],
    ['a link to a table of the project', OLGA, to('link', { table: 'of_project', by: 'name' }), 'change_table.convert'],
    [
      'names in a column that members do not have',
      OLGA,
      to('link', { table: 'hf_members', by: 'user_id' }),
      'change_table.convert',
    ],
  ])('%s', async (_, who, change, hint) => {
    if ((await query<{ is: boolean }>(`select to_regclass('public.safe') is null as is`))[0]?.is)
      await world.create('safe')
    await expect(world.change('safe', change, who)).rejects.toMatchObject({ hint })
    if (!hint.startsWith('new_table.choices'))
      await expect(conversion('safe', change, who)).rejects.toMatchObject({ hint })
  })

  test.each([
    [
      'a policy',
      `create policy p on public.used for select to authenticated using (cause = 'x')`,
      `drop policy p on public.used`,
    ],
    ['a view', `create view public.v as select cause from public.used`, `drop view public.v`],
    ['an index on an expression', `create index used_lower on public.used (lower(cause))`, `drop index used_lower`],
    [
      'a rule of several fields',
      `alter table public.used add constraint of_two check (cause is not null or title is not null)`,
      `alter table public.used drop constraint of_two`,
    ],
    [
      'a rule of a developer',
      `alter table public.used add constraint own check (cause <> 'x')`,
      `alter table public.used drop constraint own`,
    ],
  ])('a field that %s uses, naming it', async (_, use, stop) => {
    if ((await query<{ is: boolean }>(`select to_regclass('public.used') is null as is`))[0]?.is)
      await world.create('used')
    await query(use)
    await expect(world.change('used', to('integer'))).rejects.toMatchObject({
      hint: 'change_table.used',
      message: expect.stringMatching(/policy p|v\b|used_lower|of_two|own/),
    })
    await query(stop)
    await world.preview('used', to('integer'))
  })

  test('a required field that would be empty', async () => {
    await world.create('must')
    await insert('must', ['1', 'x'])
    await world.change('must', { kind: 'edit_field', field: 'cause', required: true })
    await expect(world.change('must', { ...to('integer'), rest: 'empty' })).rejects.toMatchObject({
      hint: 'change_table.gaps',
    })
  })
})

test('a text becomes a long text and back without a change of its column', async () => {
  await world.create('reports')
  await insert('reports', ['a', ''])
  await query(`create policy reads_cause on public.reports for select to authenticated using (cause is not null)`)
  const format = (): Promise<readonly object[]> =>
    query(`select format from holdfast.fields where table_name = 'reports' and field_name = 'cause'`)
  expect(await conversion('reports', to('long_text'))).toEqual({ total: 1, lost: 0, values: [] })
  const before = await world.shapeOf('reports')
  await world.change('reports', to('long_text'))
  expect(await world.shapeOf('reports')).toEqual(before)
  expect(await format()).toEqual([{ format: { kind: 'long_text' } }])
  await world.change('reports', to('text'))
  expect(await format()).toEqual([{ format: { kind: 'text' } }])
  await expect(
    world.change('reports', { kind: 'edit_field', field: 'parent_id', format: { kind: 'email' } }),
  ).rejects.toMatchObject({ hint: 'change_table.format' })
})

test('a number becomes a long text at once', async () => {
  await world.create('counted', [
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'cause', label: 'Cause', kind: 'integer' },
  ])
  await world.asked(EDDA, sql`insert into public.counted (title, cause) values ('a', 12)`)
  await world.change('counted', to('long_text'))
  expect(await causes('counted')).toEqual(['12'])
  expect(await query(`select format from holdfast.fields where table_name = 'counted'`)).toEqual([
    { format: { kind: 'long_text' } },
  ])
})

describe('dates and times', () => {
  test.each([
    ['2026-03-29', '2026-03-28 23:00:00.000000+00'],
    ['2026-03-29 03:30', '2026-03-29 01:30:00.000000+00'],
    ['29.3.2026 3:30', '2026-03-29 01:30:00.000000+00'],
    ['2026-03-29T10:00:00.5Z', '2026-03-29 10:00:00.500000+00'],
    ['2026-03-29 02:30', null],
    ['2026-02-30 10:00', null],
    ['2026-03-29 24:00', null],
    ['10:00', null],
    ['soon', null],
  ])('%j is the time %j in Vienna', async (text, time) => {
    const settings = JSON.stringify({ zone: 'Europe/Vienna', order: 'dmy' })
    const [row] = await query<{ time: string | null }>(
      `select holdfast.convert_text('${text}', 'datetime', '${settings}') as time`,
    )
    expect(row?.time ?? null).toBe(time)
  })

  test('turn into each other in the time zone of the workspace; a time of day is lost only if the owner says so', async () => {
    await query(`update holdfast.workspaces set time_zone = 'Europe/Vienna' where id = '${world.workspace}'`)
    await world.create('due', [
      { name: 'title', label: 'Title', kind: 'text' },
      { name: 'cause', label: 'Cause', kind: 'date' },
    ])
    await insert('due', ['2026-03-01', '2026-07-01', null])
    await world.change('due', to('datetime'))
    const utc = (): Promise<readonly object[]> =>
      query(`select to_char(cause at time zone 'UTC', 'MM-DD HH24:MI') as at from public.due order by title`)
    expect(await utc()).toEqual([{ at: '02-28 23:00' }, { at: '06-30 22:00' }, { at: null }])
    await query(`update public.due set cause = '2026-03-01 23:30:00+00' where title = '000'`)
    expect(await conversion('due', to('date'))).toEqual({
      total: 2,
      lost: 1,
      values: [{ text: '2026-03-02 00:30', records: 1 }],
    })
    await expect(world.change('due', to('date'))).rejects.toMatchObject({ hint: 'change_table.lost' })
    expect(await conversion('due', to('date', { time: 'drop' }))).toMatchObject({ lost: 0 })
    await world.change('due', to('date', { time: 'drop' }))
    expect(await query(`select cause::text from public.due order by title`)).toEqual([
      { cause: '2026-03-02' },
      { cause: '2026-07-01' },
      { cause: null },
    ])
    expect(
      await query(
        `select scope, columns::text from sync.guards where "table" = 'public.due'::regclass and scope like 'dates%'`,
      ),
    ).toEqual([{ scope: 'dates:Europe/Vienna', columns: '{cause}' }])
    await world.change('due', to('datetime'))
    await world.change('due', to('text'))
    expect(await causes('due')).toEqual(['2026-03-02 00:00', '2026-07-01 00:00', null])
  })
})
