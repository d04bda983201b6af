import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { compileSyncPlan, readPolicyInput, type SyncPlan } from '@holdfast/policy'
import { runAs, sql, type Session } from '@holdfast/postgres'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase, runsOf, type TestDatabase } from '@holdfast/test-support'

// Tables that owners and admins of a workspace make in the app. Postgres is asked what became of a description, and who sees what in it.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`
const [OLGA, ADAM, EDDA, VERA, GUS, MOLE] = [id(1), id(2), id(3), id(4), id(5), id(6)] as const
const PEOPLE = [
  [OLGA, 'owner'],
  [ADAM, 'admin'],
  [EDDA, 'editor'],
  [VERA, 'viewer'],
  [GUS, 'guest'],
] as const

let database: TestDatabase
let workspace = ''
let team = ''

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, syncMigrations, serverMigrations] })
  const { pool } = database
  for (const [user] of [...PEOPLE, [MOLE]])
    await pool.execute(sql`insert into auth.users (id, email) values (${user}, ${`${user}@example.org`})`)
  const [made] = await pool.query<{ id: string }>(
    sql`select holdfast.create_workspace('Water', ${`${OLGA}@example.org`}) as id`,
  )
  workspace = made?.id ?? ''
  for (const [user, role] of PEOPLE.slice(1)) {
    await pool.execute(sql`
      insert into holdfast.members (workspace_id, user_id, role, name)
      values (${workspace}, ${user}, ${role}::holdfast.workspace_role, ${role})`)
  }
  // Somebody who owns another workspace: what is made here is not theirs.
  await pool.execute(sql`select holdfast.create_workspace('Gas', ${`${MOLE}@example.org`})`)
  const [north] = await pool.query<{ id: string }>(
    sql`insert into holdfast.teams (workspace_id, name) values (${workspace}, 'North') returning id`,
  )
  team = north?.id ?? ''
  await pool.execute(sql`insert into holdfast.team_members (team_id, user_id) values (${team}, ${EDDA})`)
  const project = sql.trusted(`
    create table public.sites (id uuid primary key default gen_random_uuid(), name text);
    alter table public.sites enable row level security;
    create policy all_read on public.sites for select to authenticated using (true);
    grant select on public.sites to authenticated;
    create table public."TwoCases" (id uuid primary key);
    create table public.secrets (id uuid primary key, name text);
    alter table public.secrets enable row level security;
    revoke all on public.secrets from public, anon, authenticated;`)
  await pool.execute(project)
})
afterAll(() => database[Symbol.asyncDispose]())

const sessionOf = (sub: string): Session => ({ role: 'authenticated', claims: { role: 'authenticated', sub } })
const asked = <Row extends object>(who: string, query: ReturnType<typeof sql>): Promise<readonly Row[]> =>
  runAs(database.requestPool, sessionOf(who), (tx) => tx.query<Row>(query))

interface Definition {
  readonly name?: unknown
  readonly label?: unknown
  readonly fields?: unknown
  readonly access?: unknown
}
const field = (name: string, kind = 'text', more: object = {}): object => ({ name, label: name, kind, ...more })
const many = (count: number): readonly object[] => Array.from({ length: count }, (_, n) => field(`f${n}`))
const valves = (name: string, more: Definition = {}): Definition => ({
  name,
  label: 'Valves',
  fields: [field('title')],
  access: { kind: 'members' },
  ...more,
})
const create = async (who: string, definition: unknown): Promise<string> => {
  const [row] = await asked<{ name: string }>(
    who,
    sql`select holdfast.create_table(${workspace}, ${JSON.stringify(definition)}::jsonb) as name`,
  )
  return row?.name ?? ''
}
const sqlOf = async (who: string, definition: unknown): Promise<string> => {
  const [row] = await asked<{ text: string }>(
    who,
    sql`select holdfast.new_table_sql(${workspace}, ${JSON.stringify(definition)}::jsonb) as text`,
  )
  return row?.text ?? ''
}
const table = (name: string): ReturnType<typeof sql> => sql`${sql.identifier('public', name)}`
const add = (who: string, name: string, title: string, more = sql``, values = sql``): Promise<readonly object[]> =>
  asked(who, sql`insert into ${table(name)} (title${more}) values (${title}${values})`)
