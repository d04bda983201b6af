import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileSyncPlan, readPolicyInput } from '@holdfast/policy'
import { runAs, sql } from '@holdfast/postgres'
import { EDDA, OLGA, openChangeWorld, type ChangeWorld } from './support/change-world.ts'

// An owner renames "open" to "To do (1.)" and merges "late" into "done": everything that names them follows.

const FIELDS = [
  { name: 'title', label: 'Title', kind: 'text' },
  { name: 'cause', label: 'Cause', kind: 'text' },
  { name: 'state', label: 'State', kind: 'choice', choices: ['open', 'late', 'done'] },
]
const TODO = 'To do (1.)'
const renaming = {
  kind: 'edit_field',
  field: 'state',
  choices: [TODO, 'done'],
  renamed: { open: TODO, late: 'done' },
}
const text = (value: string): object => ({ text: value })
const call = (name: string, ...of: readonly object[]): object => ({ call: name, of })
const STATE = { field: 'state' }

let world: ChangeWorld
beforeAll(async () => {
  world = await openChangeWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const asked = <Row extends object>(query: ReturnType<typeof sql>): Promise<readonly Row[]> =>
  world.asked<Row>(OLGA, query)
const invoke = async (name: string, ...args: readonly unknown[]): Promise<void> => {
  const given = args.map((arg) => (typeof arg === 'object' ? sql`${JSON.stringify(arg)}::jsonb` : sql`${arg}`))
  await asked(sql`select ${sql.identifier('holdfast', name)}(${sql.join(given, ', ')})`)
}
async function renamed(name: string): Promise<void> {
  const preview = await world.preview(name, renaming)
  expect(await world.change(name, renaming)).toBe(preview)
}
async function create(name: string): Promise<void> {
  await world.create(name, FIELDS)
  await world.asked(
    EDDA,
    sql`insert into ${sql.identifier('public', name)} (title, state, cause) values ('a', 'open', 'rust'), ('b', 'late', 'x'), ('c', 'done', null)`,
  )
}

test('an option with a text of its own gets another one, in every language, and its records stay', async () => {
  await create('worded')
  const german = { label: 'Stand', choices: { open: 'Offen', late: 'Spät' } }
  await asked(sql`
    insert into holdfast.fields (workspace_id, table_name, field_name, choices, translations)
    values (${world.workspace}, 'worded', 'state', ${JSON.stringify({ open: 'Open' })}, ${JSON.stringify({ de: german })})
    on conflict on constraint holdfast_fields_once do update set choices = excluded.choices, translations = excluded.translations`)
  const change = { kind: 'edit_field', field: 'state', label: 'Condition', words: { open: 'To do' } }
  expect(await world.change('worded', change)).toBe(await world.preview('worded', change))
  const [field] = await asked<{ choices: object; translations: object }>(
    sql`select choices, translations from holdfast.fields where table_name = 'worded' and field_name = 'state'`,
  )
  expect(field).toEqual({ choices: { open: 'To do' }, translations: { de: { choices: { late: 'Spät' } } } })
  expect((await world.rows('worded')).map((row) => (row as { state: string }).state)).toEqual(['open', 'late', 'done'])
  for (const words of [{ gone: 'Gone' }, { open: '' }, { open: 1 }, []])
    await expect(world.change('worded', { ...change, words })).rejects.toThrow(/words of options|option/)

  await world.database.pool.execute(
    sql`update holdfast.tables set translations = '{"de": {"label": "Worte", "one": "Wort", "section": "Netz"}}' where table_name = 'worded'`,
  )
  await world.change('worded', { kind: 'rename_table', label: 'Words' })
  expect(await asked(sql`select label, translations from holdfast.tables where table_name = 'worded'`)).toEqual([
    { label: 'Words', translations: { de: { section: 'Netz' } } },
  ])
})

test('the conditions of rules follow: who may change a record, and when a field is required', async () => {
  await create('ruled')
  const when = [
    {
      any: [
        { field: 'state', is: 'one_of', values: ['open', 'late'] },
        { field: 'title', is: 'filled' },
      ],
    },
  ]
  const rules = {
    see: [{ role: 'viewer', scope: 'all' }],
    add: [{ role: 'editor', scope: 'all' }],
    change: [{ role: 'editor', scope: 'all', when: [{ field: 'state', is: 'none_of', values: ['done'] }] }],
    delete: [{ role: 'editor', scope: 'all', when }],
  }
  await invoke('set_access', world.workspace, 'ruled', rules)
  await invoke('set_required_when', world.workspace, 'ruled', 'cause', [
    { field: 'state', is: 'one_of', values: ['open'] },
  ])
  await renamed('ruled')
  const [kept] = await asked<{ access: { delete: readonly object[] }; required_when: object }>(
    sql`select access, required_when from holdfast.table_rules where table_name = 'ruled'`,
  )
  expect(kept?.access.delete).toEqual([
    {
      role: 'editor',
      scope: 'all',
      when: [
        {
          any: [
            { field: 'state', is: 'one_of', values: [TODO, 'done'] },
            { field: 'title', is: 'filled' },
          ],
        },
      ],
    },
  ])
  expect(kept?.required_when).toEqual({ cause: [{ field: 'state', is: 'one_of', values: [TODO] }] })
  expect(await asked(sql`select holdfast.access_of(${world.workspace}, 'ruled') ->> 'kind' as kind`)).toEqual([
    { kind: 'rules' },
  ])
  // Postgres enforces both under the new name.
  await expect(world.asked(EDDA, sql`update public.ruled set cause = null where title = 'a'`)).rejects.toMatchObject({
    code: '23514',
  })
  await world.asked(EDDA, sql`update public.ruled set cause = 'y' where title in ('a', 'b')`)
  expect(await world.rows('ruled')).toMatchObject([{ cause: 'y' }, { cause: 'x' }, { cause: null }])
  const plan = compileSyncPlan(await readPolicyInput(world.database.compilerPool, { schemas: ['public', 'holdfast'] }))
  expect(JSON.stringify(plan)).toContain('"ruled"')
})

test('a field that is required unless the state is "open" stays required after "open" is renamed', async () => {
  await create('negated')
  await world.database.pool.execute(sql`update public.negated set cause = 'z' where title = 'c'`)
  await world.database.pool.execute(sql`update public.negated set cause = null where title = 'a'`)
  await invoke('set_required_when', world.workspace, 'negated', 'cause', [
    { field: 'state', is: 'none_of', values: ['open'] },
  ])
  await renamed('negated')
  await expect(world.asked(EDDA, sql`update public.negated set state = 'done'`)).rejects.toMatchObject({
    code: '23514',
  })
})

test('the steps between options follow: of steps that become the same, the strictest stays', async () => {
  await create('stepped')
  await invoke('set_transitions', world.workspace, 'stepped', 'state', [
    { to: 'open' },
    { from: 'open', to: 'late' },
    { from: 'open', to: 'done', role: 'admin' },
    { from: 'late', to: 'done' },
    { from: 'done', to: 'open' },
  ])
  await renamed('stepped')
  const steps = sql`
    select from_value as "from", to_value as "to", least_role as role from holdfast.transitions where table_name = 'stepped' order by 1 nulls first, 2`
  expect(await asked(steps)).toEqual([
    { from: null, to: TODO, role: null },
    { from: TODO, to: 'done', role: 'admin' },
    { from: 'done', to: TODO, role: null },
  ])
  await expect(
    world.asked(EDDA, sql`insert into public.stepped (title, state) values ('d', 'done')`),
  ).rejects.toMatchObject({
    hint: 'record.transition',
  })
  const history = sql`select kind from holdfast.table_changes(${world.workspace}, 'stepped') order by id desc limit 2`
  expect(await asked(history)).toEqual([{ kind: 'edit_field' }, { kind: 'set_transitions' }])
})

test('formulas, rollups and lookups follow; texts that are compared with something else stay', async () => {
  await create('computed')
  await world.create('visits', [
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'fault', label: 'Fault', kind: 'link', table: 'computed' },
  ])
  const formulas: readonly (readonly [string, object, object])[] = [
    ['f_is', call('=', STATE, text('open')), call('=', STATE, text(TODO))],
    ['f_isnt', call('!=', text('late'), STATE), call('!=', text('done'), STATE)],
    ['f_own', call('=', { field: 'title' }, text('open')), call('=', { field: 'title' }, text('open'))],
    [
      'f_switch',
      call('switch', STATE, text('open'), text('open'), text('late'), text('x'), text('late')),
      call('switch', STATE, text(TODO), text('open'), text('done'), text('x'), text('late')),
    ],
    [
      'f_deep',
      call('if', call('or', call('=', STATE, text('late')), call('is_empty', STATE)), text('late'), text('open')),
      call('if', call('or', call('=', STATE, text('done')), call('is_empty', STATE)), text('late'), text('open')),
    ],
  ]
  for (const [name, formula] of formulas)
    await invoke('set_computed_field', world.workspace, 'computed', { name, label: name, kind: 'formula', formula })
  const define = (table: string, definition: object): Promise<void> =>
    invoke('set_computed_field', world.workspace, table, definition)
  await define('visits', { name: 'shown', label: 'Shown', kind: 'lookup', link: 'fault', field: 'state' })
  await define('visits', {
    name: 'of_shown',
    label: 'Of shown',
    kind: 'formula',
    formula: call('=', { field: 'shown' }, text('open')),
  })
  await define('computed', {
    name: 'todo_visits',
    label: 'Visits',
    kind: 'rollup',
    table: 'visits',
    link: 'fault',
    function: 'count',
    only: call('=', { field: 'shown' }, text('open')),
  })
  await asked(sql`insert into public.visits (title, fault) select 'v', id from public.computed where title = 'a'`)
  await renamed('computed')
  const kept = await asked<{ field_name: string; definition: { formula?: object; only?: object } }>(
    sql`select field_name, definition from holdfast.computed_fields`,
  )
  const definition = new Map(kept.map((one) => [one.field_name, one.definition]))
  for (const [name, , after] of formulas) expect(definition.get(name)?.formula, name).toEqual(after)
  expect(definition.get('of_shown')?.formula).toEqual(call('=', { field: 'shown' }, text(TODO)))
  expect(definition.get('todo_visits')?.only).toEqual(call('=', { field: 'shown' }, text(TODO)))
  expect(
    await asked(
      sql`select public.f_is(c) as f_is, public.todo_visits(c) as visits from public.computed c order by title`,
    ),
  ).toEqual([
    { f_is: true, visits: 1 },
    { f_is: false, visits: 0 },
    { f_is: false, visits: 0 },
  ])
})

test('views, also of lookups, dashboards, shared pages and public forms follow', async () => {
  await create('seen')
  await world.create('trips', [
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'fault', label: 'Fault', kind: 'link', table: 'seen' },
  ])
  await invoke('set_computed_field', world.workspace, 'trips', {
    name: 'shown',
    label: 'Shown',
    kind: 'lookup',
    link: 'fault',
    field: 'state',
  })
  const { pool } = world.database
  const config = { filter: 'all(state.in.open.done)', color: 'danger@title:all(state.in.open)' }
  await asked(sql`
    insert into holdfast.views (table_name, name, type, config, workspace_id)
    values ('seen', 'Form', 'form', ${JSON.stringify(config)}::jsonb, ${world.workspace}),
           ('trips', 'Trips', 'grid', '{"filter": "all(shown.is.late)"}', ${world.workspace})`)
  await pool.execute(sql`
    insert into holdfast.dashboards (name, scope, owner_id, config) values ('Board', 'personal', ${EDDA},
      '{"version": 1, "tiles": [{"id": "a", "kind": "number", "table": "seen", "title": "Open", "filter": "all(state.is.open)", "width": 1, "height": 1, "measure": {"kind": "count"}}]}')`)
  const [form] = await asked<{ id: string }>(sql`select id from holdfast.views where table_name = 'seen'`)
  const choices = ['open', 'late', 'done'].map((value) => ({ value, label: `${value}!` }))
  const questions = [
    { field: 'title', label: 'Title', kind: 'text' },
    { field: 'state', label: 'State', kind: 'choice', choices },
  ]
  await invoke('publish_form', world.workspace, form?.id, 'seen', { title: 'Report', questions })
  const filter = {
    kind: 'all',
    nodes: [{ kind: 'condition', field: 'state', operator: 'in', values: ['open', 'late'] }],
  }
  const shared = {
    fields: [{ field: 'state', label: 'State', choices: { open: 'Open', late: 'Late', done: 'Done' } }],
    filter,
  }
  await asked(sql`
    select holdfast.create_view_link(${world.workspace}, 'seen', null, 'Page', ${JSON.stringify(shared)}::jsonb, now() + interval '1 day')`)
  await renamed('seen')
  const renamedText = 'To do !(1!.!)'
  expect(
    await asked(sql`select config from holdfast.views where table_name in ('seen', 'trips') order by table_name`),
  ).toEqual([
    { config: { filter: `all(state.in.${renamedText}.done)`, color: `danger@title:all(state.in.${renamedText})` } },
    { config: { filter: 'all(shown.is.done)' } },
  ])
  expect(await pool.query(sql`select config #>> '{tiles,0,filter}' as filter from holdfast.dashboards`)).toEqual([
    { filter: `all(state.is.${renamedText})` },
  ])
  expect(
    await pool.query(sql`select definition #> '{questions,1,choices}' as choices from holdfast.public_forms`),
  ).toEqual([
    {
      choices: [
        { value: TODO, label: TODO },
        { value: 'done', label: 'done!' },
      ],
    },
  ])
  const [link] = await pool.query<{ definition: object }>(sql`select definition from holdfast.view_links`)
  expect(link?.definition).toEqual({
    fields: [{ field: 'state', label: 'State', choices: { [TODO]: TODO, done: 'Done' } }],
    filter: { kind: 'all', nodes: [{ kind: 'condition', field: 'state', operator: 'in', values: [TODO, 'done'] }] },
  })

  // A visitor had opened the form before.
  const [published] = await pool.query<{ id: string }>(sql`select id from holdfast.public_forms`)
  const visitor = { role: 'anon', claims: { role: 'anon', form_id: published?.id } }
  expect(
    await runAs(world.database.requestPool, visitor, (tx) =>
      tx.query(sql`select holdfast.carried_answers('{"title": "open", "state": "late"}') as answers`),
    ),
  ).toEqual([{ answers: { title: 'open', state: 'done' } }])
})

