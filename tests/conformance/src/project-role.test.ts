import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDevice, openHoldfast, type Holdfast } from '@holdfast/test-support'

/*
 * A project acts as `postgres`, as on Supabase: it may do what a project needs, and the superuser never runs its code.
 */

const HOOK = 'pg-functions://postgres/public/token_hook'
const ACCOUNT = { email: 'ada@project.example', password: 'correct horse battery' }

let holdfast: Holdfast

/** Runs one or more statements as the project. @returns the rows of all statements */
async function run(text: string): Promise<readonly object[]> {
  return await holdfast.admin.withClient(async (client) => {
    const results = await client.query(text)
    return (Array.isArray(results) ? results : [results]).flatMap((one) => one.rows as object[])
  })
}

beforeAll(async () => {
  holdfast = await openHoldfast({
    args: ['--password-hash-cost=4', `--hook-custom-access-token-uri=${HOOK}`],
  })
  await run(`
    create function public.token_hook(event jsonb) returns jsonb language sql as $$ select jsonb_build_object('claims', event -> 'claims') $$;`)
})
afterAll(() => holdfast?.[Symbol.asyncDispose]())

test("the printed database URL uses the project's role", async () => {
  expect(new URL(holdfast.databaseUrl).username).toBe('postgres')
  expect(
    await run(`select rolsuper as super, rolcreaterole as roles, rolcreatedb as databases, rolbypassrls as passes_rls, rolreplication as replicates
                 from pg_roles where rolname = current_user`),
  ).toEqual([{ super: false, roles: true, databases: true, passes_rls: true, replicates: true }])
})

describe('a project may', () => {
  test.each([
    [
      'create, change and drop tables, in public and its own schemas',
      `
      create schema own; create table own.things (id int primary key); alter table own.things add column name text; drop table own.things; drop schema own;
      create table public.made (id int primary key, owner uuid references auth.users on delete cascade); alter table public.made enable row level security;
      create policy own on public.made using (owner = auth.uid()); drop table public.made;`,
    ],
    [
      'have triggers on auth.users',
      `
      create function public.noted() returns trigger language plpgsql security definer set search_path = '' as $$ begin return new; end $$;
      create trigger noted after insert on auth.users for each row execute function public.noted();
      drop trigger if exists noted on auth.users; drop function public.noted();`,
    ],
    [
      'change users',
      `
      insert into auth.users (id, email) values ('00000000-0000-4000-8000-000000000009', 'made@project.example');
      update auth.users set banned_until = now() + interval '1 day' where email = 'made@project.example';
      delete from auth.users where email = 'made@project.example';`,
    ],
    [
      'create trusted extensions',
      'create extension citext; create extension pg_trgm schema extensions; drop extension citext;',
    ],
    [
      'create roles for the API',
      `
      create role auditor nologin; grant auditor to authenticator; grant anon to auditor; set role auditor; reset role;
      revoke auditor from authenticator; drop role auditor;`,
    ],
    [
      'switch to the roles of the API',
      'set role anon; reset role; set role authenticated; reset role; set role service_role; reset role;',
    ],
    [
      'configure the API',
      `
      alter role authenticator set pgrst.db_max_rows = '500'; notify pgrst, 'reload config'; alter role authenticator reset pgrst.db_max_rows;
      alter role anon set statement_timeout = '3s';`,
    ],
    [
      'change database settings',
      `alter database postgres set work_mem = '5MB'; alter database postgres reset work_mem;`,
    ],
    [
      'publish its tables',
      `
      create table public.published (id int primary key); create publication mine for table public.published; drop publication mine; drop table public.published;`,
    ],
    [
      'declare streams and guards',
      `
      create table public.streamed (id uuid primary key, state text); alter table public.streamed enable row level security;
      select sync.create_stream('streamed', 'select * from public.streamed'); select sync.guard_columns('public.streamed', '{state}');
      select sync.guard_rows('public.streamed'); select sync.drop_stream('streamed'); drop table public.streamed;`,
    ],
    [
      'add policies to teams',
      `
      create policy everybody on holdfast.teams for select to anon using (true); drop policy everybody on holdfast.teams;`,
    ],
    ['restore without triggers', 'set session_replication_role = replica; reset session_replication_role;'],
    ['create databases', 'create database another'],
    [
      'have new tables in public granted to the API',
      `
      create table public.later (id int);
      do $$ begin assert has_table_privilege('anon', 'public.later', 'insert') and has_table_privilege('service_role', 'public.later', 'truncate'); end $$;
      drop table public.later;`,
    ],
  ])('%s', async (_, text) => {
    await run(text)
  })

  test('read everything, like a dump', async () => {
    const tables = (await run(`
      select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`)) as {
      name: string
    }[]
    expect(tables.length).toBeGreaterThan(30)
    await run(
      `begin; ${tables.map(({ name }) => `lock table ${name} in access share mode; select count(*) from ${name};`).join('')} rollback;`,
    )
  })
})

