import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { POLICY_USERS as USERS } from '@holdfast/test-support'
import { runAs, sql } from '@holdfast/postgres'
import { openPolicyWorld, type PolicyWorld } from './policy-world.ts'
import { describePlan } from '../src/explain.ts'
import type { TablePlan } from '../src/plan.ts'

let world: PolicyWorld

beforeAll(async () => {
  world = await openPolicyWorld()
})

afterAll(() => world[Symbol.asyncDispose]())

beforeEach(() => world.run('drop schema if exists team cascade', 'drop table if exists public.notes cascade', NOTES))

const NOTES = `
  create table public.notes (id int primary key, org_id int, owner_id uuid, body text, is_public boolean);
  alter table public.notes enable row level security`

async function notes(...statements: readonly string[]): Promise<TablePlan> {
  await world.run(...statements)
  const plan = await world.compile()
  const table = plan.tables.find((one) => one.name === 'notes')
  if (!table) throw new Error(plan.refused.find((one) => one.name === 'notes')?.reason ?? 'no table')
  return table
}

const roles = (table: TablePlan): readonly (readonly string[])[] =>
  table.definitions.map((definition) => definition.roles)

describe('definitions', () => {
  test('are shared by roles that get the same buckets in the same way', async () => {
    const table = await notes(
      'create policy a on public.notes using (is_public)',
      'create policy b on public.notes to authenticated using (owner_id = auth.uid() or exists (select from members m where m.org_id = notes.org_id and m.user_id = auth.uid()))',
      'create policy c on public.notes to anon, authenticated using (exists (select from members m where m.org_id = notes.org_id and m.role is null))',
    )
    expect(roles(table)).toEqual([['anon', 'authenticated'], ['anon'], ['authenticated'], ['authenticated']])
  })

  test('that hold the same but are granted differently have ids of their own', async () => {
    const table = await notes(
      'create policy a on public.notes to anon using (is_public)',
      'create policy b on public.notes to authenticated using (is_public and auth.uid() is not null)',
    )
    expect(roles(table)).toEqual([['anon'], ['authenticated']])
    expect(new Set(table.definitions.map(({ id }) => id)).size).toBe(2)
  })

  test('of two policies over one key are one, and its keys their union', async () => {
    const table = await notes(
      "create policy a on public.notes to authenticated using (org_id in (select org_id from members where user_id = auth.uid() and role = 'admin'))",
      'create policy b on public.notes to authenticated using (org_id in (select org_id from lists where owner_id = auth.uid()))',
    )
    expect(table.definitions).toHaveLength(1)
    expect(table.definitions[0]).toMatchObject({ policies: ['a', 'b'], keyQuery: expect.stringContaining(' union ') })
  })

  test('ask once for what a restrictive and a permissive policy both ask', async () => {
    const table = await notes(
      'create policy a on public.notes to authenticated using (is_member(org_id))',
      'create policy b on public.notes as restrictive to authenticated using (is_member(org_id))',
    )
    expect(table.definitions.map(({ keys, keyQuery }) => [keys.length, keyQuery.split('members" as').length])).toEqual([
      [1, 2],
    ])
  })

  test('hold the columns that the role may select', async () => {
    const table = await notes(
      'create policy a on public.notes using (owner_id = auth.uid())',
      'revoke select on public.notes from anon, authenticated',
      'grant select (id, body) on public.notes to authenticated',
    )
    expect(table.columns.map(({ name }) => name)).toEqual(['id', 'org_id', 'owner_id', 'body', 'is_public'])
    expect(table.definitions).toMatchObject([{ roles: ['authenticated'], columns: ['id', 'body'] }])
  })

  test('include those that a role gets through another role', async () => {
    const club = `club_${world.database.name}`
    await world.run(`create role ${club}`, `grant ${club} to authenticated with inherit true`)
    try {
      const table = await notes(`create policy a on public.notes to ${club} using (true)`)
      expect(roles(table)).toEqual([['authenticated']])
    } finally {
      await world.run(`drop owned by ${club}`, 'drop policy if exists a on public.notes', `drop role ${club}`)
    }
  })

  test('leave out a role that may not read what the policy reads', async () => {
    const table = await notes(
      'create policy a on public.notes using (org_id in (select org_id from members))',
      'revoke select on public.members from anon',
    )
    await world.run('grant select on public.members to anon')
    expect(roles(table)).toEqual([['authenticated']])
  })
})

