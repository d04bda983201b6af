import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { compileSyncPlan, readPolicyInput } from '@holdfast/policy'
import { runAs, sql, type Session } from '@holdfast/postgres'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase, runsOf, type TestDatabase } from '@holdfast/test-support'

// Templates are untrusted input: Postgres is asked what a template created, and that a refused one leaves nothing.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`
const [OLGA, EDDA, MOLE] = [id(1), id(2), id(3)] as const

let database: TestDatabase
let water = ''
let gas = ''

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, syncMigrations, serverMigrations] })
  const { pool } = database
  for (const user of [OLGA, EDDA, MOLE])
    await pool.execute(sql`insert into auth.users (id, email) values (${user}, ${`${user}@example.org`})`)
  const create = async (name: string, owner: string): Promise<string> => {
    const [made] = await pool.query<{ id: string }>(
      sql`select holdfast.create_workspace(${name}, ${`${owner}@example.org`}) as id`,
    )
    return made?.id ?? ''
  }
  water = await create('Water', OLGA)
  gas = await create('Gas', MOLE)
  await pool.execute(
    sql`insert into holdfast.members (workspace_id, user_id, role, name) values (${water}, ${EDDA}, 'editor', 'Edda')`,
  )
})
afterAll(() => database[Symbol.asyncDispose]())

const sessionOf = (sub: string): Session => ({ role: 'authenticated', claims: { role: 'authenticated', sub } })
const asked = <Row extends object>(who: string, query: ReturnType<typeof sql>): Promise<readonly Row[]> =>
  runAs(database.requestPool, sessionOf(who), (tx) => tx.query<Row>(query))

interface Part {
  readonly [name: string]: unknown
}
interface Template extends Part {
  readonly tables: readonly Part[]
}
interface Loaded {
  readonly id: string
  readonly tables: readonly string[]
  readonly records: number
}
interface Exported {
  readonly template: Template
  readonly left_out: readonly Part[]
}

async function answer<Result>(who: string, query: ReturnType<typeof sql>): Promise<Result> {
  const [row] = await asked<{ result: Result }>(who, query)
  return row?.result as Result
}
const load = (template: unknown, who = OLGA, workspace = water, language = 'en'): Promise<Loaded> =>
  answer(
    who,
    sql`select holdfast.load_template(${workspace}, ${JSON.stringify(template)}::jsonb, ${language}) as result`,
  )
const exported = (who = OLGA, workspace = water): Promise<Exported> =>
  answer(who, sql`select holdfast.export_template(${workspace}, true) as result`)
const remove = (loaded: Loaded, who = OLGA): Promise<{ removed: readonly string[]; kept: Part }> =>
  answer(who, sql`select holdfast.remove_template(${loaded.id}) as result`)
const removeSamples = (loaded: Loaded, who = OLGA): Promise<number> =>
  answer(who, sql`select holdfast.remove_sample_records(${loaded.id}) as result`)
const rows = (who: string, table: string | undefined): Promise<readonly Part[]> =>
  asked(who, sql`select * from ${sql.identifier('public', table ?? '')} order by created_at`)