describe('what devices send under old names', () => {
  const carried = (name: string): Promise<readonly object[]> =>
    world.database.pool.query(
      sql`select old_value, new_value from sync.renamed_values where "table" = ${`public.${name}`}::regclass order by 1`,
    )

  test('follows further renamings, and ends with an option of the old name and with another type', async () => {
    await create('sent')
    await renamed('sent')
    expect(await carried('sent')).toEqual([
      { old_value: 'late', new_value: 'done' },
      { old_value: 'open', new_value: TODO },
    ])
    await world.change('sent', { ...renaming, choices: ['New', 'done', 'late'], renamed: { [TODO]: 'New' } })
    expect(await carried('sent')).toEqual([
      { old_value: TODO, new_value: 'New' },
      { old_value: 'open', new_value: 'New' },
    ])
    await world.change('sent', { kind: 'convert_field', field: 'state', to: { kind: 'text' } })
    expect(await carried('sent')).toEqual([])
  })

  test('stays as it is when two options swap their names', async () => {
    await create('swapped')
    await world.change('swapped', {
      ...renaming,
      choices: ['open', 'done', 'late'],
      renamed: { open: 'done', done: 'open' },
    })
    expect(await world.rows('swapped')).toMatchObject([{ state: 'done' }, { state: 'late' }, { state: 'open' }])
    expect(await carried('swapped')).toEqual([])
  })
})