describe('ids and the version', () => {
  const POLICY = 'create policy a on public.notes using (is_public and is_even(org_id) or is_member(org_id))'

  test('outlive the table being created again', async () => {
    const before = await notes(POLICY)
    const after = await notes('drop table public.notes', NOTES, POLICY)
    expect(after.oid).not.toBe(before.oid)
    expect(after.definitions.map(({ id }) => id)).toEqual(before.definitions.map(({ id }) => id))
  })

  test('change with the type of a column', async () => {
    const before = await notes(POLICY)
    const after = await notes('alter table public.notes alter column body type varchar(100)')
    expect(after.definitions[0]?.id).not.toBe(before.definitions[0]?.id)
  })

  test('change with a function that the filter calls', async () => {
    const even = (sign: string): string =>
      `create or replace function public.is_even(n int) returns boolean language plpgsql immutable as $$ begin return n % 2 ${sign} 0; end $$`
    const before = await notes(POLICY)
    const after = await notes(even('<>'))
    await world.run(even('='))
    expect(after.definitions[0]?.id).not.toBe(before.definitions[0]?.id)
    expect(after.definitions[1]?.id).toBe(before.definitions[1]?.id)
  })

  test('the version changes with a policy of a table that key queries read, and with nothing else', async () => {
    await notes(POLICY)
    const first = await world.compile()
    // Superusers have the rights of every role in the cluster, including those created by other databases.
    const stranger = `stranger_${randomUUID().slice(0, 8)}`
    await world.run(`create role ${stranger}`)
    const beside = await world.compile()
    await world.run(`drop role ${stranger}`)
    expect(beside.version).toBe(first.version)
    await world.run(
      'alter table public.members enable row level security',
      'create policy own on public.members using (user_id = auth.uid())',
    )
    const second = await world.compile()
    await world.run('drop policy own on public.members', 'alter table public.members disable row level security')
    expect(second.version).not.toBe(first.version)
    expect((await world.compile()).version).toBe(first.version)
  })
})