const text = (name: string, more: Part = {}): Part => ({ name, label: name, kind: 'text', ...more })
const table = (key: string, more: Part = {}): Part => ({
  key,
  label: key,
  access: { kind: 'members' },
  fields: [text('title')],
  ...more,
})
const templateOf = (...tables: readonly Part[]): Template => ({ holdfast_template: 1, name: 'Rounds', tables })

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
        text('title'),
        { name: 'state', label: 'State', kind: 'choice', choices: ["it's open", 'shut', 'in_progress'] },
        { name: 'due_on', label: 'Due', kind: 'date' },
        { name: 'seen_at', label: 'Seen', kind: 'datetime' },
        { name: 'turns', label: 'Turns', kind: 'integer' },
        { name: 'bore', label: 'Bore', kind: 'number' },
        { name: 'is_safe', label: 'Safe', kind: 'boolean' },
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
    const loaded = await load(ROUNDS)
    expect(loaded).toMatchObject({ tables: ['sites', 'rounds', 'questions', 'replies'], records: 4 })
    const { template, left_out } = await exported()
    expect(left_out).toEqual([])
    expect(likeOriginal(template, ROUNDS, loaded.tables)).toEqual(
      complete(ROUNDS, ['sites.main_round', 'rounds.after_id']),
    )
    const plan = compileSyncPlan(await readPolicyInput(database.compilerPool, { schemas: ['public', 'holdfast'] }))
    for (const name of loaded.tables)
      expect(plan.tables.find(({ localName }) => localName === name)?.definitions.length, name).toBeGreaterThan(0)
    expect(await rows(MOLE, 'rounds')).toEqual([])
    expect(await rows(EDDA, 'rounds')).toHaveLength(2)
    await expect(asked(EDDA, sql`insert into public.rounds (title, state) values ('x', 'shut')`)).rejects.toMatchObject(
      { hint: 'record.transition' },
    )
    expect(await remove(loaded)).toEqual({ removed: loaded.tables, kept: {} })
  })

  test('a second workspace gets names of its own, and neither sees the other', async () => {
    const [ours, theirs] = [await load(ROUNDS), await load(ROUNDS, MOLE, gas)]
    expect(theirs.tables).toEqual(['sites_2', 'rounds_2', 'questions_2', 'replies_2'])
    expect(await rows(MOLE, ours.tables[1])).toEqual([])
    expect(await rows(OLGA, theirs.tables[1])).toEqual([])
    const checklists = sql`select table_name as name, item_table as items from holdfast.checklists`
    expect(await asked(MOLE, checklists)).toEqual([{ name: 'rounds_2', items: 'questions_2' }])
    expect(await asked(MOLE, sql`select distinct table_name as name from holdfast.transitions`)).toEqual([
      { name: 'rounds_2' },
    ])
    expect(await asked(MOLE, sql`select name from holdfast.template_loads`)).toHaveLength(1)
    for (const call of [remove, removeSamples])
      await expect(call(ours, MOLE)).rejects.toMatchObject({ hint: 'template.not_found' })
    await remove(ours)
    await remove(theirs, MOLE)
  })

  test('takes the texts of a language, and days of the time zone of the workspace', async () => {
    await database.pool.execute(
      sql`update holdfast.workspaces set time_zone = 'Pacific/Kiritimati' where id = ${water}`,
    )
    const german = templateOf(
      table('hours', {
        fields: [text('title'), { name: 'at', label: 'At', kind: 'datetime' }],
        records: [{ id: 'a', title: { en: 'Gate', de: 'Tor' }, at: 'today 09:30' }],
        views: [{ name: { en: 'All', de: 'Alle' }, type: 'grid' }],
      }),
    )
    const loaded = await load(german, OLGA, water, 'de')
    const [row] = await asked<Part>(
      OLGA,
      sql`select title, at = ((now() at time zone 'Pacific/Kiritimati')::date + time '09:30') at time zone 'Pacific/Kiritimati' as fits from public.hours`,
    )
    expect(row).toEqual({ title: 'Tor', fits: true })
    expect(await asked(OLGA, sql`select name from holdfast.views where table_name = 'hours'`)).toEqual([
      { name: 'Alle' },
    ])
    await remove(loaded)
    await database.pool.execute(sql`update holdfast.workspaces set time_zone = 'UTC' where id = ${water}`)
  })

  test('the statements that are shown run as they are, and showing them leaves nothing', async () => {
    const before = await relations()
    const shown = await answer<string>(
      OLGA,
      sql`select holdfast.template_sql(${water}, ${JSON.stringify(ROUNDS)}::jsonb) as result`,
    )
    expect(await relations()).toEqual(before)
    expect(shown).toContain('create table public.rounds (')
    await database.pool.execute(sql.trusted(shown))
    expect(await rows(EDDA, 'rounds')).toHaveLength(2)
    await database.pool.execute(
      sql.trusted(`
      select holdfast.untrack(('public.' || table_name)::regclass) from holdfast.tables;
      drop table public.sites, public.rounds, public.questions, public.replies;
      delete from holdfast.tables; delete from holdfast.fields; delete from holdfast.views;
      delete from holdfast.transitions; delete from holdfast.checklists;`),
    )
  })
})

