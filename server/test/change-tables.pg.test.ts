import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileSyncPlan, readPolicyInput } from '@holdfast/policy'
import { sql } from '@holdfast/postgres'
import type { TestDatabase } from '@holdfast/test-support'
import { EDDA, MOLE, OLGA, openChangeWorld, type ChangeWorld } from './support/change-world.ts'

// Owners and admins change the shape of the tables that their workspace made.

let world: ChangeWorld
let database: TestDatabase
let workspace = ''

beforeAll(async () => {
  world = await openChangeWorld()
  ;({ database, workspace } = world)
})
afterAll(() => world[Symbol.asyncDispose]())

const asked = <Row extends object>(who: string, query: ReturnType<typeof sql>): Promise<readonly Row[]> =>
  world.asked<Row>(who, query)
const create = (name: string): Promise<void> => world.create(name)
const change = (name: string, of: object, who?: string): Promise<string> => world.change(name, of, who)
const preview = (name: string, of: object, who?: string): Promise<string> => world.preview(name, of, who)
const rows = (name: string): Promise<readonly object[]> => world.rows(name)
const shapeOf = (name: string): Promise<unknown> => world.shapeOf(name)
const field = (name: string, kind: string, more: object = {}): object => ({
  kind: 'add_field',
  field: { name, label: `The ${name}`, kind, ...more },
})

const KINDS = [
  ['text'],
  ['integer'],
  ['number'],
  ['boolean'],
  ['date'],
  ['datetime'],
  ['choice', { choices: ['low', 'High'] }],
  ['link', { table: 'hf_teams' }],
  ['autonumber'],
  ['rating'],
  ['currency', { code: 'CHF' }],
  ['percent'],
  ['duration', { unit: 'seconds' }],
  ['barcode'],
  ['location'],
] as const

test('a field of every kind is added, previewed word for word, deleted and restored as it was, and the table syncs', async () => {
  await create('faults')
  await asked(EDDA, sql`insert into public.faults (title, cause) values ('a', 'rust'), ('b', null)`)
  for (const [kind, more] of KINDS) {
    const added = field(`f_${kind}`, kind, more)
    const text = await preview('faults', added)
    expect(await change('faults', added)).toBe(text)
  }
  const [before, values] = [await shapeOf('faults'), await rows('faults')]
  const names = ['cause', 'state', 'parent_id', ...KINDS.map(([kind]) => `f_${kind}`)]
  for (const name of names) await change('faults', { kind: 'delete_field', field: name })
  expect(Object.keys((await rows('faults'))[0] ?? {}).toSorted()).toEqual([
    'created_at',
    'created_by',
    'id',
    'title',
    'updated_at',
  ])
  for (const name of names.toReversed()) await change('faults', { kind: 'restore_field', field: name })
  expect(await shapeOf('faults')).toEqual(before)
  expect(await rows('faults')).toEqual(values)
  const [kept] = await database.pool.query(
    sql`select count(*)::int as tables from pg_class where relnamespace = 'holdfast_private'::regnamespace and relname ~ '^f[0-9]'`,
  )
  expect(kept).toEqual({ tables: 0 })

  const plan = compileSyncPlan(await readPolicyInput(database.compilerPool, { schemas: ['public', 'holdfast'] }))
  expect(JSON.stringify(plan)).toContain('"faults"')
})

