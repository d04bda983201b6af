import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPool, sql, type Pool } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { MIGRATIONS } from '../src/migrations.ts'

// Functions that run with the rights of their owner find no name that the session of a caller could put in its place, and as the superuser nothing runs that the project
// has made.

let db: TestDatabase
let project: Pool

const run = async (script: string): Promise<unknown> => project.withClient((client) => client.query(script))

beforeAll(async () => {
  db = await openTestDatabase({ migrations: MIGRATIONS })
  await db.pool.execute(sql`insert into cron.holdfast_runner values ('postgres')`)
  // Domains of a session are found before the types of Postgres unless the path says otherwise, and their checks run where a value is cast.
  project = createPool({ url: db.projectUrl, applicationName: 'test project', connectionsMax: 1 })
  await run(`
    create table public.told (role text, primary key (role));
    create table public.orders (id uuid primary key default gen_random_uuid(), note text);
    alter table public.orders enable row level security;
    create trigger call_out after insert on public.orders for each row
      execute function supabase_functions.http_request('https://public.example/', 'POST', '{}', '{}', '1000');
    grant select, insert on public.told to public;
    create function public.tell() returns boolean language plpgsql as $$
    begin
      insert into public.told values (current_user) on conflict do nothing;
      return true;
    end $$;
    create type public.priority as enum ('low', 'high');
    create function public.to_json(priority public.priority) returns json language sql as $$ select public.tell()::pg_catalog.text::json $$;
    create cast (public.priority as json) with function public.to_json(public.priority);
    alter table public.orders add column priority public.priority;
    create domain pg_temp.text as pg_catalog.text check (public.tell());
    create domain pg_temp.name as pg_catalog.name check (public.tell());
    create domain pg_temp.jsonb as pg_catalog.jsonb check (public.tell());
    create domain pg_temp.bytea as pg_catalog.bytea check (public.tell());
    create domain pg_temp.regclass as pg_catalog.regclass check (public.tell());
    create domain pg_temp.oid as pg_catalog.oid check (public.tell());
    create domain pg_temp.timestamptz as pg_catalog.timestamptz check (public.tell());`)
})
afterAll(async () => {
  await project[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
})

beforeEach(() => run('delete from public.told'))

test.each([
  [
    'a request',
    `select net.http_post('https://public.example/', '{}'::pg_catalog.jsonb, '{"a": 1}'::pg_catalog.jsonb)`,
  ],
  ['a database webhook', `insert into public.orders (note) values (null)`],
  [
    'a database webhook of a value that the project turns into JSON',
    `insert into public.orders (priority) values ('high')`,
  ],
  ['a scheduled job', `select cron.schedule('nightly', '0 3 * * *', 'select 1')`],
  ['a table with a history', `select holdfast.track('public.orders'::pg_catalog.regclass)`],
  ['a grant', `grant select on public.orders to authenticated`],
  ['a new name for a field', `alter table public.orders rename column note to remark`],
])('%s runs nothing of the project as the superuser', async (_, statement) => {
  await run(statement)

  const roles = await project.query<{ role: string }>(sql`
    select t.role::pg_catalog.text as role from public.told t join pg_catalog.pg_roles r on r.rolname = t.role where r.rolsuper`)
  expect(roles).toEqual([])
})

test('functions of Holdfast run nothing of a session as the project, whoever calls them', async () => {
  const person = '11111111-1111-4111-8111-111111111111'
  await db.pool.execute(sql`insert into auth.users (id, email) values (${person}, 'ann@example.org')`)
  await using session = createPool({ url: db.projectUrl, applicationName: 'test session', connectionsMax: 1 })
  const claims = JSON.stringify({ sub: person, role: 'authenticated', session_id: person })
  const [device, key, secret] = ['https://push.example/1', 'k'.repeat(87), 's'.repeat(22)]

  await session.withClient(async (client) => {
    await client.query(`create domain pg_temp.uuid as pg_catalog.uuid check (public.tell())`)
    await client.query(`set role authenticated`)
    await client.query(`select pg_catalog.set_config('request.jwt.claims', $1, false)`, [claims])
    await client.query(`select holdfast.add_push_device($1, $2, $3)`, [device, key, secret])
    await client.query(`reset role`)
  })

  expect(await project.query(sql`select t.role::pg_catalog.text as role from public.told t`)).not.toContainEqual({
    role: 'postgres',
  })
})

test('every function with rights of its own has a path that ends with the names of the session', async () => {
  const open = await db.pool.query<{ name: string }>(sql`
    with recursive ran as (
      select p.oid, p.prosrc from pg_proc p
       where p.prosecdef and p.pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
      union
      -- What it calls with a path of its own.
      select p.oid, p.prosrc
        from ran, pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname not in ('pg_catalog', 'information_schema') and p.proconfig is not null
         and position(n.nspname || '.' || p.proname || '(' in ran.prosrc) > 0
    )
    select p.oid::regprocedure::text as name from pg_proc p join ran using (oid)
     where not exists (select from unnest(p.proconfig) setting where setting ~ '^search_path=.*\\mpg_temp$')
     order by 1`)
  expect(open).toEqual([])
})

describe('where standard_conforming_strings is off', () => {
  test('every function with a backslash says how it is written', async () => {
    const open = await db.pool.query<{ name: string }>(sql`
      select p.oid::regprocedure::text as name
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
       where n.nspname not in ('pg_catalog', 'information_schema', 'public') and l.lanname in ('plpgsql', 'sql') and p.prosqlbody is null
         and strpos(p.prosrc, chr(92)) > 0 and not coalesce('standard_conforming_strings=on' = any(p.proconfig), false)
       order by 1`)
    expect(open).toEqual([])
  })

  test('a job of some seconds is scheduled, and a replica identity of the project counts as its own', async () => {
    await using session = createPool({ url: db.projectUrl, applicationName: 'test session', connectionsMax: 1 })
    await db.pool.execute(sql`create table public.chosen (id int primary key)`)
    await db.pool.execute(sql`alter table public.chosen owner to postgres, replica identity full`)
    await db.pool.execute(sql`insert into sync.replica_identities values ('public.chosen', 'd')`)
    await session.withClient(async (client) => {
      await client.query('set escape_string_warning = off; set standard_conforming_strings = off')
      await client.query(`select cron.schedule('often', '30 seconds', 'select 1')`)
      await client.query('alter table public.chosen replica  identity full')
    })
    expect(
      await db.pool.query(sql`select from sync.replica_identities where relation = 'public.chosen'::regclass`),
    ).toEqual([])
  })
})