const relations = (): Promise<readonly Part[]> =>
  database.pool.query(sql`
    select relname::text as name from pg_class where relkind in ('r', 'v') and relnamespace = 'public'::regnamespace
    union all select 'view ' || name from holdfast.views union all select 'load ' || name from holdfast.template_loads
    union all select 'looks ' || table_name from holdfast.tables union all select 'field ' || field_name from holdfast.fields order by 1`)

describe('refused, leaving nothing', () => {
  const link = (to: unknown): Part => ({ name: 'to', label: 'To', kind: 'link', table: to })
  const record = (values: Part): Template =>
    templateOf(
      table('t', {
        fields: [
          text('title'),
          { name: 'due', label: 'Due', kind: 'date' },
          { name: 'n', label: 'N', kind: 'integer' },
          link('t'),
        ],
        records: [{ id: 'a', ...values }],
      }),
    )

  test.each<readonly [string, unknown]>([
    ['template.form', 7],
    ['template.form', { name: 'x', tables: [table('t')] }],
    ['template.version', { ...templateOf(table('t')), holdfast_template: 2 }],
    ['template.form', { ...templateOf(table('t')), sql: 'drop table x' }],
    ['template.form', { ...templateOf(table('t')), name: ' ' }],
    ['template.size', { ...templateOf(table('t')), description: 'x'.repeat(1_000_001) }],
    ['template.tables', templateOf()],
    ['template.tables', { holdfast_template: 1, name: 'x', tables: { key: 't' } }],
    ['template.tables', templateOf(...Array.from({ length: 31 }, (_, n) => table(`t${n}`)))],
    ['template.tables', templateOf(table('t'), table('t'))],
    ['template.form', templateOf(table('t', { policies: 'using (true)' }))],
    ['new_table.name', templateOf(table('T"; drop table x; --'))],
    ['new_table.name', templateOf(table('pg_t'))],
    ['new_table.label', templateOf(table('t', { label: 'a\nb' }))],
    ['new_table.access', templateOf(table('t', { access: { kind: 'everyone' } }))],
    ['new_table.kind', templateOf(table('t', { fields: [text('a', { kind: 'text default pg_sleep(9)' })] }))],
    ['template.form', templateOf(table('t', { fields: ['a'] }))],
    ['template.fields', templateOf(table('t', { fields: [] }))],
    ['new_table.name', templateOf(table('t', { fields: [text('created_by')] }))],
    ['template.link', templateOf(table('t', { fields: [text('a'), link('auth.users')] }))],
    ['template.link', templateOf(table('t', { fields: [text('a'), link('elsewhere')] }))],
    ['template.link', templateOf(table('t', { fields: [text('a'), link(undefined)] }))],
    ['new_table.fields', templateOf(table('t', { fields: [link('u')] }), table('u', { fields: [link('t')] }))],
    ['template.form', templateOf(table('t', { looks: { workspace_id: gas } }))],
    ['template.look', templateOf(table('t', { looks: { color: 'url(x)' } }))],
    ['template.form', templateOf(table('t', { fields: [text('a', { looks: { 'label) values (1); --': 'x' } })] }))],
    ['template.form', templateOf(table('t', { fields: [text('a', { looks: { table_name: 'u' } })] }))],
    ['template.form', templateOf(table('t', { views: [{ name: 'v', scope: 'locked' }] }))],
    ['template.look', templateOf(table('t', { views: [{ name: 'v', type: 'script' }] }))],
    ['template.view', templateOf(table('t', { views: [{ name: 'v', config: { filter: { a: 1 } } }] }))],
    ['template.view', templateOf(table('t', { views: [{ name: 'v', config: 'x' }] }))],
    ['template.look', templateOf(table('t', { views: [{ name: 'v', config: { filter: 'x'.repeat(20_000) } }] }))],
    ['template.rule', templateOf(table('t', { transitions: [{ field: 'nothing', to: 'x' }] }))],
    ['template.form', templateOf(table('t', { transitions: [{ field: 'title', to: 'x', allowed_if: 'public.f' }] }))],
    ['template.checklist', { ...templateOf(table('t')), checklists: [{ table: 't', items: 'users', answers: 't' }] }],
    ['template.checklists', { ...templateOf(table('t')), checklists: Array.from({ length: 11 }, () => ({})) }],
    [
      'template.records',
      templateOf(table('t', { records: Array.from({ length: 10_000 }, (_, n) => ({ id: `r${n}` })) })),
    ],
    [
      'template.limit',
      templateOf(
        ...['a', 'b'].map((key) => table(key, { records: Array.from({ length: 1_001 }, (_, n) => ({ id: `r${n}` })) })),
      ),
    ],
    ['template.record', templateOf(table('t', { records: [{ id: 'a' }, { id: 'a' }] }))],
    ['template.record', templateOf(table('t', { records: [{ title: 'x' }] }))],
    ['template.record', record({ id: "a'); drop table x; --" })],
    ['template.record', record({ created_by: MOLE })],
    ['template.record', record({ 'title) values (1); --': 'x' })],
    ['template.record', record({ due: 'the day after' })],
    ['template.record', record({ n: 'seven' })],
    ['template.record', record({ n: '99999999999999999999' })],
    ['template.record', record({ to: 'b' })],
    ['template.record', record({ to: MOLE })],
  ])('%s: case %#', async (hint, template) => {
    const before = await relations()
    await expect(load(template)).rejects.toMatchObject({ hint })
    expect(await relations()).toEqual(before)
  })

  test.each([EDDA, MOLE])('%s is no admin of the workspace', async (who) => {
    const refusal = { code: '42501', hint: 'people.not_admin' }
    await expect(load(templateOf(table('t')), who)).rejects.toMatchObject(refusal)
    await expect(exported(who)).rejects.toMatchObject(refusal)
    await expect(answer(who, sql`select holdfast.template_sql(${water}, '{}') as result`)).rejects.toMatchObject(
      refusal,
    )
  })

  test('whatever it says, a template creates the tables that it names or nothing', async () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        "'; drop table public.x; --",
        '")',
        '%s',
        '%1$I',
        '$$',
        "\\'",
        'today+99999',
        '{"en":1}',
        '.',
        'a',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    )
    const value = fc.oneof(hostile, fc.integer(), fc.constant(null), fc.dictionary(hostile, hostile, { maxKeys: 2 }))
    const parts = fc.record({
      label: fc.oneof(hostile, fc.constant('A')),
      looks: fc.dictionary(fc.constantFrom('icon', 'section', 'translations'), value, { maxKeys: 2 }),
      views: fc.array(
        fc.record({
          name: value,
          type: fc.constantFrom('grid', 'map'),
          config: fc.dictionary(hostile, hostile, { maxKeys: 2 }),
        }),
        { maxLength: 2 },
      ),
      records: fc.array(fc.record({ id: fc.constantFrom('a', 'b'), title: value, c: value, d: value }), {
        maxLength: 2,
      }),
      transitions: fc.array(fc.record({ field: fc.constantFrom('title', 'c'), to: value, words: hostile }), {
        maxLength: 1,
      }),
    })
    const fields = [
      text('title'),
      text('c', { kind: 'choice', choices: ["a'", '%I'] }),
      text('d', { kind: 'datetime' }),
    ]
    const before = await relations()
    await fc.assert(
      fc.asyncProperty(parts, async (part) => {
        const loaded = await load(templateOf(table('hostile', { fields, ...part }))).catch((error: unknown) => {
          const { code, hint } = error as { readonly code?: string; readonly hint?: string }
          if (code !== '22P05') expect(hint).toMatch(/^(new_table|template)\./)
          return undefined
        })
        if (loaded) expect(await remove(loaded)).toEqual({ removed: ['hostile'], kept: {} })
        expect(await relations()).toEqual(before)
      }),
      { numRuns: runsOf(80) },
    )
  })
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
    const loaded = await load(linked)
    await asked(EDDA, sql`insert into public.visits (title) values ('Tuesday')`)
    expect(await removeSamples(loaded)).toBe(3)
    expect(await asked(OLGA, sql`select title, place from public.visits`)).toEqual([{ title: 'Tuesday', place: null }])
    expect(await asked(OLGA, sql`select sample_records as left from holdfast.template_loads`)).toEqual([{ left: 0 }])
    expect(await remove(loaded)).toEqual({ removed: ['notes'], kept: { visits: 'records', places: 'linked' } })
    expect(await asked(OLGA, sql`select from holdfast.template_loads`)).toEqual([])
    await asked(EDDA, sql`delete from public.visits`)
    for (const name of ['visits', 'places'])
      await asked(OLGA, sql`select holdfast.remove_empty_table(${water}, ${name})`)
  })

  test('a table of the same name that was created since is left alone', async () => {
    const loaded = await load(templateOf(table('places')))
    await asked(OLGA, sql`select holdfast.remove_empty_table(${water}, 'places')`)
    const again = await load(templateOf(table('places')))
    expect(await remove(loaded)).toEqual({ removed: [], kept: { places: 'other' } })
    await remove(again)
  })
})