describe('a project may not', () => {
  test.each([
    'alter role postgres superuser',
    'create role climber superuser',
    'grant supabase_admin to postgres',
    'set role supabase_admin',
    'set session authorization supabase_admin',
    'set role supabase_auth_admin',
    `alter role supabase_admin password 'mine'`,
    `alter role supabase_admin set search_path = public`,
    `alter role supabase_admin in database postgres set search_path = public`,
    'grant holdfast_reader to postgres',
    'grant holdfast_evaluator to postgres',
    'grant pg_execute_server_program to postgres',
    'grant pg_read_server_files to postgres',
    'grant pg_write_server_files to postgres',
    `copy (select 1) to program 'id'`,
    `create temp table read (t text); copy read from '/etc/passwd'`,
    `select pg_read_file('PG_VERSION')`,
    `select pg_ls_dir('.')`,
    `select lo_import('/etc/passwd')`,
    `alter system set shared_preload_libraries = 'x'`,
    `set session_preload_libraries = 'x'`,
    `alter database postgres set session_preload_libraries = 'x'`,
    'create extension file_fdw',
    'create extension plpython3u',
    `load 'auto_explain'`,
    `create function public.c() returns int language c as 'libc', 'getpid'`,
    `create function public.i(text) returns text language internal as 'pg_read_file_all'`,
    'update pg_authid set rolsuper = true',
    `update pg_proc set prosecdef = true, proowner = 10 where proname = 'token_hook'`,
    'create event trigger mine on ddl_command_end execute function holdfast.on_catalog_change()',
    'alter event trigger holdfast_ddl disable',
    'drop event trigger holdfast_ddl',
    'create or replace function holdfast.on_catalog_change() returns event_trigger language plpgsql as $$ begin end $$',
    'alter function holdfast.on_catalog_change() set search_path = public',
    'alter function sync.follow_partitions() set search_path = public',
    'alter function sync.follow_next_partition(boolean) reset all',
    'drop function sync.claim_upload(text, uuid, bigint, bytea)',
    'create or replace function auth.uid() returns uuid language sql as $$ select null::uuid $$',
    'create function auth.mine() returns int language sql as $$ select 1 $$',
    'create function sync.mine() returns int language sql as $$ select 1 $$',
    'create table holdfast.mine (id int)',
    'alter schema sync owner to postgres',
    'alter schema sync rename to mine',
    'drop schema holdfast cascade',
    'alter table auth.users owner to postgres',
    'alter table sync.streams owner to postgres',
    `create function public.on_streams() returns trigger language plpgsql as $$ begin return null; end $$;
     create trigger mine after insert on sync.streams for each row execute function public.on_streams()`,
    'create table public.refers (name text references sync.streams)',
    'create rule mine as on insert to sync.streams do also select 1',
    'create policy mine on sync.streams using (true)',
    `create function public.on_history() returns trigger language plpgsql as $$ begin return null; end $$;
     create trigger mine after update on holdfast.history for each row execute function public.on_history()`,
    `create function public.shown(text) returns text language sql immutable as 'select $1';
     create index mine on holdfast.history (public.shown(table_name))`,
    'create rule mine as on update to holdfast.history do also select 1',
    'alter table holdfast.history owner to postgres',
    'create or replace function holdfast.history_condition(tracked regclass, key name) returns text language sql as $$ select $t$true$t$ $$',
    'create or replace function holdfast.follow_tracked(tracked regclass, was jsonb) returns void language sql as $$ $$',
    'update sync.state set epoch = epoch + 1',
    `delete from sync.ops`,
    `insert into holdfast.migrations (source, name, checksum) values ('a', 'b', 'c')`,
    'reassign owned by supabase_admin to postgres',
    'alter default privileges for role supabase_admin grant all on tables to postgres',
    'alter function public.token_hook(jsonb) owner to supabase_admin',
    'select pg_terminate_backend(pid) from pg_stat_activity where usename = $$supabase_admin$$ and pid <> pg_backend_pid()',
  ])('%s', async (text) => {
    await expect(run(text.startsWith('alter system') ? text : `begin; ${text}; rollback`)).rejects.toMatchObject({
      code: '42501',
    })
  })
})

