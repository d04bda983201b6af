import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileSyncPlan, readPolicyInput } from '@holdfast/policy'
import { sql } from '@holdfast/postgres'
import {
  EDDA,
  FIGURES,
  MOLE,
  OLGA,
  RISKS,
  ROUTINES,
  table,
  templateOf,
  TemplateWorld,
  text,
  type Part,
  type Template,
} from './support/template-world.ts'

// What a template creates, what its removal keeps, and what an export writes.

let world: TemplateWorld
beforeAll(async () => {
  world = await TemplateWorld.open()
})
afterAll(() => world[Symbol.asyncDispose]())

/** Everything that a template can describe. */
const ROUNDS: Template = {
  holdfast_template: 1,
  name: 'Rounds',
  tables: [
    {
      key: 'sites',
      label: 'Sites',
      looks: { icon: 'map-pin', color: 'teal', section: 'Places', translations: { de: { label: 'Standorte' } } },
      access: { kind: 'own' },
      fields: [
        text('name', { looks: { help: 'As on the sign', translations: { de: { label: 'Name' } } } }),
        { name: 'built_on', label: 'Built', kind: 'date' },
        { name: 'main_round', label: 'Main round', kind: 'link', table: 'rounds' },
      ],
      transitions: [],
      views: [],
      records: [
        { id: 'r1', name: 'O\'Brien\'s "yard"; drop table x; -- $$ \\ %s', built_on: '1987-03-01', main_round: 'r2' },
        { id: 'r2', name: 'South' },
      ],
    },
    {
      key: 'rounds',
      label: 'Rounds',
      looks: {},
      access: { kind: 'members' },
      fields: [
        text('title', { rules: { required: true, unique: true, max: '200' } }),
        {
          name: 'state',
          label: 'State',
          kind: 'choice',
          choices: ["it's open", 'shut', 'in_progress'],
          rules: { default: "it's open" },
          looks: { choice_colours: { shut: 'pink' } },
        },
        { name: 'due_on', label: 'Due', kind: 'date', rules: { required_when: [{ any: RISKS }] } },
        { name: 'seen_at', label: 'Seen', kind: 'datetime' },
        { name: 'turns', label: 'Turns', kind: 'integer', rules: { min: '-5', max: '100', default: '-2' } },
        { name: 'bore', label: 'Bore', kind: 'number', rules: { max: '10.5' } },
        { name: 'is_safe', label: 'Safe', kind: 'boolean', rules: { default: 'true' } },
        { name: 'site_id', label: 'Site', kind: 'link', table: 'sites' },
        { name: 'after_id', label: 'After', kind: 'link', table: 'rounds' },
        { name: 'team_id', label: 'Team', kind: 'link', table: 'hf_teams' },
        text('order', { label: 'Order' }),
      ],
      transitions: [
        { field: 'state', to: "it's open" },
        { field: 'state', from: "it's open", to: 'shut', words: 'Shut it first' },
      ],
      views: [
        {
          name: 'By state',
          type: 'board',
          is_default: true,
          config: { lane: 'state', filter: 'all(due_on.before.today)' },
        },
        { name: 'Ask', type: 'form', config: { form: 'title.required,state' } },
      ],
      records: [
        { id: 'r1', title: 'First', state: 'shut', due_on: 'today', after_id: 'r2', is_safe: false, turns: 7 },
        {
          id: 'r2',
          title: 'Second',
          due_on: 'today-3',
          seen_at: 'today+4 09:30',
          bore: 1.5,
          site_id: 'r1',
          order: 'x',
        },
      ],
    },
    table('questions', {
      fields: [text('prompt'), text('kind'), { name: 'list', label: 'List', kind: 'link', table: 'sites' }],
    }),
    table('replies', { fields: [{ name: 'round', label: 'Round', kind: 'link', table: 'rounds' }] }),
  ],
  checklists: [
    {
      table: 'rounds',
      items: 'questions',
      answers: 'replies',
      place_fields: ['site_id'],
      names: {},
      begin: { state: 'shut' },
      finish: {},
    },
  ],
  dashboards: FIGURES,
  automations: ROUTINES,
}

/** An exported template with the names and parts of the original. */
function likeOriginal(result: Template, original: Template, tables: readonly string[]): unknown {
  const keyOf = new Map(tables.map((name, at) => [name, original.tables[at]?.['key']]))
  const renamed = JSON.parse(JSON.stringify(result), (name, value: unknown) =>
    ['key', 'table', 'items', 'answers', 'findings'].includes(name) && typeof value === 'string'
      ? (keyOf.get(value) ?? value)
      : value,
  ) as Template
  return { ...renamed, name: original['name'], checklists: renamed['checklists'] }
}

