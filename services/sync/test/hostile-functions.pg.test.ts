import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool, sql, type Pool } from '@holdfast/postgres'
import { ALICE, openWorld, type World } from './sync-world.ts'

/**
 * Whoever owns a table writes its policies, and with them functions, domains, casts and streams. What of it runs in Holdfast's own sessions gains nothing: the
 * owner stays without the rights of a superuser, no row is written, no program is started. And what of it is honest works.
 */
const ATTACKER = `table_owner_${randomBytes(4).toString('hex')}`
const folder = mkdtempSync(join(tmpdir(), 'holdfast-hostile-'))
const planted = join(folder, 'planted')

/** What a function tries that is called with more rights than its author's. Each on its own, as most of it has to fail. */
const ATTEMPTS = [
  `alter role ${ATTACKER} superuser`,
  `select set_config('transaction_read_only', 'off', false)`,
  `select set_config('default_transaction_read_only', 'off', false)`,
  `set session authorization SUPERUSER`,
  `set role SUPERUSER`,
  `set role authenticated`,
  `alter role ${ATTACKER} superuser`,
  `grant pg_execute_server_program to ${ATTACKER}`,
  `insert into public.taken values (session_user)`,
  `copy (select 1) to program 'touch ${planted}'`,
  `copy (select 1) to '${planted}'`,
]

const SCHEMA = `
  create role ${ATTACKER} login password 'theirs';
  create table public.taken (by_whom text);
  grant all on public.taken to public;
  grant create on schema public to ${ATTACKER};
  set role ${ATTACKER};

  create function public.do_harm() returns void language plpgsql volatile as $harm$
  declare attempt text;
  begin
    foreach attempt in array array[${ATTEMPTS.map((attempt) => `$a$${attempt}$a$`).join(', ')}] loop
      begin
        execute replace(attempt, 'SUPERUSER', (select quote_ident(rolname) from pg_catalog.pg_roles where oid = 10));
      exception when others then null;
      end;
    end loop;
  end $harm$;
  create function public.harmless(value text) returns boolean language plpgsql immutable as $$
  begin
    perform public.do_harm();
    return value is not null;
  end $$;

  -- A row filter.
  create table public.notes (id uuid primary key default gen_random_uuid(), title text);
  alter table public.notes enable row level security;
  create policy read on public.notes for select using (public.harmless(title));

  -- A domain's check, of a key, of a column that a filter reads, and inside of an array.
  create domain public.code as text check (public.harmless(value));
  create table public.parts (id public.code primary key, name public.code);
  alter table public.parts enable row level security;
  create policy read on public.parts for select using (lower(name) <> 'hidden');

  -- A cast and an operator that fit better than those of the system.
  create type public.mood as enum ('good', 'bad');
  create function public.to_mood(value text) returns public.mood language plpgsql immutable as $$
  begin
    perform public.do_harm();
    return (select enumlabel from pg_enum where false);
  end $$;
  create cast (text as public.mood) with function public.to_mood(text) as assignment;
  create function public.is_mood(one public.mood, other public.mood) returns boolean language plpgsql immutable as $$
  begin
    perform public.do_harm();
    return one::varchar = other::varchar;
  end $$;
  create operator public.= (leftarg = public.mood, rightarg = public.mood, function = public.is_mood);
  create table public.moods (id public.mood primary key, title text);
  alter table public.moods enable row level security;
  create policy read on public.moods for select using (true);

  -- Bodies that are resolved when policies are compiled.
  set check_function_bodies = off;
  create function public.ends_early(value text) returns boolean language sql stable
    as $$ select true; end; alter role ${ATTACKER} superuser; commit; select true $$;
  create function public.checks_literals(value text) returns boolean language sql stable
    as $$ select value is not null and '{x}'::public.code[] is not null $$;
  set check_function_bodies = on;
  create table public.early (id uuid primary key default gen_random_uuid(), title text);
  alter table public.early enable row level security;
  create policy read on public.early for select using (public.ends_early(title));
  create table public.literal (id uuid primary key default gen_random_uuid(), title text);
  alter table public.literal enable row level security;
  create policy read on public.literal for select using (public.checks_literals(title));
  grant select on all tables in schema public to authenticated;
  reset role;
`