test('formats are kept in their grammar, for columns whose type they fit, and do not change the column', async () => {
  await create('formats')
  const kept = async (name: string): Promise<unknown> =>
    (
      await asked(EDDA, sql`select format from holdfast.fields where table_name = 'formats' and field_name = ${name}`)
    )[0]
  await change('formats', field('stars', 'rating', { max: 10 }))
  expect(await kept('stars')).toEqual({ format: { kind: 'rating', max: 10 } })
  await change('formats', field('spot', 'location'))
  await asked(EDDA, sql`insert into public.formats (title, stars, spot) values ('a', 10, '(13.405,52.52)')`)
  for (const [column, value] of [
    ['stars', '11'],
    ['spot', '(200,10)'],
  ] as const)
    await expect(
      asked(EDDA, sql`update public.formats set ${sql.identifier(column)} = ${value}`),
    ).rejects.toMatchObject({ code: '23514' })
  await change('formats', field('pay', 'number'))
  const before = await shapeOf('formats')
  for (const format of [{ kind: 'currency', code: 'SEK' }, { kind: 'percent' }, null]) {
    await change('formats', { kind: 'edit_field', field: 'pay', format })
    expect(await kept('pay')).toEqual({ format })
  }
  expect(await shapeOf('formats')).toEqual(before)
  for (const [name, format, hint] of [
    ['pay', { kind: 'duration', unit: 'minutes' }, 'change_table.format'],
    ['pay', { kind: 'rating', max: 5 }, 'change_table.format'],
    ['title', { kind: 'currency', code: 'EUR' }, 'change_table.format'],
    ['pay', { kind: 'gauge' }, 'change_table.format'],
    ['pay', { kind: 'currency', code: 'eur' }, 'new_table.format'],
  ] as const)
    await expect(change('formats', { kind: 'edit_field', field: name, format })).rejects.toMatchObject({ hint })
  await expect(change('formats', field('bad', 'rating', { max: 7 }))).rejects.toMatchObject({
    hint: 'new_table.format',
  })
  // Whoever may arrange fields writes the column, too: the constraint has the same grammar.
  for (const wrong of [
    '{"kind": "gauge"}',
    '{"kind": "rating", "max": 7}',
    '{"kind": "percent", "more": 1}',
    '{}',
    '[]',
    '1',
  ])
    await expect(
      asked(OLGA, sql`update holdfast.fields set format = ${wrong}::jsonb where table_name = 'formats'`),
    ).rejects.toMatchObject({ code: '23514' })
})

test('a renamed field keeps its column, its help and its values', async () => {
  await create('renamed')
  await asked(EDDA, sql`insert into public.renamed (title, cause) values ('a', 'rust')`)
  await database.pool.execute(sql.trusted(`comment on column public.renamed.cause is 'Cause. What broke. As found.'`))
  await change('renamed', { kind: 'edit_field', field: 'cause', label: 'Root cause' })
  expect(await shapeOf('renamed')).toContainEqual(
    expect.objectContaining({ attname: 'cause', comment: 'Root cause. What broke. As found.' }),
  )
  expect(await rows('renamed')).toMatchObject([{ cause: 'rust' }])
})

test('the name of a deleted field is not given to a new one, and its values stay out of reach', async () => {
  await create('reused')
  await asked(EDDA, sql`insert into public.reused (title, cause) values ('a', 'rust')`)
  await change('reused', { kind: 'delete_field', field: 'cause' })
  await change('reused', field('cause', 'number'))
  expect(await rows('reused')).toMatchObject([{ f2_cause: null }])
  expect(await asked(OLGA, sql`select field_name, label from holdfast.deleted_fields(${workspace}, 'reused')`)).toEqual(
    [{ field_name: 'cause', label: 'Cause' }],
  )
  await expect(asked(OLGA, sql`select * from holdfast_private.deleted_fields`)).rejects.toThrow('permission denied')

  await database.pool.execute(
    sql`update holdfast_private.deleted_fields set deleted_at = now() - interval '31 days' where table_name = 'reused'`,
  )
  await expect(change('reused', { kind: 'restore_field', field: 'cause' })).rejects.toMatchObject({
    hint: 'change_table.no_field',
  })
})

test('every change is recorded with who made it and its statements', async () => {
  await create('recorded')
  const text = await change('recorded', field('depth', 'number'))
  expect(
    await asked(OLGA, sql`select kind, made_by, statements from holdfast.table_changes(${workspace}, 'recorded')`),
  ).toEqual([
    { kind: 'add_field', made_by: OLGA, statements: text },
    expect.objectContaining({ kind: 'create_table', made_by: OLGA }),
  ])
})