/** A template with the empty parts that an export writes. Links that form a cycle come last. */
function complete(template: Template, cyclic: readonly string[] = []): unknown {
  const part = (one: Part): Part => {
    const fields = one['fields'] as readonly Part[]
    const isLate = ({ name }: Part): boolean => cyclic.includes(`${String(one['key'])}.${String(name)}`)
    return {
      looks: {},
      views: [],
      transitions: [],
      records: [],
      ...one,
      fields: [...fields.filter((field) => !isLate(field)), ...fields.filter(isLate)],
    }
  }
  return { checklists: [], ...template, tables: template.tables.map(part) }
}

describe('loading', () => {
  test('creates tables, looks, views, transitions, a checklist and records; exported, it is the same template', async () => {
    const loaded = await world.load(ROUNDS)
    expect(loaded).toMatchObject({ tables: ['sites', 'rounds', 'questions', 'replies'], records: 4 })
    const { template, left_out } = await world.exported()
    expect(left_out).toEqual([])
    expect(likeOriginal(template, ROUNDS, loaded.tables)).toEqual(
      complete(ROUNDS, ['sites.main_round', 'rounds.after_id']),
    )
    const plan = compileSyncPlan(
      await readPolicyInput(world.database.compilerPool, { schemas: ['public', 'holdfast'] }),
    )
    for (const name of loaded.tables)
      expect(plan.tables.find(({ localName }) => localName === name)?.definitions.length, name).toBeGreaterThan(0)
    expect(await world.rows(MOLE, 'rounds')).toEqual([])
    expect(await world.rows(EDDA, 'rounds')).toHaveLength(2)
    await expect(
      world.asked(EDDA, sql`insert into public.rounds (title, state) values ('x', 'shut')`),
    ).rejects.toMatchObject({ hint: 'record.transition' })
    const dashboards = sql`select name from holdfast.dashboards`
    expect(await world.asked(EDDA, dashboards)).toEqual([{ name: "Round's figures" }])
    expect(await world.remove(loaded)).toEqual({ removed: loaded.tables, kept: {} })
    expect(await world.asked(EDDA, dashboards)).toEqual([])
  })

  test('a second workspace gets names of its own, and neither sees the other', async () => {
    const [ours, theirs] = [await world.load(ROUNDS), await world.load(ROUNDS, MOLE, world.gas)]
    expect(theirs.tables).toEqual(['sites_2', 'rounds_2', 'questions_2', 'replies_2'])
    expect(await world.rows(MOLE, ours.tables[1])).toEqual([])
    expect(await world.rows(OLGA, theirs.tables[1])).toEqual([])
    const checklists = sql`select table_name as name, item_table as items from holdfast.checklists`
    expect(await world.asked(MOLE, checklists)).toEqual([{ name: 'rounds_2', items: 'questions_2' }])
    expect(await world.asked(MOLE, sql`select distinct table_name as name from holdfast.transitions`)).toEqual([
      { name: 'rounds_2' },
    ])
    expect(await world.asked(MOLE, sql`select name from holdfast.template_loads`)).toHaveLength(1)
    await expect(world.remove(ours, MOLE)).rejects.toMatchObject({ hint: 'template.not_found' })
    await expect(world.removeSamples(ours, MOLE)).rejects.toMatchObject({ hint: 'template.not_found' })
    await world.remove(ours)
    await world.remove(theirs, MOLE)
  })

  test('takes the texts of a language, and days of the time zone of the workspace', async () => {
    await world.database.pool.execute(
      sql`update holdfast.workspaces set time_zone = 'Pacific/Kiritimati' where id = ${world.water}`,
    )
    const german = templateOf(
      table('hours', {
        fields: [text('title'), { name: 'at', label: 'At', kind: 'datetime' }],
        records: [{ id: 'a', title: { en: 'Gate', de: 'Tor' }, at: 'today 09:30' }],
        views: [{ name: { en: 'All', de: 'Alle' }, type: 'grid' }],
      }),
    )
    const loaded = await world.load(german, OLGA, world.water, 'de')
    const [row] = await world.asked<Part>(
      OLGA,
      sql`select title, at = ((now() at time zone 'Pacific/Kiritimati')::date + time '09:30') at time zone 'Pacific/Kiritimati' as fits from public.hours`,
    )
    expect(row).toEqual({ title: 'Tor', fits: true })
    expect(await world.asked(OLGA, sql`select name from holdfast.views where table_name = 'hours'`)).toEqual([
      { name: 'Alle' },
    ])
    await world.remove(loaded)
    await world.database.pool.execute(sql`update holdfast.workspaces set time_zone = 'UTC' where id = ${world.water}`)
  })

  test('the statements that are shown run as they are, and showing them leaves nothing', async () => {
    const before = await world.relations()
    const shown = await world.answer<string>(
      OLGA,
      sql`select holdfast.template_sql(${world.water}, ${JSON.stringify(ROUNDS)}::jsonb) as result`,
    )
    expect(await world.relations()).toEqual(before)
    expect(shown).toContain('create table public.rounds (')
    await world.database.pool.execute(sql.trusted(shown))
    expect(await world.rows(EDDA, 'rounds')).toHaveLength(2)
    await world.database.pool.execute(
      sql.trusted(`
      select holdfast.untrack(('public.' || table_name)::regclass) from holdfast.tables;
      drop table public.sites, public.rounds, public.questions, public.replies;
      delete from holdfast.tables; delete from holdfast.fields; delete from holdfast.views; delete from holdfast.dashboards; delete from holdfast.automations;
      delete from holdfast.transitions; delete from holdfast.checklists;`),
    )
  })
})