describe('exporting', () => {
  test('leaves out people: creators, addresses, ids, teams, and views of them; says which', async () => {
    const personal = templateOf(
      table('people', {
        fields: [text('title'), text('email')],
        records: [{ id: 'a', title: `Ask jörg@firma.de, then a@example.org; ${MOLE}`, email: 'someone@gmail.com' }],
        views: [{ name: 'His', type: 'grid', config: { filter: `all(created_by.is.${MOLE})` } }],
      }),
    )
    const loaded = await load(personal)
    await database.pool.execute(sql.trusted('alter table public.people add column place point, add column n integer'))
    const { template, left_out } = await exported()
    expect(JSON.stringify(template)).not.toMatch(/gmail|firma|jörg|[0-9a-f]{8}-/)
    expect(template.tables[0]?.['records']).toEqual([
      { id: 'r1', title: 'Ask name@example.com, then a@example.org; ', email: 'name@example.com' },
    ])
    expect(left_out).toEqual([
      { table: 'people', field: 'place', reason: 'field' },
      { table: 'people', field: 'n', reason: 'field' },
      { table: 'people', view: 'His', reason: 'view' },
    ])
    await remove(loaded)
  })

  test('every kind of field that create_table takes is exported as it was', async () => {
    const [{ source = '' } = {}] = await database.pool.query<{ source: string }>(
      sql`select prosrc as source from pg_proc where oid = 'holdfast.new_field_sql(jsonb)'::regprocedure`,
    )
    const kinds = [...source.matchAll(/when '([a-z_]+)' then/g)].map(([, kind]) => kind)
    expect(kinds.length).toBeGreaterThan(7)
    const fields = kinds.map((kind, at) => ({
      name: `f${at}`,
      label: `F${at}`,
      kind,
      ...(kind === 'choice' && { choices: ['a'] }),
      ...(kind === 'link' && { table: 'kinds' }),
    }))
    const loaded = await load(templateOf(table('kinds', { fields })))
    const { template, left_out } = await exported()
    expect({ fields: template.tables[0]?.['fields'], left_out }).toEqual({ fields, left_out: [] })
    await remove(loaded)
  })
})