const titles = async (who: string, name: string): Promise<readonly string[]> =>
  (await asked<{ title: string }>(who, sql`select title from ${table(name)} order by title`)).map(({ title }) => title)
const planned = async (): Promise<SyncPlan> =>
  compileSyncPlan(await readPolicyInput(database.compilerPool, { schemas: ['public', 'holdfast'] }))

test('a table has the fields that were described, syncs whole, keeps a history and is in the list of its workspace', async () => {
  await create(ADAM, {
    name: 'valves',
    label: 'Valves',
    access: { kind: 'members' },
    fields: [
      field('title'),
      field('turns', 'integer'),
      field('bore', 'number'),
      field('is_open', 'boolean'),
      field('built_on', 'date'),
      field('seen_at', 'datetime'),
      field('state', 'choice', { choices: ["it's open", 'shut', 'shut'] }),
      field('site_id', 'link', { table: 'sites', label: 'Site' }),
    ],
  })
  const columns = await database.pool.query(sql`
    select attname::text as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = 'public.valves'::regclass and attnum > 0 order by attnum`)
  expect(columns).toEqual([
    { name: 'id', type: 'uuid' },
    { name: 'title', type: 'text' },
    { name: 'turns', type: 'bigint' },
    { name: 'bore', type: 'numeric' },
    { name: 'is_open', type: 'boolean' },
    { name: 'built_on', type: 'date' },
    { name: 'seen_at', type: 'timestamp with time zone' },
    { name: 'state', type: 'text' },
    { name: 'site_id', type: 'uuid' },
    { name: 'created_by', type: 'uuid' },
    { name: 'created_at', type: 'timestamp with time zone' },
    { name: 'updated_at', type: 'timestamp with time zone' },
  ])
  const plan = await planned()
  expect(plan.tables.find(({ localName }) => localName === 'valves')?.columns).toHaveLength(columns.length)
  await add(EDDA, 'valves', 'V-1', sql`, state`, sql`, 'it''s open'`)
  await expect(add(EDDA, 'valves', 'V-2', sql`, state`, sql`, 'ajar'`)).rejects.toThrow('violates check constraint')
  const history = await asked(
    EDDA,
    sql`select kind, actor_id as actor from holdfast.history where table_name = 'valves'`,
  )
  expect(history).toEqual([{ kind: 'insert', actor: EDDA }])
  const looks = await asked(
    EDDA,
    sql`select label, workspace_id as workspace, made_by as maker from holdfast.tables where table_name = 'valves'`,
  )
  expect(looks).toEqual([{ label: 'Valves', workspace, maker: ADAM }])
})

test('choices are shown as they were written: words are kept for those that the app would change', async () => {
  await create(ADAM, {
    name: 'meters',
    label: 'Meters',
    access: { kind: 'members' },
    fields: [
      field('title'),
      field('unit', 'choice', { choices: ['m3', 'kWh', 'Litre', 'in_use', 'ß'] }),
      field('state', 'choice', { choices: ['Open', 'Shut'] }),
      field('many', 'choice', { choices: Array.from({ length: 60 }, (_, n) => `x${'y'.repeat(80)}${n}`) }),
    ],
  })
  expect(
    await database.pool.query(
      sql`select field_name as field, choices from holdfast.fields where table_name = 'meters' order by 1`,
    ),
  ).toEqual([{ field: 'unit', choices: { m3: 'm3', kWh: 'kWh', in_use: 'in_use', ß: 'ß' } }])
})

test('the statements that are shown are those that run', async () => {
  const text = await sqlOf(ADAM, valves('shown'))
  expect(text).toContain('create table public.shown (')
  expect(text).toContain('create policy see_1 on public.shown for select to authenticated')
  await database.pool.execute(sql.trusted(text))
  await add(EDDA, 'shown', 'made by hand')
  expect(await titles(VERA, 'shown')).toEqual(['made by hand'])
})