test('computed fields, access rules and links to members are part of a template', async () => {
  const rules = {
    see: [{ role: 'viewer', scope: 'all' }],
    add: [{ role: 'editor', scope: 'all' }],
    change: [{ role: 'editor', scope: 'assigned', field: 'assignee' }],
    delete: [],
  }
  const template = templateOf(
    table('jobs', {
      access: { kind: 'rules', rules },
      fields: [
        text('title'),
        { name: 'hours', label: 'Hours', kind: 'number' },
        { name: 'place', label: 'Place', kind: 'link', table: 'places' },
        { name: 'assignee', label: 'Assignee', kind: 'link', table: 'hf_members' },
      ],
      computed: [
        {
          name: 'half',
          label: 'Half',
          kind: 'formula',
          formula: { call: '/', of: [{ field: 'total' }, { number: 2 }] },
        },
        {
          name: 'total',
          label: 'Total',
          kind: 'lookup',
          link: 'place',
          field: 'all_hours',
          looks: { help: 'Of the place' },
        },
      ],
      records: [{ id: 'r1', title: 'Pump', hours: 3, place: 'r1' }],
    }),
    table('places', {
      computed: [
        {
          name: 'all_hours',
          label: 'All hours',
          kind: 'rollup',
          table: 'jobs',
          link: 'place',
          function: 'sum',
          field: 'hours',
        },
      ],
      records: [{ id: 'r1', title: 'North' }],
    }),
  )
  const [ours, again] = [await world.load(template), await world.load(template)]
  expect(again.tables).toEqual(['jobs_2', 'places_2'])
  for (const name of ['jobs', 'jobs_2'])
    expect(
      await world.answer(OLGA, sql`select public.half(j) as result from ${sql.identifier('public', name)} j`),
    ).toBe(1.5)
  await world.remove(again)
  const { template: written, left_out } = await world.exported()
  expect(left_out).toEqual([])
  expect(likeOriginal(written, template, ours.tables)).toEqual(complete(template))
  await expect(
    world.load(
      templateOf(table('t', { computed: [{ name: 'x', label: 'X', kind: 'formula', formula: { field: 'nope' } }] })),
    ),
  ).rejects.toMatchObject({
    hint: expect.stringMatching(/^computed_field\./),
  })
  expect(await world.remove(ours)).toEqual({ removed: ours.tables, kept: {} })
})

describe('removing', () => {
  const linked = templateOf(
    table('places', { records: [{ id: 'a', title: 'North' }] }),
    table('visits', {
      fields: [text('title'), { name: 'place', label: 'Place', kind: 'link', table: 'places' }],
      records: [{ id: 'a', title: 'Monday', place: 'a' }],
    }),
    table('notes', { records: [{ id: 'a', title: 'x' }] }),
  )

  test('sample records go, what users added stays, and so does what a kept table links to', async () => {
    const loaded = await world.load(linked)
    await world.asked(EDDA, sql`insert into public.visits (title) values ('Tuesday')`)
    expect(await world.removeSamples(loaded)).toBe(3)
    expect(await world.asked(OLGA, sql`select title, place from public.visits`)).toEqual([
      { title: 'Tuesday', place: null },
    ])
    expect(await world.asked(OLGA, sql`select sample_records as left from holdfast.template_loads`)).toEqual([
      { left: 0 },
    ])
    expect(await world.remove(loaded)).toEqual({ removed: ['notes'], kept: { visits: 'records', places: 'linked' } })
    expect(await world.asked(OLGA, sql`select from holdfast.template_loads`)).toEqual([])
    await world.asked(EDDA, sql`delete from public.visits`)
    for (const name of ['visits', 'places'])
      await world.asked(OLGA, sql`select holdfast.remove_empty_table(${world.water}, ${name})`)
  })

  test('a table of the same name that was created since is left alone', async () => {
    const loaded = await world.load(templateOf(table('places')))
    await world.asked(OLGA, sql`select holdfast.remove_empty_table(${world.water}, 'places')`)
    const again = await world.load(templateOf(table('places')))
    expect(await world.remove(loaded)).toEqual({ removed: [], kept: { places: 'other' } })
    await world.remove(again)
  })
})