describe('refused', () => {
  test('merging options while a record lacks a field that the rules require of the other one', async () => {
    await create('lacking')
    await world.database.pool.execute(sql`update public.lacking set cause = case title when 'c' then 'x' end`)
    await invoke('set_required_when', world.workspace, 'lacking', 'cause', [
      { field: 'state', is: 'one_of', values: ['done'] },
    ])
    await expect(world.change('lacking', renaming)).rejects.toMatchObject({
      hint: 'change_table.rule_gaps',
      message: expect.stringContaining('Cause'),
    })
  })

  test('removing an option that a rule or a step names', async () => {
    for (const [name, ...rule] of [
      ['named', 'set_required_when', 'cause', [{ field: 'state', is: 'one_of', values: ['late'] }]],
      ['stepping', 'set_transitions', 'state', [{ from: 'open', to: 'late' }]],
    ] as const) {
      await create(name)
      await world.database.pool.execute(sql`delete from ${sql.identifier('public', name)}`)
      const [made, ...args] = rule
      await invoke(made, world.workspace, name, ...args)
      await expect(world.change(name, { ...renaming, choices: ['open', 'done'], renamed: {} })).rejects.toMatchObject({
        hint: 'change_table.used',
      })
    }
  })

  test('renaming an option that the policy of a developer names', async () => {
    await create('written')
    await world.database.pool.execute(
      sql.trusted(`create policy only_open on public.written for select to authenticated using (state = 'open')`),
    )
    await expect(world.change('written', renaming)).rejects.toMatchObject({
      hint: 'change_table.used',
      message: expect.stringContaining('only_open'),
    })
  })
})