describe('functions', () => {
  test('are resolved under the search path that they run under', async () => {
    const table = await notes(
      'create schema team',
      'grant usage on schema team to anon, authenticated',
      'create table team.members (org_id int, user_id uuid)',
      'grant select on team.members to anon, authenticated',
      'create function team.in_team(o int) returns boolean language sql stable as $$ select exists (select from members where org_id = o and user_id = auth.uid()) $$',
      "create function team.rule(o int) returns boolean language sql stable security definer set search_path = 'team', 'public' as $$ select in_team(o) $$",
      'create policy a on public.notes using (team.rule(org_id))',
      'create policy b on public.notes using (team.in_team(org_id))',
    )
    const [first] = table.definitions
    expect(first?.dependencies.map(({ schema, name }) => `${schema}.${name}`)).toEqual([
      'public.members',
      'team.members',
    ])
    await world.run(
      `insert into team.members values (1, '${USERS[0]}')`,
      'insert into public.notes (id, org_id) values (1, 1)',
    )
    const session = { role: 'authenticated', claims: { sub: USERS[0] } }
    expect(await world.held(session, table)).toEqual([1])
    expect(await world.visible(session, 'notes')).toEqual([1])
  })

  test('of the plan belong to the owner of the policy function and serve only the API roles', async () => {
    await notes('create policy a on public.notes using (keeper_sees(org_id))')
    const [keyFunction] = (await world.compile()).keyFunctions
    const [stored] = await world.database.pool.query<{ owner: string; acl: string }>(sql`
      select proowner::regrole::text as owner, proacl::text as acl from pg_proc where oid = ${keyFunction?.name}::regproc`)
    expect(stored?.owner).toBe(keyFunction?.owner)
    expect(stored?.owner).toMatch(/^keeper_/)
    expect(stored?.acl).not.toMatch(/(^\{|,)=X/)
    expect(stored?.acl).toContain('authenticated=X')
  })

  test('of the plan give a person no key of another user', async () => {
    const table = await notes('create policy a on public.notes using (is_member_definer(org_id))')
    await world.run(`insert into public.members values (1, 1, '${USERS[0]}'), (2, 2, '${USERS[1]}')`)
    const query = table.definitions[0]?.keyQuery ?? ''
    const keys = await runAs(world.database.requestPool, { role: 'authenticated', claims: { sub: USERS[0] } }, (tx) =>
      tx.query(sql.trusted(query)),
    )
    await world.run('truncate public.members')
    expect(keys).toEqual([{ k0: '1' }])
  })
})

test('a function that people cannot name is called for them, and can be dropped as before', async () => {
  await world.run(
    `create function private.draft(o bigint) returns boolean language plpgsql stable as $$ begin return o = 1; end $$`,
    'create policy form on public.items using (private.draft(org_id))',
  )
  const plan = await world.compile()
  const [through] = plan.keyFunctions.filter((f) => f.name.startsWith('sync.call_'))
  expect(through).toBeDefined()
  await world.run('drop policy form on public.items', 'drop function private.draft')
  const left = await world.database.pool.query(sql`select to_regproc(${through?.name ?? ''}) is null as gone`)
  expect(left).toEqual([{ gone: true }])
})

test('reading the catalog leaves nothing behind', async () => {
  await notes('create policy a on public.notes using (is_member(org_id))')
  const count = (): Promise<object[]> => world.database.pool.query(sql`select count(*) from pg_proc`)
  const before = await count()
  await world.compile()
  expect(await count()).toEqual(before)
})

test('a table of another schema has that schema in its local name', async () => {
  await world.run(
    'create table holdfast.rules (id int primary key)',
    'alter table holdfast.rules enable row level security',
    'grant usage on schema holdfast to anon, authenticated',
    'grant select on holdfast.rules to authenticated',
    'create policy a on holdfast.rules using (true)',
  )
  const plan = await world.compile()
  expect(plan.tables.find((table) => table.name === 'rules')).toMatchObject({
    localName: 'hf_rules',
    definitions: [{ roles: ['authenticated'] }],
  })
  await world.run('drop table holdfast.rules')
})

test('the coverage report says in words how each table is followed', async () => {
  await world.run(
    'create policy mine on public.notes to authenticated using (owner_id = auth.uid())',
    "create policy team on public.notes to authenticated using (org_id in (select org_id from members where user_id = auth.uid()) and body like 'A%')",
    'create policy open on public.notes using (org_id in (select id from lists where is_open))',
    'drop policy if exists form on public.items',
    'create policy form on public.items using (n < random())',
  )
  const report = describePlan(await world.compile())
  await world.run('drop policy form on public.items')
  expect(report.text).toMatchInlineSnapshot(`
    "holdfast.event_triggers: not synced, row-level security is off
    holdfast.login_passwords: not synced, row-level security is off
    holdfast.migrations: not synced, row-level security is off
    public.admins: not synced, row-level security is off
    public.days: not synced, row-level security is off
    public.granted: not synced, it is a view
    public.grants: not synced, row-level security is off
    public.items: not synced, policy "form": random() is volatile: its result is another each time
    public.lists: not synced, row-level security is off
    public.members: not synced, row-level security is off
    public.my_lists: not synced, it is a view
    public.notes: synced as notes
      notes.f51426fb (open): all rows, for those of the roles anon, authenticated whose keys have r."org_id"
        a change of public.lists (id, is_open) may concern everybody
        cost: all connected people are asked for their keys when public.lists changes
      notes.d4f9b309 (mine): all rows, for those of the role authenticated whose keys have r."owner_id"
      notes.d23b9f00 (team): rows where (r."body" ~~ ('A%')::text), for those of the role authenticated whose keys have r."org_id"
        a change of public.members (org_id, user_id) concerns only the people whose (auth.uid())::text is its user_id
        cost: Postgres evaluates an expression for each changed row
    public.shares: not synced, row-level security is off
    public.shares_0: not synced, it is a partition: its rows sync with those of the table that it belongs to
    public.shares_1: not synced, it is a partition: its rows sync with those of the table that it belongs to"
  `)
})