describe('who sees and changes the records', () => {
  test('members: all of the workspace read, from editors on they change, guests have what is shared, others nothing', async () => {
    await create(OLGA, valves('for_members'))
    await add(EDDA, 'for_members', 'by Edda')
    await expect(add(VERA, 'for_members', 'by Vera')).rejects.toThrow('row-level security')
    await expect(add(MOLE, 'for_members', 'by Mole')).rejects.toThrow('row-level security')
    for (const who of [OLGA, ADAM, EDDA, VERA]) expect(await titles(who, 'for_members')).toEqual(['by Edda'])
    for (const who of [GUS, MOLE]) expect(await titles(who, 'for_members')).toEqual([])
    await asked(
      OLGA,
      sql`insert into holdfast.shares (workspace_id, user_id, table_name, record_id)
          select ${workspace}, ${GUS}, 'for_members', id from public.for_members`,
    )
    expect(await titles(GUS, 'for_members')).toEqual(['by Edda'])
    expect(await asked(GUS, sql`update public.for_members set title = 'x' returning id`)).toEqual([])
  })

  test('own: whoever made a record and admins', async () => {
    await create(ADAM, valves('own_notes', { access: { kind: 'own' } }))
    await add(EDDA, 'own_notes', 'by Edda', sql`, created_by`, sql`, ${OLGA}`)
    await add(OLGA, 'own_notes', 'by Olga')
    expect(await titles(EDDA, 'own_notes')).toEqual(['by Edda'])
    expect(await titles(VERA, 'own_notes')).toEqual([])
    expect(await titles(ADAM, 'own_notes')).toEqual(['by Edda', 'by Olga'])
    await expect(add(VERA, 'own_notes', 'by Vera')).rejects.toThrow('row-level security')
  })

  test('team: its members, and admins for what has none', async () => {
    await create(
      ADAM,
      valves('team_notes', {
        fields: [field('title'), field('team_id', 'link', { table: 'hf_teams' })],
        access: { kind: 'team', field: 'team_id' },
      }),
    )
    await add(EDDA, 'team_notes', 'of the team', sql`, team_id`, sql`, ${team}`)
    await add(OLGA, 'team_notes', 'of nobody')
    await expect(add(EDDA, 'team_notes', 'of nobody')).rejects.toThrow('row-level security')
    expect(await titles(EDDA, 'team_notes')).toEqual(['of the team'])
    expect(await titles(VERA, 'team_notes')).toEqual([])
    expect(await titles(OLGA, 'team_notes')).toEqual(['of nobody', 'of the team'])
  })

  test('each of the three syncs by keys, without classes', async () => {
    const plan = await planned()
    for (const name of ['for_members', 'own_notes', 'team_notes']) {
      const definitions = plan.tables.find(({ localName }) => localName === name)?.definitions ?? []
      expect(definitions.length, name).toBeGreaterThan(0)
      expect(definitions.filter(({ accessClass }) => accessClass !== undefined)).toEqual([])
    }
  })
})