describe('exporting', () => {
  test('without records, a checklist keeps its questions', async () => {
    const lists = { name: 'list', label: 'List', kind: 'link', table: 'lists' }
    const link = (name: string): Part => ({ name, label: name, kind: 'link', table: name })
    const one = [{ id: 'r1', title: 'x' }]
    const loaded = await world.load({
      ...templateOf(
        table('lists', { records: one }),
        table('asked', { fields: [text('title'), lists], records: [{ ...one[0], list: 'r1' }] }),
        table('done', { fields: [text('title'), lists], records: one }),
        table('replies', { fields: [text('title'), link('done'), link('asked')], records: one }),
      ),
      checklists: [{ table: 'done', items: 'asked', answers: 'replies' }],
    })
    const { template } = await world.answer<{ template: Template }>(
      OLGA,
      sql`select holdfast.export_template(${world.water}) as result`,
    )
    expect(template.tables.map(({ key, records }) => [key, records])).toEqual([
      ['lists', one],
      ['asked', [{ ...one[0], list: 'r1' }]],
      ['done', undefined],
      ['replies', undefined],
    ])
    await world.remove(loaded)
  })

  test('leaves out people: creators, addresses, ids, teams, and views of them; says which', async () => {
    const personal = templateOf(
      table('people', {
        fields: [text('title'), text('email')],
        records: [{ id: 'a', title: `Ask jörg@firma.de, then a@example.org; ${MOLE}`, email: 'someone@gmail.com' }],
        views: [{ name: 'His', type: 'grid', config: { filter: `all(created_by.is.${MOLE})` } }],
      }),
    )
    const tile = { id: 'a', kind: 'number', table: 'people', filter: `all(created_by.is.${MOLE})`, width: 1, height: 1 }
    const loaded = await world.load({ ...personal, dashboards: [{ name: 'Made by one', tiles: [tile] }] })
    await world.database.pool.execute(
      sql.trusted('alter table public.people add column place box, add column n integer'),
    )
    const { template, left_out } = await world.exported()
    expect(JSON.stringify(template)).not.toMatch(/gmail|firma|jörg|[0-9a-f]{8}-/)
    expect(template.tables[0]?.['records']).toEqual([
      { id: 'r1', title: 'Ask name@example.com, then a@example.org; ', email: 'name@example.com' },
    ])
    expect(left_out).toEqual([
      { table: 'people', field: 'place', reason: 'field' },
      { table: 'people', field: 'n', reason: 'field' },
      { table: 'people', view: 'His', reason: 'view' },
      { dashboard: 'Made by one', reason: 'dashboard' },
    ])
    await world.remove(loaded)
  })

  test('every kind of field that create_table takes is exported as it was', async () => {
    const [{ source = '' } = {}] = await world.database.pool.query<{ source: string }>(
      sql`select prosrc as source from pg_proc where oid = 'holdfast.new_field_sql(jsonb)'::regprocedure`,
    )
    const kinds = [...source.matchAll(/when '([a-z_]+)' then/g)].map(([, kind]) => kind)
    expect(kinds.length).toBeGreaterThan(7)
    const fields = kinds.map((kind, at) => ({
      name: `f${at}`,
      label: `F${at}`,
      kind,
      ...(kind === 'choice' && { choices: ['a'] }),
      ...(kind === 'link' && { table: 'hf_teams' }),
      ...(kind === 'rating' && { max: 10 }),
      ...(kind === 'currency' && { code: 'CHF' }),
      ...(kind === 'duration' && { unit: 'seconds' }),
    }))
    const rating = `f${kinds.indexOf('rating')}`
    const records = [{ id: 'r1', [rating]: 4, [`f${kinds.indexOf('location')}`]: '(13.405,52.52)' }]
    const loaded = await world.load(templateOf(table('kinds', { fields, records })))
    const { template, left_out } = await world.exported()
    // The database gives automatic numbers, so that records have none of them.
    expect({ ...template.tables[0], left_out }).toMatchObject({ fields, records, left_out: [] })
    const numbered = [{ id: 'r1', [`f${kinds.indexOf('autonumber')}`]: 7 }]
    await expect(world.load(templateOf(table('numbered', { fields, records: numbered })))).rejects.toMatchObject({
      hint: 'template.record',
    })
    expect(await world.remove(loaded)).toEqual({ removed: ['kinds'], kept: {} })
  })
})
