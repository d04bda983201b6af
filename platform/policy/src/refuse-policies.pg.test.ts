/** What is not followed, and the reason that the operator reads. A table is refused as a whole: never wider, never silently narrower. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPolicyWorld, type PolicyWorld } from '../test/policy-world.ts'

let world: PolicyWorld

beforeAll(async () => {
  world = await openPolicyWorld()
  const keeper = `keeper_${world.database.name}`
  await world.run(`
    create function public.opaque(o bigint) returns boolean language plpgsql stable as $$ begin return true; end $$;
    create function public.opaque_of_person() returns boolean language plpgsql stable as $$ begin return true; end $$;
    create function public.two_steps(o bigint) returns boolean language sql stable as $$ select 1; select true $$;
    create function public.today_is(d date) returns boolean language sql stable as $$ select d = 'today'::date $$;
    create function public.turns(o bigint) returns boolean language sql stable as $$ select true $$;
    create or replace function public.turns(o bigint) returns boolean language sql stable as $$ select public.turns(o) $$;
    create function public.first_org() returns int language sql stable as $$ select org_id from members where user_id = auth.uid() limit 1 $$;
    create function public.first_role(o bigint) returns text language sql stable as $$ select role from members where org_id = o $$;
    create function public.as_owner(o bigint) returns boolean language sql stable security definer as
      $$ select exists (select from members where org_id = o and role = current_user) $$;
    create function public.keeper_pair(a int, b int) returns boolean language sql stable security definer as
      $$ select exists (select from grants g where g.list_id = a and g.level = b) $$;
    create function public.mixed_rights(l int) returns boolean language sql stable security definer as
      $$ select exists (select from lists where owner_id = auth.uid() and keeper_pair(org_id, l)) $$;
    create function public.sets_zone(o bigint) returns boolean language sql stable set timezone = 'UTC' as $$ select o = 1 $$;
    create function public.same(a bigint, b bigint) returns boolean language sql stable as $$ select a = b $$;
    create operator public.=== (leftarg = bigint, rightarg = bigint, function = public.same);
    create view public.open_lists as select * from public.lists where is_open;
    create materialized view public.kept_lists as select * from public.lists;
    create table public.parted (id int, list_id int) partition by range (id);
    create table public.hidden (id int primary key, list_id int, user_id uuid);
    revoke all on public.hidden from anon, authenticated;
    create table public.looped (id int primary key, list_id int);
    alter table public.looped enable row level security;
    create policy self on public.looped using (exists (select from public.looped l where l.list_id = 1));
    create unlogged table public.fleeting (id int primary key, list_id int);
    create function public.private_rule(o bigint) returns boolean language sql stable as $$ select o = 1 $$;
    revoke execute on function public.private_rule from public, anon, authenticated;
    create collation public.blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    alter table public.items add column nick text collate public.blind, add column price numeric, add column code3 char(3), add column seen timestamptz,
      add column extra jsonb;
    alter function public.keeper_pair(int, int) owner to ${keeper};
  `)
})

afterAll(() => world[Symbol.asyncDispose]())

const CASES: readonly (readonly [using: string, reason: RegExp])[] = [
  // negated
  [
    'not exists (select from grants g where g.list_id = items.list_id and g.user_id = auth.uid())',
    /NOT EXISTS and NOT IN over the row/,
  ],
  ['list_id not in (select list_id from grants where user_id = auth.uid())', /NOT EXISTS and NOT IN over the row/],
  ['not is_member(org_id)', /NOT EXISTS and NOT IN over the row/],
  ['not (owner_id = auth.uid())', /negated comparison/],
  ['(owner_id = auth.uid()) is not true', /cannot be followed/],
  // other than equality
  ['owner_id <> auth.uid()', /compared with the person by <>; only equality/],
  ["n <= (auth.jwt() ->> 'level')::int", /compared with the person by <=; only equality/],
  ['owner_id is not distinct from auth.uid()', /cannot be followed/],
  ["n < any (array[(auth.jwt() ->> 'n')::int])", /only = ANY/],
  ['list_id <> all (array(select list_id from grants))', /only = ANY/],
  ["team like (auth.jwt() ->> 'team')", /compared with the person by ~~/],
  ["auth.jwt() -> 'teams' ? team", /compared with the person by \?/],
  [
    'exists (select from grants g where g.user_id = auth.uid() and g.list_id > items.list_id)',
    /compared with the person by >/,
  ],
  ["team || (auth.jwt() ->> 'team') = 'redred'", /mixed on one side of =/],
  ['editors @> array(select user_id from grants)', /compared with the person by @>/],
  // too much in a subquery of the row
  [
    'exists (select from grants g where g.list_id = items.list_id group by g.user_id having count(*) > 1)',
    /aggregate or GROUP BY/,
  ],
  ['(select count(*) from grants g where g.list_id = items.list_id) > 1', /aggregate or GROUP BY/],
  ['auth.uid() in (select user_id from grants g where g.list_id = items.list_id limit 2)', /LIMIT or OFFSET/],
  [
    'exists (select from grants g where g.list_id = items.list_id union select from members m where m.org_id = items.org_id)',
    /UNION, INTERSECT or EXCEPT/,
  ],
  ['exists (with g as (select * from grants) select from g where g.list_id = items.list_id)', /WITH in a subquery/],
  [
    'exists (select from lists l left join grants g on g.list_id = items.list_id where l.owner_id = auth.uid())',
    /inside an outer join/,
  ],
  ['exists (select from unnest(editors) e where e = auth.uid())', /FROM depends on the row/],
  ['auth.uid() = (select user_id from grants where list_id = items.list_id)', /may return several rows/],
  ["first_role(org_id) = 'admin'", /may return several rows/],
  ['list_id in (select list_id from grants order by id limit 1)', /LIMIT or OFFSET leaves is not certain/],
  ['org_id = first_org()', /first of several rows/],
  ['exists (select from grants g where g.list_id = items.list_id for share)', /locks rows/],
  ['list_id in (select row_number() over (order by id) from grants)', /window function/],
  // what changes by itself
  ['seen < now()', /reads the clock/],
  ["seen > current_timestamp - interval '1 day'", /reads the clock/],
  ['day = current_date', /reads the clock/],
  ["(auth.jwt() ->> 'exp')::numeric > extract(epoch from now())", /reads the clock/],
  ['n > random() * 3', /volatile/],
  ["day = (auth.jwt() ->> 'day')::date", /moment of the reading/],
  ['today_is(day)', /reads the clock through a literal/],
  ["team = current_setting('app.team')", /setting of the session other than the claims/],
  ["seen::text like '2026%'", /settings of the session/],
  ["seen > '2026-01-01'::date", /settings of the session/],
  ["pg_has_role(current_user, 'authenticated', 'member')", /depends on more than its arguments/],
  // functions
  ['opaque(org_id)', /written in plpgsql and not immutable/],
  ['opaque_of_person()', /written in plpgsql and not immutable/],
  ['two_steps(org_id)', /more than one SELECT/],
  ['turns(org_id)', /calls itself/],
  ['as_owner(org_id)', /current_user inside a security definer/],
  ['sets_zone(org_id)', /changes settings/],
  ['mixed_rights(list_id)', /rights of different roles/],
  ['private_rule(org_id)', /may not execute public.private_rule/],
  ['org_id === 1::bigint', /what the operator public.=== reads cannot be known/],
  // tables that cannot be watched
  ['list_id in (select id from open_lists)', /the view public.open_lists/],
  ['list_id in (select id from kept_lists)', /the view public.kept_lists/],
  ['list_id in (select list_id from parted)', /partitioned/],
  ['list_id in (select list_id from fleeting)', /not logged/],
  ['list_id in (select list_id from hidden)', /may not read public.hidden/],
  ['exists (select from pg_roles where rolname = team)', /system catalog/],
  ['exists (select from items i where i.id = items.list_id)', /infinite recursion/],
  ['list_id in (select list_id from looped)', /infinite recursion/],
  // types whose texts do not tell
  ["price = (auth.jwt() ->> 'price')::numeric", /price \(numeric\) cannot be a bucket key/],
  ["nick = auth.jwt() ->> 'nick'", /collation/],
  ["code3 = (auth.jwt() ->> 'code')::char(3)", /code3 \(bpchar\) cannot be a bucket key/],
  [
    'exists (select from days d where d.day::timestamptz = items.seen)',
    /seen \(timestamp with time zone\) cannot be a bucket key/,
  ],
  ["extra -> 'owner' = auth.jwt() -> 'sub'", /cannot be a bucket key/],
  // too many
  [
    Array.from(
      { length: 7 },
      (_, n) => `(owner_id = auth.uid() or list_id in (select g.list_id from grants g where g.level = ${n}))`,
    ).join(' and '),
    /more than 64 alternatives/,
  ],
  ['items is not null', /whole row/],
  ['ctid is not null', /whole rows and system columns/],
]

describe('a policy', () => {
  beforeEach(() => world.run('drop policy if exists form on public.items'))

  test.each(CASES)('using (%s) is refused', async (using, reason) => {
    await world.run(`create policy form on public.items for select to authenticated using (${using})`)
    const plan = await world.compile()
    const refused = plan.refused.find((table) => table.name === 'items')
    expect(refused?.reason).toMatch(reason)
    expect(plan.tables.some((table) => table.name === 'items')).toBe(false)
  })

  test('is named with the reason', async () => {
    await world.run('create policy form on public.items using (owner_id <> auth.uid())')
    const plan = await world.compile()
    expect(plan.refused.find((table) => table.name === 'items')).toMatchObject({ policy: 'form' })
  })

  test('that is restrictive and cannot be followed refuses the table as well', async () => {
    await world.run(
      'create policy form on public.items using (true)',
      'create policy narrow on public.items as restrictive using (seen < now())',
    )
    const plan = await world.compile()
    await world.run('drop policy narrow on public.items')
    expect(plan.refused.find((table) => table.name === 'items')).toMatchObject({
      policy: 'narrow',
      reason: expect.stringContaining('clock'),
    })
  })
})

describe('a table', () => {
  test.each([
    ['without row-level security', 'create table public.t (id int primary key)', /row-level security is off/],
    [
      'without a primary key',
      'create table public.t (id int); alter table public.t enable row level security',
      /primary key is not the one column id/,
    ],
    [
      'with a deferrable primary key',
      'create table public.t (id int primary key deferrable); alter table public.t enable row level security',
      /is deferrable/,
    ],
    [
      'with another primary key',
      'create table public.t (id int, n int, primary key (id, n)); alter table public.t enable row level security',
      /primary key is not the one column id/,
    ],
    [
      'without a policy',
      'create table public.t (id int primary key); alter table public.t enable row level security',
      /no permissive policy for SELECT applies to the role anon/,
    ],
    [
      'with a policy for writing only',
      'create table public.t (id int primary key); alter table public.t enable row level security; create policy p on public.t for insert with check (true)',
      /no permissive policy/,
    ],
    [
      'that nobody may select',
      'create table public.t (id int primary key); alter table public.t enable row level security; create policy p on public.t using (true); revoke all on public.t from anon, authenticated',
      /the role anon has no SELECT privilege; the role authenticated has no SELECT privilege/,
    ],
    [
      'whose id is hidden',
      'create table public.t (id int primary key, n int); alter table public.t enable row level security; create policy p on public.t using (true); revoke all on public.t from anon, authenticated; grant select (n) on public.t to anon, authenticated',
      /may not select its column id/,
    ],
    [
      'whose policies let nothing through',
      'create table public.t (id int primary key); alter table public.t enable row level security; create policy p on public.t using (false)',
      /see no row/,
    ],
    [
      'with a virtual column',
      'create table public.t (id int primary key, n int generated always as (1) virtual); alter table public.t enable row level security; create policy p on public.t using (true)',
      /its column n is generated/,
    ],
    [
      'that is not logged',
      'create unlogged table public.t (id int primary key); alter table public.t enable row level security',
      /not logged/,
    ],
    ['that is a view', 'create view public.t as select 1 as id', /it is a view/],
    [
      'that is partitioned',
      'create table public.t (id int primary key) partition by hash (id); alter table public.t enable row level security',
      /it is partitioned/,
    ],
    [
      'with a child',
      'create table public.t (id int primary key); create table public.child () inherits (public.t)',
      /inheritance/,
    ],
    [
      'that an API role owns',
      'create table public.t (id int primary key); alter table public.t enable row level security; grant create on schema public to authenticated; alter table public.t owner to authenticated',
      /the role authenticated owns it/,
    ],
  ])('%s stays on the server', async (_, statements, reason) => {
    await world.run(statements)
    const plan = await world.compile()
    await world.run('drop view if exists public.t').catch(() => world.run('drop table public.t cascade'))
    expect(plan.refused.find((table) => table.name === 't')?.reason).toMatch(reason)
  })
})