describe('refused', () => {
  test.each([
    ['an editor', EDDA, 'faults', field('x', 'text'), 'people.not_admin'],
    ['the owner of another workspace', MOLE, 'faults', field('x', 'text'), 'people.not_admin'],
    ['a table of the project', OLGA, 'of_project', field('x', 'text'), 'change_table.of_project'],
    ['a table that is not there', OLGA, 'nothing', field('x', 'text'), 'change_table.of_project'],
    ['an unknown change', OLGA, 'faults', { kind: 'drop' }, 'change_table.kind'],
    ['an unknown kind of field', OLGA, 'faults', field('x', 'point'), 'new_table.kind'],
    ['a name with quotes', OLGA, 'faults', field('x"; drop', 'text'), 'new_table.name'],
    ['a label of two lines', OLGA, 'faults', { kind: 'edit_field', field: 'cause', label: 'a\nb' }, 'new_table.label'],
    ['a field of every table', OLGA, 'faults', { kind: 'delete_field', field: 'id' }, 'change_table.no_field'],
    ['a hidden column', OLGA, 'faults', { kind: 'delete_field', field: 'ctid' }, 'change_table.no_field'],
    [
      'restoring what was not deleted',
      OLGA,
      'faults',
      { kind: 'restore_field', field: 'cause' },
      'change_table.no_field',
    ],
  ])('%s', async (_, who, name, of, hint) => {
    await expect(change(name, of, who)).rejects.toMatchObject({ hint })
    await expect(preview(name, of, who)).rejects.toMatchObject({ hint })
  })

  test('a field that a policy reads, naming the policy', async () => {
    await create('ruled')
    await database.pool.execute(
      sql.trusted(`create policy only_open on public.ruled for select to authenticated using (state = 'open')`),
    )
    await expect(change('ruled', { kind: 'delete_field', field: 'state' })).rejects.toMatchObject({
      hint: 'change_table.used',
      message: expect.stringContaining('only_open'),
    })
  })

  test('a field that a rule of required fields names, as itself or in a condition', async () => {
    await create('needed')
    const when = JSON.stringify([{ field: 'state', is: 'one_of', values: ['open'] }])
    await asked(OLGA, sql`select holdfast.set_required_when(${workspace}, 'needed', 'cause', ${when}::jsonb)`)
    for (const name of ['cause', 'state'])
      await expect(change('needed', { kind: 'delete_field', field: name }), name).rejects.toMatchObject({
        hint: 'change_table.used',
      })
    await asked(OLGA, sql`select holdfast.set_required_when(${workspace}, 'needed', 'cause', '[]')`)
    await change('needed', { kind: 'delete_field', field: 'state' })
  })
})

test('rules are in the history of the table', async () => {
  await create('governed')
  const rules = { see: [{ role: 'viewer', scope: 'all' }], add: [], change: [], delete: [] }
  await asked(OLGA, sql`select holdfast.set_access(${workspace}, 'governed', ${JSON.stringify(rules)}::jsonb)`)
  const when = [{ field: 'state', is: 'filled' }]
  await asked(
    OLGA,
    sql`select holdfast.set_required_when(${workspace}, 'governed', 'cause', ${JSON.stringify(when)}::jsonb)`,
  )
  const history = await asked<{ kind: string; change: object; made_by: string }>(
    OLGA,
    sql`select kind, change, made_by from holdfast.table_changes(${workspace}, 'governed') order by id desc limit 2`,
  )
  expect(history).toEqual([
    { kind: 'set_required_when', change: { field: 'cause', when }, made_by: OLGA },
    { kind: 'set_access', change: rules, made_by: OLGA },
  ])
})