test("a database reset as the project drops everything, including Holdfast's publication", async () => {
  await run(`
    create table public.old (id uuid primary key); alter table public.old enable row level security; create policy all_of_it on public.old using (true);
    create extension citext;`)
  await run(`
    do $$ declare rec record; begin
      for rec in select extname as name from pg_extension where extname not in ('pgcrypto', 'plpgsql', 'uuid-ossp') loop
        execute format('drop extension %I cascade', rec.name);
      end loop;
      for rec in select oid::regclass as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
        execute format('drop table %s cascade', rec.name);
      end loop;
      for rec in select oid::regclass as name from pg_class where relnamespace = 'auth'::regnamespace and relkind = 'r' and relname in ('users', 'sessions') loop
        execute format('truncate %s cascade', rec.name);
      end loop;
      for rec in select * from pg_policies where schemaname = 'public' loop
        execute format('drop policy %I on %I.%I', rec.policyname, rec.schemaname, rec.tablename);
      end loop;
      for rec in select pubname from pg_publication loop
        execute format('drop publication %I', rec.pubname);
      end loop;
    end $$;`)
  await expect
    .poll(() => run(`select pubname::text as name, pubowner::regrole::text as owner from pg_publication`), {
      timeout: 60_000,
    })
    .toEqual([{ name: 'holdfast', owner: 'postgres' }])
})

/** Tries to gain superuser privileges and records who ran it. Callable from everywhere. */
const CLIMB = `
  create table public.seen (place text, who text, session text, as_superuser boolean);
  grant all on public.seen to public;
  create function public.climb_now(place text) returns boolean language plpgsql as $$
  begin
    begin
      execute 'alter role postgres superuser';
    exception when others then null;
    end;
    begin
      execute 'reset role';
      execute 'alter role postgres superuser';
    exception when others then null;
    end;
    begin
      insert into public.seen values (place, current_user, session_user, current_setting('is_superuser') operator(pg_catalog.=) 'on');
    exception when others then null;
    end;
    return true;
  end $$;
  -- Postgres takes an author's word for it.
  create function public.climb(place text) returns boolean language plpgsql immutable as $$ begin return public.climb_now(place); end $$;
  create function public.climb_trigger() returns trigger language plpgsql as $$ begin perform public.climb(tg_argv[0]); return coalesce(new, old); end $$;
  create function public.climb_end() returns trigger language plpgsql as $$ begin perform public.climb(tg_argv[0]); return null; end $$;
`

/** Everything that a project defines and others run: policies, checks, defaults, index keys, types, operators, casts, views, shadowing names. */
const TRAPS = `
  create domain public.trapped as text check (public.climb('check of a domain'));
  create type public.key as (id uuid);
  create function public.to_uuid(k public.key) returns uuid language plpgsql immutable as $$ begin perform public.climb('cast'); return (k).id; end $$;
  create cast (public.key as uuid) with function public.to_uuid(public.key) as implicit;
  create table public.traps (
    id uuid primary key default gen_random_uuid(),
    owner uuid not null default auth.uid() references auth.users on delete cascade,
    word public.trapped default 'a',
    by_default boolean default public.climb('default'),
    computed boolean generated always as (public.climb('generated column')) stored,
    checked int check (public.climb('check'))
  );
  create index on public.traps ((public.climb('index')));
  create table public.keys (owner public.key references auth.users);
  alter table public.traps enable row level security;
  create policy trapped on public.traps to authenticated using (owner = auth.uid() and public.climb('policy')) with check (true);
  create trigger traps_trigger before insert or update or delete on public.traps for each row execute function public.climb_trigger('trigger');
  create trigger users_trigger after insert or update on auth.users for each row execute function public.climb_trigger('trigger on auth.users');
  create trigger sessions_trigger after insert or update or delete on auth.sessions for each row execute function public.climb_trigger('trigger on auth.sessions');
  create trigger sessions_end after delete on auth.sessions for each statement execute function public.climb_end('trigger on auth.sessions');
  create trigger teams_trigger after insert or update on holdfast.teams for each row execute function public.climb_trigger('trigger on holdfast.teams');
  create or replace function public.token_hook(event jsonb) returns jsonb language plpgsql as $$
    begin perform public.climb('hook'); return jsonb_build_object('claims', event -> 'claims'); end $$;

  create function public.same(a name, b text) returns boolean language plpgsql as $$ begin perform public.climb('operator'); return a::text operator(pg_catalog.=) b; end $$;
  create operator public.= (leftarg = name, rightarg = text, function = public.same);
  create function public.same(a text, b name) returns boolean language plpgsql as $$ begin perform public.climb('operator'); return a operator(pg_catalog.=) b::text; end $$;
  create operator public.= (leftarg = text, rightarg = name, function = public.same);
  create function public.same(a "char", b text) returns boolean language plpgsql as $$ begin perform public.climb('operator'); return a::text operator(pg_catalog.=) b; end $$;
  create operator public.= (leftarg = "char", rightarg = text, function = public.same);
  create function public.format(a text, b name) returns text language plpgsql as $$ begin perform public.climb('function'); return pg_catalog.format(a, b); end $$;
  create function public.quote_ident(a name) returns text language plpgsql as $$ begin perform public.climb('function'); return pg_catalog.quote_ident(a::text); end $$;

  create table public.parted (id uuid, at date not null, primary key (id, at)) partition by range (at);
  alter table public.parted enable row level security;
  create policy parted_policy on public.parted to authenticated using (public.climb('policy'));
  create table public.parted_1 partition of public.parted for values from ('2026-01-01') to ('2027-01-01');
  create view public.seen_traps as select id, public.climb('view') as climbed from public.traps;
  grant select on public.seen_traps to authenticated;
  alter database postgres set search_path = public, pg_catalog;
`

