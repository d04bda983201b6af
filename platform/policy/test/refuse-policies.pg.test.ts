/** Refused policies and the operator's reasons. A table is refused as a whole: never synced too widely, never silently too narrowly. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPolicyWorld, type PolicyWorld } from './policy-world.ts'

let world: PolicyWorld

beforeAll(async () => {
  world = await openPolicyWorld()
  await world.run(`
    create function public.today_is(d date) returns boolean language sql stable as $$ select d = 'today'::date $$;
    create function public.first_org() returns int language sql stable as $$ select org_id from members where user_id = auth.uid() limit 1 $$;
    create function public.first_role(o bigint) returns text language sql stable as $$ select role from members where org_id = o $$;
    create function public.pl_first(o bigint) returns boolean language plpgsql stable as $$
      declare r text; begin select role into r from members where org_id = o; return r = 'admin'; end $$;
    create function public.pl_clock(o bigint) returns boolean language plpgsql stable as $$
      begin if exists (select from members where org_id = o) then return now() > '2026-01-01'; end if; return false; end $$;
    create function public.pl_later(t timestamptz) returns boolean language plpgsql stable as $$ begin return t > now(); end $$;
    create function public.pl_lucky(o bigint) returns boolean language plpgsql as $$ declare n int; begin n := random() * o; return n > 1; end $$;
    create function public.pl_text(o bigint) returns boolean language plpgsql stable as $$
      declare found_it boolean; begin execute 'select true from members where org_id = $1' into found_it using o; return found_it; end $$;
    create function public.pl_writes(o bigint) returns boolean language plpgsql as $$
      begin insert into members (id, org_id) values (99, o); return true; end $$;
    create function public.pl_setting(o bigint) returns boolean language plpgsql stable as $$ begin return current_setting('app.org') = o::text; end $$;
    create function public.pl_sets(o bigint) returns boolean language plpgsql as $$ begin perform set_config('a.b', 'c', true); return true; end $$;
    create function public.pl_outer(o bigint) returns boolean language plpgsql stable as $$ begin return pl_clock(o); end $$;
    create function public.sql_writes(o bigint) returns boolean language sql as
      $$ update members set role = role where org_id = o; select true $$;
    create materialized view public.kept_lists as select * from public.lists;
    create table public.hidden (id int primary key, list_id int, user_id uuid);
    revoke all on public.hidden from anon, authenticated;
    create table public.looped (id int primary key, list_id int);
    alter table public.looped enable row level security;
    create policy self on public.looped using (exists (select from public.looped l where l.list_id = 1));
    create unlogged table public.fleeting (id int primary key, list_id int);
    create function public.private_rule(o bigint) returns boolean language sql stable as $$ select o = 1 $$;
    revoke execute on function public.private_rule from public, anon, authenticated;
    alter table public.items add column seen timestamptz;
  `)
})

afterAll(() => world[Symbol.asyncDispose]())

const CASES: readonly (readonly [using: string, reason: RegExp])[] = [
  // nondeterministic rows
  ['auth.uid() in (select user_id from grants g where g.list_id = items.list_id limit 2)', /LIMIT or OFFSET/],
  ["first_role(org_id) = 'admin'", /first of several rows/],
  ['list_id in (select list_id from grants order by level limit 1)', /LIMIT or OFFSET leaves is not certain/],
  ['org_id = first_org()', /first of several rows/],
  ['pl_first(org_id)', /public.pl_first takes the first of several rows/],
  ['exists (select from grants g where g.list_id = items.list_id for share)', /locks rows/],
  ['list_id in (select row_number() over (order by id) from grants)', /window function/],
  // changes without a write
  ['seen < clock_timestamp()', /volatile/],
  ['seen::text < now()::text', /reads the clock in a way that cannot be followed/],
  ["date_trunc('hour', now()) > seen", /reads the clock in a way/],
  ["seen > now() - interval '1 day' - interval '1 month'", /reads the clock in a way/],
  ["(now() - seen) * 2 < interval '1 day'", /reads the clock in a way/],
  ["now() > '2026-01-01'", /reads the clock in a way/],
  ['owner_id = case when seen > now() then auth.uid() end', /reads the clock in a way/],
  [
    "owner_id <> auth.uid() and seen + interval '1 day' * (auth.jwt() ->> 'n')::int > now()",
    /reads the clock in a way/,
  ],
  [
    "exists (select from grants g where g.list_id = items.list_id and g.user_id = auth.uid() and seen + g.level * interval '1 day' > now())",
    /reads the clock in a way/,
  ],
  ['pl_later(seen)', /reads the clock in a way/],
  ["current_time > '10:00'", /reads the clock in a way/],
  ["(auth.jwt() ->> 'exp')::numeric > extract(epoch from now())", /reads the clock/],
  ['not exists (select from grants where list_id = items.list_id and now() is null)', /reads the clock/],
  ['n > random() * 3', /volatile/],
  ["day = (auth.jwt() ->> 'day')::date", /moment of the reading/],
  ['today_is(day)', /reads the clock through a literal/],
  ["team = current_setting('app.team')", /setting of the session other than the claims/],
  ["seen::text like '2026%'", /settings of the session/],
  ["seen > '2026-01-01'::date", /settings of the session/],
  ['owner_id <> auth.uid() and seen > day', /settings of the session/],
  ["pg_has_role(current_user, 'authenticated', 'member')", /depends on more than its arguments/],
  // functions
  ['pl_clock(org_id)', /reads the clock in a way/],
  ['pl_lucky(org_id)', /public.pl_lucky cannot be followed: random\(\) is volatile/],
  ['pl_text(org_id)', /public.pl_text cannot be followed: it runs text that it makes itself/],
  ['pl_writes(org_id)', /public.pl_writes cannot be followed: it does more than read/],
  ['pl_setting(org_id)', /public.pl_setting cannot be followed: it reads a setting of the session/],
  ['pl_sets(org_id)', /public.pl_sets cannot be followed: set_config\(\) is volatile/],
  ['pl_outer(org_id)', /reads the clock in a way/],
  ['sql_writes(org_id)', /public.sql_writes does more than read/],
  ['private_rule(org_id)', /may not execute public.private_rule/],
  // tables that cannot be watched
  ['list_id in (select id from kept_lists)', /the materialized view public.kept_lists/],
  ['list_id in (select list_id from fleeting)', /not logged/],
  ['list_id in (select list_id from hidden)', /may not read public.hidden/],
  ['exists (select from pg_roles where rolname = team)', /system catalog/],
  ['exists (select from items i where i.id = items.list_id)', /infinite recursion/],
  ['list_id not in (select list_id from looped)', /infinite recursion/],
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
    await world.run('create policy form on public.items using (owner_id <> auth.uid() and seen < clock_timestamp())')
    const plan = await world.compile()
    expect(plan.refused.find((table) => table.name === 'items')).toMatchObject({ policy: 'form' })
  })

  test('that is restrictive and cannot be followed refuses the table as well', async () => {
    await world.run(
      'create policy form on public.items using (true)',
      'create policy narrow on public.items as restrictive using (now() is not null)',
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
      'without a key',
      'create table public.t (id int unique, n int not null); create unique index on public.t (n) where n > 0; alter table public.t enable row level security',
      /it has no key/,
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
      'that no role may select',
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
      /its column n is VIRTUAL.*add it again as STORED/,
    ],
    [
      'that is not logged',
      'create unlogged table public.t (id int primary key); alter table public.t enable row level security',
      /not logged/,
    ],
    ['that is a view', 'create view public.t as select 1 as id', /it is a view/],
    [
      'that is a partition',
      'create table public.whole (id int primary key) partition by hash (id); create table public.t partition of public.whole for values with (modulus 1, remainder 0); alter table public.t enable row level security',
      /it is a partition: its rows sync with those of the table/,
    ],
    [
      'part of whose key is hidden',
      'create table public.t (n int, code text, v int, primary key (n, code)); alter table public.t enable row level security; create policy p on public.t using (true); revoke all on public.t from anon, authenticated; grant select (n, v) on public.t to anon, authenticated',
      /may not select its column code/,
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
    await world
      .run('drop view if exists public.t')
      .catch(() => world.run('drop table if exists public.whole cascade; drop table if exists public.t cascade'))
    expect(plan.refused.find((table) => table.name === 't')?.reason).toMatch(reason)
  })
})