describe('editing a field', () => {
  const edit = (of: object): object => ({ kind: 'edit_field', field: 'state', ...of })

  test('options are added, put in order, renamed with their records, and merged', async () => {
    await create('options')
    await asked(
      EDDA,
      sql`insert into public.options (title, state) values ('a', 'open'), ('b', 'it''s done'), ('c', null)`,
    )
    const text = await preview(
      'options',
      edit({ choices: ['Open', 'Done', 'Later'], renamed: { open: 'Open', "it's done": 'Done' } }),
    )
    expect(
      await change(
        'options',
        edit({ choices: ['Open', 'Done', 'Later'], renamed: { open: 'Open', "it's done": 'Done' } }),
      ),
    ).toBe(text)
    expect(await rows('options')).toMatchObject([{ state: 'Open' }, { state: 'Done' }, { state: null }])
    await asked(EDDA, sql`update public.options set state = 'Later' where title = 'c'`)
    await expect(asked(EDDA, sql`update public.options set state = 'open'`)).rejects.toMatchObject({ code: '23514' })
    await change('options', edit({ choices: ['Done', 'Open'], renamed: { Later: 'Open' } }))
    expect(await rows('options')).toMatchObject([{ state: 'Open' }, { state: 'Done' }, { state: 'Open' }])
  })

  test('new options are shown as they are written, and given words stay', async () => {
    await create('worded')
    await asked(
      OLGA,
      sql`update holdfast.fields set choices = choices || '{"open": "Aufgemacht"}' where table_name = 'worded' and field_name = 'state'`,
    )
    await change('worded', edit({ choices: ['open', 'm3'] }))
    expect(
      await database.pool.query(
        sql`select choices from holdfast.fields where table_name = 'worded' and field_name = 'state'`,
      ),
    ).toEqual([{ choices: { open: 'Aufgemacht', m3: 'm3' } }])
  })

  test('a colour stays with its option when that is renamed, merged and duplicated, and goes with it', async () => {
    await create('coloured')
    const colours = async (name = 'coloured'): Promise<unknown> => {
      const kept = await asked<{ choice_colours: object }>(
        EDDA,
        sql`select choice_colours from holdfast.fields where table_name = ${name} and field_name = 'state'`,
      )
      return kept[0]?.choice_colours
    }
    const given = { open: 'blue', "it's done": 'green' }
    await change('coloured', edit({ colours: given }))
    expect(await colours()).toEqual(given)
    await change(
      'coloured',
      edit({ choices: ['Open', 'Done', 'Late'], renamed: { open: 'Open', "it's done": 'Done' } }),
    )
    expect(await colours()).toEqual({ Open: 'blue', Done: 'green' })
    await change('coloured', { kind: 'duplicate_table', label: 'Coloured again' })
    expect(await colours('coloured_2')).toEqual({ Open: 'blue', Done: 'green' })
    await change('coloured', edit({ choices: ['Done', 'Late'], renamed: { Open: 'Late' } }))
    expect(await colours()).toEqual({ Late: 'blue', Done: 'green' })
    await change('coloured', edit({ choices: ['Done', 'New'], renamed: { Late: 'New' }, colours: { New: 'pink' } }))
    expect(await colours()).toEqual({ New: 'pink' })
    await change('coloured', edit({ choices: ['Done'] }))
    expect(await colours()).toEqual({})
    await expect(
      database.pool.execute(
        sql`update holdfast.fields set choice_colours = '{"Done": "mauve"}' where table_name = 'coloured'`,
      ),
    ).rejects.toMatchObject({ code: '23514' })
  })

  test('one field of a table has a role, the last that got it, and closed options follow the options', async () => {
    await create('used_as')
    await change('used_as', field('begun_at', 'datetime'))
    const edits = (of: string, more: object): object => ({ kind: 'edit_field', field: of, ...more })
    const uses = (): Promise<readonly object[]> =>
      asked(
        EDDA,
        sql`select field_name as field, role, closed_choices as closed from holdfast.fields
             where table_name = 'used_as' and (role is not null or closed_choices is not null) order by 1`,
      )
    await change('used_as', edits('state', { role: 'state', closed: ["it's done"] }))
    await change('used_as', edits('begun_at', { role: 'due' }))
    await change('used_as', field('due_on', 'date'))
    await change('used_as', edits('due_on', { role: 'due' }))
    await change('used_as', edits('state', { choices: ['Done', 'open'], renamed: { "it's done": 'Done' } }))
    const expected = [
      { field: 'due_on', role: 'due', closed: null },
      { field: 'state', role: 'state', closed: ['Done'] },
    ]
    expect(await uses()).toEqual(expected)
    await change('used_as', edits('state', { role: null, closed: null }))
    expect(await uses()).toEqual(expected.slice(0, 1))
  })

  test('an option that records have is not removed', async () => {
    await create('used')
    await asked(EDDA, sql`insert into public.used (title, state) values ('a', 'open')`)
    await expect(change('used', edit({ choices: ['done'] }))).rejects.toMatchObject({
      hint: 'change_table.choices_used',
      detail: '1',
    })
  })

  test('a value is required once all records have one', async () => {
    await create('filled')
    await asked(EDDA, sql`insert into public.filled (title) values ('a')`)
    await expect(change('filled', edit({ required: true }))).rejects.toMatchObject({
      hint: 'change_table.gaps',
      detail: '1',
    })
    await asked(EDDA, sql`update public.filled set state = 'open'`)
    await change('filled', edit({ label: 'Condition', required: true }))
    await expect(asked(EDDA, sql`insert into public.filled (title) values ('b')`)).rejects.toMatchObject({
      code: '23502',
    })
    await change('filled', edit({ required: false }))
    await asked(EDDA, sql`insert into public.filled (title) values ('b')`)
  })

  test.each([
    ['a colour that is none of the palette', { colours: { open: '#ff0000' } }, 'change_table.colours'],
    ['the colour of an option that is none', { colours: { shut: 'blue' } }, 'change_table.colours'],
    ['a colour of a field without options', { field: 'title', colours: { a: 'blue' } }, 'change_table.no_choices'],
    ['options of a field without any', { field: 'title', choices: ['a'] }, 'change_table.no_choices'],
    ['a due date of another type', { role: 'due' }, 'change_table.role'],
    ['an assignee that links to no user', { field: 'parent_id', role: 'assignee' }, 'change_table.role'],
    ['a role that is none', { role: 'boss' }, 'change_table.role'],
    ['a closed option that is none', { closed: ['shut'] }, 'change_table.closed'],
    ['no options', { choices: [] }, 'new_table.choices'],
    ['an option renamed to none of them', { choices: ['a'], renamed: { open: 'b' } }, 'change_table.choices'],
    ['renamed options that are no object', { choices: ['a'], renamed: ['open'] }, 'change_table.choices'],
    ['a required link', { field: 'parent_id', required: true }, 'change_table.link_required'],
    ['required as a word', { required: 'yes' }, 'change_table.kind'],
    ['a label of two lines', { label: 'a\nb' }, 'new_table.label'],
  ])('%s: refused', async (_, of, hint) => {
    await expect(change('faults', edit(of))).rejects.toMatchObject({ hint })
  })
})

