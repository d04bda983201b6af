import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileSyncPlan, compileWriteRules, readPolicyInput, readWriteInput } from '@holdfast/policy'
import { sql } from '@holdfast/postgres'
import { openPurge } from '../src/workspaces/purge-deleted.ts'
import { EDDA, MOLE, OLGA, openChangeWorld, type ChangeWorld } from './support/change-world.ts'

// Owners and admins rename, duplicate, delete and restore the tables that their workspace made.

let world: ChangeWorld
beforeAll(async () => {
  world = await openChangeWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const query = (text: string): Promise<readonly object[]> => world.database.pool.query(sql.trusted(text))
const restore = async (name: string, who = OLGA): Promise<object | undefined> => {
  const [row] = await world.asked<{ done: object }>(
    who,
    sql`select holdfast.restore_table(${world.workspace}, ${name}) as done`,
  )
  return row?.done
}
const DELETE = { kind: 'delete_table' }
const textField = (name: string): object => ({ name, label: name, kind: 'text' })
const linkField = (name: string, table: string): object => ({ name, label: name, kind: 'link', table })
const policiesOf = (name: string): Promise<readonly object[]> =>
  world.asked(OLGA, sql`select holdfast.access_of(${world.workspace}, ${name}) as access`)
const synced = async (name: string): Promise<boolean> =>
  JSON.stringify(
    compileSyncPlan(await readPolicyInput(world.database.compilerPool, { schemas: ['public', 'holdfast'] })),
  ).includes(`"${name}"`)
const setComputed = (table: string, definition: object): Promise<readonly object[]> =>
  world.asked(
    OLGA,
    sql`select holdfast.set_computed_field(${world.workspace}, ${table}, ${JSON.stringify(definition)}::jsonb)`,
  )

test('the rules of writes are compiled while the sync plan still has a table that was deleted since', async () => {
  await world.create('deleted_since')
  const read = (): ReturnType<typeof readWriteInput> =>
    readWriteInput(world.database.compilerPool, { schemas: ['public', 'holdfast'] })
  const before = await read()
  const planned = new Set(compileSyncPlan(before.policies).tables.map(({ oid }) => oid))
  expect((await compileWriteRules(before, 'authenticated', planned)).tables).toHaveProperty('deleted_since')
  await world.change('deleted_since', DELETE)
  const { tables } = await compileWriteRules(await read(), 'authenticated', planned)
  expect(tables).not.toHaveProperty('deleted_since')
})

test('a renamed table keeps its name in the database and its help', async () => {
  await world.create('old_words')
  await query(`comment on table public.old_words is 'Faults. What broke.'`)
  const text = await world.preview('old_words', { kind: 'rename_table', label: 'Damages' })
  expect(await world.change('old_words', { kind: 'rename_table', label: 'Damages' })).toBe(text)
  expect(
    await query(
      `select obj_description('public.old_words'::regclass) as comment, label from holdfast.tables where table_name = 'old_words'`,
    ),
  ).toEqual([{ comment: 'Damages. What broke.', label: 'Damages' }])
})

describe('a deleted table', () => {
  test('leaves sync and the API, and comes back as it was, with links of other tables and computed fields', async () => {
    await world.create('wells', [textField('title'), { name: 'depth', label: 'Depth', kind: 'integer' }])
    await world.create('samples', [textField('title'), linkField('well', 'wells')])
    await world.change('wells', { kind: 'add_field', field: linkField('next', 'wells') })
    await world.asked(EDDA, sql`insert into public.wells (title, depth) values ('North', 3), ('South', 4)`)
    await world.asked(EDDA, sql`insert into public.samples (title, well) select 'of ' || title, id from public.wells`)
    await setComputed('wells', {
      name: 'twice',
      label: 'Twice',
      kind: 'formula',
      formula: { call: '*', of: [{ field: 'depth' }, { number: 2 }] },
    })
    await setComputed('wells', {
      name: 'more',
      label: 'More',
      kind: 'formula',
      formula: { call: '+', of: [{ field: 'twice' }, { number: 1 }] },
    })
    const state = async (): Promise<unknown> => [
      await world.shapeOf('wells'),
      await world.shapeOf('samples'),
      await world.rows('wells'),
      await world.rows('samples'),
      await policiesOf('wells'),
      await query(`select twice(w), more(w) from public.wells w order by title`),
      await world.asked(EDDA, sql`select table_name, kind from holdfast.history where table_name = 'wells'`),
    ]
    const before = await state()
    expect(await world.asked(OLGA, sql`select * from holdfast.table_links(${world.workspace}, 'wells')`)).toEqual([
      { of_table: 'Faults', label: 'well' },
    ])
    const text = await world.preview('wells', DELETE)
    expect(await world.change('wells', DELETE)).toBe(text)

    expect(await query(`select to_regclass('public.wells') is null as is_gone`)).toEqual([{ is_gone: true }])
    expect(await synced('wells')).toBe(false)
    expect(await synced('samples')).toBe(true)
    expect(Object.keys((await world.rows('samples'))[0] ?? {})).not.toContain('well')
    await expect(world.asked(OLGA, sql`select * from holdfast_deleted.wells`)).rejects.toThrow('permission denied')
    expect(
      await world.asked(OLGA, sql`select table_name, label from holdfast.deleted_tables(${world.workspace})`),
    ).toContainEqual({ table_name: 'wells', label: 'Faults' })

    await expect(world.create('wells')).rejects.toMatchObject({ hint: 'new_table.deleted' })
    await expect(world.change('samples', { kind: 'restore_field', field: 'well' })).rejects.toMatchObject({
      hint: 'change_table.link_deleted',
    })
    expect(await restore('wells')).toMatchObject({ left_out: [] })
    expect(await state()).toEqual(before)
    expect(await synced('wells')).toBe(true)
  })

  test('closes its public forms', async () => {
    await world.create('asked_for')
    await world.asked(
      OLGA,
      sql`insert into holdfast.views (id, table_name, name, type, scope) values ('bbbbbbbb-0000-4000-8000-000000000001', 'asked_for', 'Ask', 'form', 'personal')`,
    )
    const definition = JSON.stringify({ title: 'Ask', questions: [{ field: 'title' }] })
    await world.asked(
      OLGA,
      sql`select holdfast.publish_form(${world.workspace}, 'bbbbbbbb-0000-4000-8000-000000000001', 'asked_for', ${definition}::jsonb)`,
    )
    await world.change('asked_for', DELETE)
    await restore('asked_for')
    expect(await query(`select is_open from holdfast.public_forms where table_name = 'asked_for'`)).toEqual([
      { is_open: false },
    ])
    expect(await query(`select polname from pg_policy where polname like 'public_form%'`)).toEqual([])
  })

  test('comes back beside an index that took the name of one of its own, and without fields that read what is gone', async () => {
    await world.create('a', [textField('title'), linkField('b_c', 'hf_teams')])
    await world.create('far', [textField('title'), textField('word')])
    await world.change('a', { kind: 'add_field', field: { ...linkField('far_id', 'far') } })
    await setComputed('a', { name: 'far_word', label: 'Far word', kind: 'lookup', link: 'far_id', field: 'word' })
    await world.change('a', DELETE)
    await world.create('a_b', [textField('title'), linkField('c', 'hf_teams')])
    await world.change('far', { kind: 'delete_field', field: 'word' })
    expect(await restore('a')).toMatchObject({ left_out: ['Far word'] })
    await world.change('a_b', DELETE)
    await restore('a_b')
  })

  test('takes its checklists along, with their rules, and brings them back', async () => {
    await world.create('walks')
    await world.create('repairs', [textField('title')])
    await world.asked(OLGA, sql`select holdfast.add_checklist(${world.workspace}, 'walks', '{"name": "Fire walk"}')`)
    await world.change('repairs', { kind: 'add_field', field: linkField('finding', 'walks_findings') })
    await setComputed('walks', {
      name: 'answered',
      label: 'Answered',
      kind: 'rollup',
      table: 'walks_answers',
      link: 'record',
      function: 'count',
    })
    await world.asked(EDDA, sql`insert into public.walks (title) values ('North')`)
    await query(
      `insert into public.walks_questions (checklist, prompt) select id, 'Exit clear?' from public.walks_checklists`,
    )
    await world.asked(
      EDDA,
      sql`insert into public.walks_answers (record, question, value_bool) select w.id, q.id, false from public.walks w, public.walks_questions q`,
    )
    const parts = ['walks_answers', 'walks_checklists', 'walks_findings', 'walks_questions']
    const state = async (): Promise<unknown> => [
      await Promise.all(['walks', ...parts].map((name) => Promise.all([world.shapeOf(name), policiesOf(name)]))),
      await world.rows('walks'),
      await query(`select value_bool, answered(w) from public.walks_answers a join public.walks w on w.id = a.record`),
      await query(`select table_name, item_table, answer_table, finding_table from holdfast.checklists`),
      await query(`select table_name, deleted_at from holdfast.tables where table_name like 'walks%' order by 1`),
    ]
    const before = await state()
    await expect(world.change('walks_questions', DELETE)).rejects.toMatchObject({
      hint: 'change_table.checklist',
      detail: 'Faults',
    })
    expect(
      await world.asked(OLGA, sql`select holdfast.tables_deleted_with(${world.workspace}, 'walks') as label`),
    ).toEqual(['Answers', 'Checklists', 'Findings', 'Questions'].map((label) => ({ label })))
    expect(await world.asked(OLGA, sql`select * from holdfast.table_links(${world.workspace}, 'walks')`)).toEqual([
      { of_table: 'Faults', label: 'finding' },
    ])

    await world.change('walks', DELETE)
    expect(
      await query(
        `select relname from pg_class where relname like 'walks%' and relkind = 'r' and relnamespace = 'public'::regnamespace`,
      ),
    ).toEqual([])
    expect(await query(`select from holdfast.checklists where table_name = 'walks'`)).toEqual([])
    expect(
      await query(
        `select table_name from holdfast.tables where deleted_at is not null and table_name like 'walks%' order by 1`,
      ),
    ).toEqual(['walks', ...parts].map((name) => ({ table_name: name })))
    expect(
      await world.asked(
        OLGA,
        sql`select table_name from holdfast.deleted_tables(${world.workspace}) where table_name like 'walks%'`,
      ),
    ).toEqual([{ table_name: 'walks' }])
    await expect(restore('walks_answers')).rejects.toMatchObject({ hint: 'change_table.no_table' })

    expect(await restore('walks')).toMatchObject({ left_out: [] })
    expect(await state()).toEqual(before)
    await world.asked(EDDA, sql`update public.walks_answers set value_bool = true`)
  })

  test.each([
    ['an editor', EDDA, 'people.not_admin'],
    ['the owner of another workspace', MOLE, 'people.not_admin'],
  ])('is neither listed nor restored for %s', async (_, who, hint) => {
    await expect(world.asked(who, sql`select holdfast.deleted_tables(${world.workspace})`)).rejects.toMatchObject({
      hint,
    })
    await expect(restore('wells', who)).rejects.toMatchObject({ hint })
  })
})

describe('a table stays', () => {
  test.each([
    ['a view', `create view public.reads as select id from public.kept`, `drop view public.reads`],
    [
      'a policy of another table',
      `create policy reads on public.of_project for select to authenticated using (exists (select from public.kept))`,
      `drop policy reads on public.of_project`,
    ],
    [
      'a function',
      `create function public.reads(public.kept) returns text language sql return $1.title`,
      `drop function public.reads`,
    ],
    [
      'a link of the project',
      `alter table public.of_project add kept uuid references public.kept`,
      `alter table public.of_project drop kept`,
    ],
  ])('that %s uses', async (_, use, stop) => {
    if ((await query(`select to_regclass('public.kept') as kept`)).every((row) => !('kept' in row && row.kept)))
      await world.create('kept')
    await query(use)
    await expect(world.change('kept', DELETE)).rejects.toMatchObject({ hint: 'change_table.used' })
    await query(stop)
    await world.preview('kept', DELETE)
  })

  test('that a computed field of another table reads, naming the field', async () => {
    await world.create('sites', [textField('title')])
    await world.create('visits', [textField('title'), linkField('site', 'sites')])
    await setComputed('visits', {
      name: 'site_title',
      label: 'Site title',
      kind: 'lookup',
      link: 'site',
      field: 'title',
    })
    await expect(world.change('sites', DELETE)).rejects.toMatchObject({
      hint: 'change_table.used',
      message: expect.stringContaining('Site title'),
    })
  })
})

describe('a copy of a table', () => {
  test('has its fields, rules, steps, words and computed fields, and its records if asked for', async () => {
    await world.create('plans', [
      textField('title'),
      { name: 'state', label: 'State', kind: 'choice', choices: ['open', 'done'] },
      { name: 'number', label: 'Number', kind: 'autonumber' },
      linkField('parent', 'hf_teams'),
    ])
    await world.change('plans', { kind: 'add_field', field: linkField('before', 'plans') })
    await world.asked(EDDA, sql`insert into public.plans (title, state) values ('a', 'open'), ('b', 'done')`)
    await query(`update public.plans set before = (select id from public.plans where title = 'a') where title = 'b'`)
    await world.asked(
      OLGA,
      sql`select holdfast.set_transitions(${world.workspace}, 'plans', 'state', '[{"from": "open", "to": "done"}]')`,
    )
    await setComputed('plans', {
      name: 'loud',
      label: 'Loud',
      kind: 'formula',
      formula: { call: 'upper', of: [{ field: 'title' }] },
    })
    await setComputed('plans', {
      name: 'followers',
      label: 'Followers',
      kind: 'rollup',
      table: 'plans',
      link: 'before',
      function: 'count',
    })
    await world.asked(
      OLGA,
      sql`insert into holdfast.views (table_name, name, type, scope, is_default, workspace_id, config) values
            ('plans', 'Open', 'grid', 'shared', true, ${world.workspace}, '{"filter": "all(state.is.open)"}'),
            ('plans', 'Report', 'form', 'shared', false, ${world.workspace}, '{"form": "title.required"}'),
            ('plans', 'Mine', 'board', 'personal', false, null, '{}')`,
    )
    await world.asked(
      EDDA,
      sql`insert into holdfast.views (table_name, name, scope) values ('plans', 'Of Edda', 'personal')`,
    )
    const change = { kind: 'duplicate_table', label: 'Plans copy', records: true }
    const text = await world.preview('plans', change)
    expect(await world.change('plans', change)).toBe(text)
    const named = (value: unknown): string => JSON.stringify(value).replaceAll('plans_2', 'plans')
    expect(await world.rows('plans_2')).toEqual(await world.rows('plans'))
    expect(named(await world.shapeOf('plans_2'))).toBe(named(await world.shapeOf('plans')))
    expect(named(await policiesOf('plans_2'))).toBe(named(await policiesOf('plans')))
    expect(await query(`select loud(p) from public.plans_2 p order by title`)).toEqual([{ loud: 'A' }, { loud: 'B' }])
    expect(await query(`select followers(p)::int from public.plans_2 p order by title`)).toEqual([
      { followers: 1 },
      { followers: 0 },
    ])
    const views = `select name, type, scope, is_default, config from holdfast.views where table_name`
    expect(await query(`${views} = 'plans_2' order by name`)).toEqual(
      await query(`${views} = 'plans' and name <> 'Of Edda' order by name`),
    )
    expect(await query(`${views} = 'plans_2'`)).toHaveLength(3)
    await expect(world.asked(EDDA, sql`update public.plans_2 set state = 'open' where title = 'b'`)).rejects.toThrow(
      'State stays Done',
    )
    await world.asked(EDDA, sql`insert into public.plans_2 (title) values ('c')`)
    expect(await query(`select number::int from public.plans_2 order by title`)).toEqual([
      { number: 1 },
      { number: 2 },
      { number: 3 },
    ])
    expect(await synced('plans_2')).toBe(true)

    await world.change('plans', { kind: 'duplicate_table', label: 'Empty plans' })
    expect(await world.rows('plans_3')).toEqual([])
  })
})

test('what was deleted is dropped after 30 days, once a day, and the log says how much', async () => {
  await world.create('leaving')
  const tiles = ['leaving', 'staying'].map((table, id) => ({
    id: `t${id}`,
    kind: 'number',
    table,
    width: 1,
    height: 1,
  }))
  await world.asked(
    OLGA,
    sql`insert into holdfast.dashboards (name, config) values ('Week', ${JSON.stringify({ version: 1, tiles })}::jsonb)`,
  )
  await world.create('linking', [textField('title'), linkField('to_leaving', 'leaving')])
  await world.change('leaving', { kind: 'delete_field', field: 'cause' })
  await world.change('leaving', DELETE)
  await world.create('staying')
  const lines: object[] = []
  let day = 29
  await using purge = openPurge({
    pool: world.database.pool,
    logger: { log: (level, message, fields) => void lines.push({ level, message, ...fields }) },
    now: () => sql`statement_timestamp() + ${day} * interval '1 day'`,
  })
  const kept = (): Promise<readonly object[]> =>
    query(
      `select (select count(*)::int from holdfast_private.deleted_tables) as tables, (select count(*)::int from holdfast_private.deleted_fields) as fields`,
    )
  await purge.settled()
  expect(lines).toEqual([])
  const before = await kept()
  day = 31
  await purge.settled()
  expect(lines).toEqual([
    expect.objectContaining({ level: 'info', tables: expect.any(Number), fields: expect.any(Number), busy: 0 }),
  ])
  expect(before).not.toEqual(await kept())
  expect(
    await query(
      `select config #>> '{tiles,0,table}' as first, jsonb_array_length(config -> 'tiles') as tiles from holdfast.dashboards`,
    ),
  ).toEqual([{ first: 'staying', tiles: 1 }])
  expect(await kept()).toEqual([{ tables: 0, fields: 0 }])
  expect(
    await query(
      `select count(*)::int as rest from pg_class where relnamespace = 'holdfast_deleted'::regnamespace
          or (relnamespace = 'holdfast_private'::regnamespace and relname ~ '^f[0-9]')`,
    ),
  ).toEqual([{ rest: 0 }])
  await purge.settled()
  expect(lines).toHaveLength(1)
  await world.create('leaving')
  expect(await query(`select count(*)::int as staying from public.staying`)).toEqual([{ staying: 0 }])
})