let world: World
/** As the owner of the tables, who writes rows: a superuser who did would run the checks of domains with all rights. */
let owner: Pool

beforeAll(async () => {
  world = await openWorld({ schema: SCHEMA, snapshotBytesMax: 0 })
  const url = new URL(world.db.url)
  url.username = ATTACKER
  url.password = 'theirs'
  owner = createPool({ url: url.href, applicationName: 'test owner', connectionsMax: 2 })
})

afterAll(async () => {
  await owner[Symbol.asyncDispose]()
  await world.stop()
  await world.run(`drop owned by ${ATTACKER} cascade; drop role ${ATTACKER}`)
  await world[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

async function expectNothingGained(): Promise<void> {
  const rights = await world.rows(`
    select rolsuper, pg_has_role(rolname, 'pg_execute_server_program', 'member') as runs from pg_roles where rolname = '${ATTACKER}'`)
  expect(rights).toEqual([{ rolsuper: false, runs: false }])
  expect(
    await world.rows(`select by_whom from public.taken where by_whom not in ('${ATTACKER}', 'authenticator')`),
  ).toEqual([])
  expect(existsSync(planted)).toBe(false)
}

test('a table whose row filter does harm stays on the server, and nothing is gained', async () => {
  const device = world.device(ALICE)
  device.connect()
  await owner.execute(sql`insert into public.notes (title) values ('one')`)
  await owner.execute(sql`insert into public.literal (title) values ('later')`)
  await device.until(() => device.ids('literal').length === 1)
  expect(device.ids('notes')).toEqual([])
  expect(world.service.plan()?.refused.map(({ name }) => name)).toContain('notes')
  await expectNothingGained()
})

test('checks of domains, casts and operators gain nothing, as rows change and as they are read again', async () => {
  const device = world.device(ALICE)
  device.connect()
  await owner.execute(sql`insert into public.parts values ('a', 'shown'), ('b', 'hidden')`)
  await owner.execute(sql`insert into public.moods values ('good', 'one')`)
  await device.until(() => device.ids('parts').length === 1 && device.ids('moods').length === 1)
  await expectNothingGained()
  // Everything is read again, and the filter is another.
  await owner.execute(sql`alter policy read on public.parts using (lower(name) <> 'shown')`)
  await owner.execute(sql`alter policy read on public.moods using (id <> 'bad')`)
  await device.until(() => device.ids('parts').includes('b') && !device.ids('parts').includes('a'))
  await expectNothingGained()
})

test('explaining a row gains nothing', async () => {
  for (const [table, id, exists] of [
    ['parts', 'a', true],
    ['moods', 'good', false], // whose own cast answers with nothing
  ]) {
    const claims = Buffer.from(JSON.stringify({ sub: ALICE, role: 'service_role' })).toString('base64url')
    const answer = await fetch(`${world.url}/sync/v1/explain?user=${ALICE}&table=${table}&id=${id}`, {
      headers: { authorization: `Bearer ${claims}` },
    })
    expect(answer.status, await answer.clone().text()).toBe(200)
    expect(await answer.json()).toMatchObject({ postgres: { exists } })
  }
  await expectNothingGained()
})

test('function bodies and stream queries gain nothing when they are compiled', async () => {
  await world.run(`
    insert into sync.streams (name, queries, search_path) values
      ('ends_early', array['select * from public.notes) q; alter role ${ATTACKER} superuser; select * from (select 1'], 'public'),
      ('checks', array['select * from public.notes where ''{x}''::public.code[] is not null'], 'public')`)
  const device = world.device(ALICE)
  device.connect()
  await owner.execute(sql`insert into public.literal (title) values ('compiled')`)
  await owner.execute(sql`insert into public.early (title) values ('compiled')`)
  await device.until(() => device.ids('literal').length === 2)
  const stream = world.service.plan()?.streams.find(({ name }) => name === 'ends_early')
  expect(stream?.refused).toHaveLength(1)
  expect(world.service.plan()?.refused.map(({ name }) => name)).toContain('early')
  await expectNothingGained()
})