test('fields say who created and changed a record, and when, whatever a user writes into them', async () => {
  await world.create('logged', [
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'author', label: 'Author', kind: 'created_by' },
  ])
  await world.asked(EDDA, sql`insert into public.logged (title) values ('a')`)
  for (const kind of ['changed_by', 'created_at', 'changed_at', 'created_by'])
    await world.change('logged', { kind: 'add_field', field: { name: `is_${kind}`, label: kind, kind } })
  await world.asked(OLGA, sql`update public.logged set title = 'b', author = null`)
  const [row] = await world.database.pool.query<{
    author: string
    changer: string
    is_known: boolean
    is_same: boolean
  }>(sql`
    select a.user_id as author, c.user_id as changer, l.is_created_by = l.author as is_known, l.is_created_at = l.created_at and l.is_changed_at = l.updated_at as is_same
      from public.logged l join holdfast.members a on a.id = l.author join holdfast.members c on c.id = l.is_changed_by`)
  expect(row).toEqual({ author: EDDA, changer: OLGA, is_known: true, is_same: true })
  await world.change('logged', { kind: 'delete_field', field: 'author' })
  await world.asked(EDDA, sql`update public.logged set title = 'c'`)
  await world.change('logged', { kind: 'restore_field', field: 'author' })
  await world.asked(EDDA, sql`insert into public.logged (title) values ('d')`)
  expect(await world.database.pool.query(sql`select count(author)::int as count from public.logged`)).toEqual([
    { count: 2 },
  ])
})