describe("the superuser runs none of a project's code:", () => {
  beforeAll(async () => {
    await run(CLIMB)
    await run(TRAPS)
    // Everything that runs a project's code: sign-up and sign-in, reading, writing, syncing, DDL and a restart.
    const client = await holdfast.supabase()
    expect((await client.auth.signUp(ACCOUNT)).error).toBeNull()
    {
      await using device = await openDevice(holdfast, ACCOUNT)
      await device.settle()
      const { data, error } = await (await holdfast.supabase(ACCOUNT)).from('traps').insert({ checked: 1 }).select()
      expect({ error, rows: data?.length }).toEqual({ error: null, rows: 1 })
      await run(`insert into public.parted values (gen_random_uuid(), '2026-02-01')`)
      await run(
        `create table public.parted_2 partition of public.parted for values from ('2027-01-01') to ('2028-01-01')`,
      )
      await run(
        `truncate public.parted_1; alter table public.traps add column more int default 1; drop table public.parted_2`,
      )
      await run(`insert into holdfast.teams (name) values ('Trapped')`)
      await device.settle()
    }
    await holdfast.stop()
    await holdfast.restart()
    await using again = await openDevice(holdfast, ACCOUNT)
    await again.settle()
    for (const path of ['coverage', 'status'])
      expect(
        (
          await fetch(`${holdfast.url}/sync/v1/${path}`, {
            headers: { apikey: holdfast.serviceRoleKey, authorization: `Bearer ${holdfast.serviceRoleKey}` },
          })
        ).status,
      ).toBe(200)
    await (await holdfast.supabase(ACCOUNT)).auth.signOut()
  })

  test("the project's role is still not a superuser", async () => {
    expect(await run(`select rolname from pg_roles where rolsuper operator(pg_catalog.=) true`)).toEqual([
      { rolname: 'supabase_admin' },
    ])
  })

  test('its code did run in every recorded place, under permitted roles', async () => {
    const seen = (await run(`select distinct place, who, session, as_superuser from public.seen`)) as {
      place: string
      who: string
      as_superuser: boolean
    }[]
    expect(seen.filter(({ as_superuser }) => as_superuser)).toEqual([])
    const asAccounts = seen.filter(({ who }) => who === 'supabase_auth_admin').map(({ place }) => place)
    expect(asAccounts).toEqual(expect.arrayContaining(['hook', 'trigger on auth.sessions', 'trigger on auth.users']))
    expect(seen.map(({ place }) => place)).toEqual(
      expect.arrayContaining([
        'check',
        'check of a domain',
        'default',
        'generated column',
        'hook',
        'index',
        'policy',
        'trigger',
        'trigger on auth.sessions',
        'trigger on auth.users',
        'trigger on holdfast.teams',
      ]),
    )
  })

  test('a foreign key on a custom type is checked without superuser privileges', async () => {
    const [ada] = (await run(`select id from auth.users where email operator(pg_catalog.=) '${ACCOUNT.email}'`)) as {
      id: string
    }[]
    await run(`insert into public.keys values (row('${ada?.id}'))`)
    const rows = await run(`select distinct who from public.seen where place operator(pg_catalog.=) 'cast'`)
    expect(rows).not.toContainEqual({ who: 'supabase_admin' })
    expect(rows.length).toBeGreaterThan(0)
  })
})