describe('what is refused, with a code that a person’s language has words for', () => {
  test.each([EDDA, VERA, GUS, MOLE])('%s is no admin of the workspace', async (who) => {
    const refusal = { code: '42501', hint: 'people.not_admin' }
    await expect(create(who, valves('by_others'))).rejects.toMatchObject(refusal)
    await expect(sqlOf(who, valves('by_others'))).rejects.toMatchObject(refusal)
    await expect(
      asked(who, sql`select holdfast.remove_empty_table(${workspace}, 'for_members')`),
    ).rejects.toMatchObject(refusal)
  })

  test.each<readonly [string, Definition]>([
    ['new_table.name', { name: 'Valves' }],
    ['new_table.name', { name: 'pg_valves' }],
    ['new_table.name', { name: 'valves; drop table public.sites' }],
    ['new_table.name', { name: 'x'.repeat(52) }],
    ['new_table.name', { name: undefined }],
    ['new_table.exists', { name: 'sites' }],
    ['new_table.exists', { name: 'twocases' }],
    ['new_table.label', { label: 'A. B' }],
    ['new_table.label', { label: ' ' }],
    ['new_table.fields', { fields: [] }],
    ['new_table.fields', { fields: { name: 'title' } }],
    ['new_table.fields', { fields: many(201) }],
    ['new_table.twice', { fields: [field('a'), field('a')] }],
    ['new_table.name', { fields: [field('created_by')] }],
    ['new_table.name', { fields: [field('xmin')] }],
    ['new_table.kind', { fields: [field('a', 'text default pg_read_file($$/etc/passwd$$)')] }],
    ['new_table.name', { fields: ['a'] }],
    ['new_table.choices', { fields: [field('a', 'choice', { choices: [] })] }],
    ['new_table.choices', { fields: [field('a', 'choice', { choices: ['a', 7] })] }],
    ['new_table.choices', { fields: [field('a', 'choice', { choices: ['a\\b'] })] }],
    ['new_table.link', { fields: [field('a', 'link', { table: 'secrets' })] }],
    ['new_table.link', { fields: [field('a', 'link', { table: 'nothing' })] }],
    ['new_table.link', { fields: [field('a', 'link', { table: 'auth.users' })] }],
    ['new_table.access', { access: { kind: 'everybody' } }],
    ['new_table.access', { access: undefined }],
    ['new_table.team', { access: { kind: 'team', field: 'title' } }],
  ])('%s: case %#', async (hint, wrong) => {
    await expect(create(ADAM, valves('wrong', wrong))).rejects.toMatchObject({ hint })
    expect(await database.pool.query(sql`select to_regclass('public.wrong') as made`)).toEqual([{ made: null }])
  })

  test('whatever a description says, it makes one table of that name or nothing', async () => {
    const relations = (): Promise<readonly { name: string }[]> =>
      database.pool.query<{ name: string }>(sql`
        select relname::text as name from pg_class where relkind in ('r', 'v', 'f', 'm') and relnamespace not in ('pg_toast'::regnamespace) order by 1`)
    const hostile = fc.oneof(
      fc.constantFrom("'; drop table public.sites; --", '")', '%s', '%1$I', '$$', "\\'", '\u0000', 'e\u0301', '.'),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('plain', 'select', 'user', 'order'),
    )
    const fields = fc.array(
      fc.record({
        name: hostile,
        label: hostile,
        kind: fc.constantFrom('text', 'choice', 'link', 'boolean'),
        choices: fc.array(hostile, { maxLength: 3 }),
        table: fc.oneof(fc.constantFrom('sites', 'hf_teams'), hostile),
      }),
      { minLength: 1, maxLength: 3 },
    )
    const before = await relations()
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          name: hostile,
          label: hostile,
          fields,
          access: fc.record({ kind: fc.constantFrom('members', 'own', 'team'), field: hostile }),
        }),
        async (definition) => {
          const made = await create(ADAM, definition).catch((error: unknown) => {
            // Postgres refuses a NUL in JSON before anything of ours sees it.
            const { code, hint } = error as { readonly code?: string; readonly hint?: string }
            if (code !== '22P05') expect(hint).toMatch(/^new_table\./)
            return undefined
          })
          if (made !== undefined)
            await database.pool.execute(sql`select holdfast.untrack(${`public.${made}`}::regclass)`)
          if (made !== undefined) await database.pool.execute(sql`drop table ${table(made)}`)
          expect(await relations()).toEqual(before)
        },
      ),
      { numRuns: runsOf(60) },
    )
  })

  test('a workspace makes a hundred tables, and no more', async () => {
    await database.pool.execute(
      sql`insert into holdfast.tables (table_name, workspace_id) select 'made_' || n, ${workspace} from generate_series(1, 100) n`,
    )
    await expect(create(ADAM, valves('one_more'))).rejects.toMatchObject({ hint: 'new_table.limit' })
    await database.pool.execute(sql`delete from holdfast.tables where table_name like 'made\\_%'`)
  })
})

describe('removing', () => {
  const remove = (who: string, name: string): Promise<readonly object[]> =>
    asked(who, sql`select holdfast.remove_empty_table(${workspace}, ${name})`)

  test('a table without records goes, with its looks, and its name is free again', async () => {
    await create(ADAM, valves('by_mistake'))
    await add(EDDA, 'by_mistake', 'x')
    await expect(remove(ADAM, 'by_mistake')).rejects.toMatchObject({ hint: 'new_table.has_records' })
    await asked(EDDA, sql`delete from public.by_mistake`)
    await remove(ADAM, 'by_mistake')
    expect(await database.pool.query(sql`select to_regclass('public.by_mistake') as made`)).toEqual([{ made: null }])
    expect(await create(ADAM, valves('by_mistake'))).toBe('by_mistake')
  })

  test('tables that the project made stay', async () => {
    await expect(remove(ADAM, 'sites')).rejects.toMatchObject({ hint: 'new_table.not_made_here' })
  })
})
