import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLogger, type Logger } from '@holdfast/foundation'
import { createPool, type Pool } from '../../src/connection/pool.ts'
import { sql } from '../../src/sql/sql.ts'
import { findBinaries } from '../../src/cluster/binaries.ts'
import { choosePort } from '../../src/cluster/choose-port.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { openEmbeddedCluster } from '../../src/cluster/embedded-cluster.ts'
import { resolveIdentity } from '../../src/cluster/identity.ts'
import { initDatabase } from '../../src/cluster/init-database.ts'
import { startPostmaster } from '../../src/cluster/postmaster.ts'
import { fixedSettings, tunedSettings } from '../../src/cluster/settings.ts'

/* In release 0.1.0 `postgres`, the project's role, was the superuser. Opening such a folder creates a separate superuser; the project keeps its own objects. */

const PASSWORD = 'told-to-the-project'
const QUICK = { fsync: 'off', max_wal_senders: '2', max_replication_slots: '2' }

/** Release 0.1.0's own objects with names and owners, as its migrations left them. */
const RELEASE = `
  create role supabase_admin nologin noinherit;
  create role anon nologin;
  create role authenticated nologin;
  create role authenticator login noinherit;
  create schema auth authorization supabase_admin;
  create schema sync authorization supabase_admin;
  create schema holdfast authorization supabase_admin;
  create table auth.users (id uuid primary key);
  create table sync.ops (id int);
  create function auth.uid() returns uuid language sql stable as 'select null::uuid';
  create function holdfast.on_catalog_change() returns event_trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as
    $$ begin null; end $$;
  create event trigger holdfast_ddl on ddl_command_end execute function holdfast.on_catalog_change();
  create function sync.key_0123456789abcdef() returns boolean language sql security definer as 'select true';
  create publication holdfast;
  alter default privileges in schema public grant all on tables to anon;
`

const PROJECT = `
  create role app_owner nologin;
  create role reporter login password 'reports' noinherit;
  grant postgres to reporter;
  alter role postgres set search_path = public, "Odd, schema";
  alter role postgres set statement_timeout = '7s';
  alter default privileges revoke execute on routines from public;
  alter default privileges in schema public grant select on tables to authenticated with grant option;
  create schema "Odd, schema";
  create extension hstore;
  create type public.mood as enum ('good', 'bad');
  create type public.pair as (a int, b int);
  create domain public.short as text check (length(value) < 9);
  create type public.span as range (subtype = float8);
  create table public.owners (id int primary key, mood public.mood, serial_no bigserial, ident int generated always as identity);
  alter table public.owners enable row level security;
  create policy everybody on public.owners using (true);
  grant select on public.owners to anon;
  create table public.parts (id int, at date) partition by range (at);
  create table public.parts_1 partition of public.parts for values from ('2026-01-01') to ('2027-01-01');
  create table "Odd, schema"."Table ""x""" (id int);
  create table public.of_another (id int);
  alter table public.of_another owner to app_owner;
  create view public.seen as select id from public.owners;
  create materialized view public.kept as select 1 as one;
  create sequence public.counter;
  create function public.definer(a int, b text default 'x') returns text language sql security definer as 'select current_user::text';
  create procedure public.proc() language sql as 'select 1';
  create aggregate public.total (int) (sfunc = int4pl, stype = int, initcond = '0');
  create function public.eq(int, text) returns boolean language sql as 'select true';
  create operator public.=== (leftarg = int, rightarg = text, function = public.eq);
  create operator family public.fam using btree;
  create operator class public.ops for type public.span using btree family public.fam as function 1 range_cmp(anyrange, anyrange);
  create collation public.german from "C";
  create text search dictionary public.words (template = simple);
  create text search configuration public.config (copy = simple);
  create statistics public.stats on id, mood from public.owners;
  create publication mine for table public.owners;
  create publication everything for all tables;
  create view auth.people as select id from auth.users;
  create function auth.person() returns text language sql security definer as 'select current_user::text';
  create function public.note_ddl() returns event_trigger language plpgsql as $$ begin null; end $$;
  create event trigger notes on ddl_command_end execute function public.note_ddl();
  select lo_create(4711);
  insert into public.owners (id, mood) values (1, 'good');
`

let folder: string
let cluster: Cluster
const said: string[] = []
const logger: Logger = { log: (level, message) => void (level === 'warn' && said.push(message)) }

/** Opens the folder. @returns pools of the project's role and of the superuser */
async function open(log: Logger = silentLogger): Promise<void> {
  cluster = await openEmbeddedCluster({ dataDir: folder, port: 0, logger: log, durable: false, settings: QUICK })
}
const poolOf = (url: string, database = 'postgres'): Pool => {
  const address = new URL(url)
  address.pathname = `/${database}`
  return createPool({ url: address.href, applicationName: 'test', connectionsMax: 1 })
}

async function writeOldFolder(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-separate-'))
  chmodSync(folder, 0o711)
  const databaseDir = join(folder, 'postgres')
  const binaries = findBinaries()
  const identity = resolveIdentity(binaries, databaseDir)
  writeFileSync(join(folder, 'postgres.conf'), tunedSettings(QUICK), { mode: 0o644 })
  await initDatabase({
    binaries,
    identity,
    databaseDir,
    includeFile: '../postgres.conf',
    superuser: 'postgres',
    superuserPassword: PASSWORD,
    durable: false,
  })
  writeFileSync(
    join(folder, 'secrets.json'),
    JSON.stringify({ superuserPassword: PASSWORD, authenticatorPassword: 'a' }),
    {
      mode: 0o600,
    },
  )
  const port = await choosePort(0)
  const internalUrl = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`
  const postmaster = await startPostmaster({
    binaries,
    identity,
    databaseDir,
    settings: fixedSettings(port, 'holdfast-separate'),
    internalUrl,
    port,
    logger: silentLogger,
  })
  try {
    await using pool = poolOf(internalUrl)
    await pool.withClient((client) => client.query(RELEASE + PROJECT))
    await pool.execute(sql`create database "Other one"`)
    await using other = poolOf(internalUrl, 'Other one')
    await other.withClient((client) =>
      client.query(
        'create schema sub; create table sub.things (id int); create schema auth authorization supabase_admin',
      ),
    )
  } finally {
    await postmaster.stop()
  }
}

beforeAll(async () => {
  await writeOldFolder()
  await open(logger)
})
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const asSuperuser = async <T extends object>(text: string, database?: string): Promise<T[]> => {
  await using pool = poolOf(cluster.internalUrl, database)
  return await pool.query<T>(sql.trusted(text))
}
const asProject = async <T extends object>(text: string): Promise<T[]> => {
  await using pool = poolOf(cluster.adminUrl)
  return await pool.query<T>(sql.trusted(text))
}

/** Objects still owned by the superuser beyond initdb's, by kind and name. */
const OWNED_BY_SUPERUSER = `
  select i.type || ' ' || i.identity as one
    from (select 'pg_class'::regclass as class, oid from pg_class where relowner = 10 and relkind in ('r', 'p', 'v', 'm', 'S')
          union all select 'pg_proc'::regclass, oid from pg_proc where proowner = 10
          union all select 'pg_type'::regclass, oid from pg_type t where typowner = 10 and (typtype in ('e', 'd', 'r', 'm'))
          union all select 'pg_namespace'::regclass, oid from pg_namespace where nspowner = 10
          union all select 'pg_operator'::regclass, oid from pg_operator where oprowner = 10
          union all select 'pg_opclass'::regclass, oid from pg_opclass where opcowner = 10
          union all select 'pg_opfamily'::regclass, oid from pg_opfamily where opfowner = 10
          union all select 'pg_collation'::regclass, oid from pg_collation where collowner = 10
          union all select 'pg_ts_dict'::regclass, oid from pg_ts_dict where dictowner = 10
          union all select 'pg_ts_config'::regclass, oid from pg_ts_config where cfgowner = 10
          union all select 'pg_statistic_ext'::regclass, oid from pg_statistic_ext where stxowner = 10
          union all select 'pg_publication'::regclass, oid from pg_publication where pubowner = 10
          union all select 'pg_event_trigger'::regclass, oid from pg_event_trigger where evtowner = 10) o,
         lateral pg_identify_object(o.class, o.oid, 0) i
   where o.oid >= 16384
     and not exists (select from pg_depend d where d.classid = o.class and d.objid = o.oid and d.deptype = 'e')
   order by 1`

describe('a folder of release 0.1.0', () => {
  test('has a superuser of its own, and a role for the project that is none', async () => {
    expect(
      await asSuperuser(
        `select current_user::text as name, rolsuper as super from pg_roles where rolname = current_user`,
      ),
    ).toEqual([{ name: 'supabase_admin', super: true }])
    expect(
      await asProject(`select rolname as name, rolsuper as super, rolcreaterole as roles, rolcreatedb as dbs, rolbypassrls as rls, rolreplication as repl
                         from pg_roles where rolname = current_user`),
    ).toEqual([{ name: 'postgres', super: false, roles: true, dbs: true, rls: true, repl: true }])
    expect(await asSuperuser(`select rolname as name from pg_roles where rolsuper`)).toEqual([
      { name: 'supabase_admin' },
    ])
    expect(await asSuperuser(`select rolname from pg_roles where rolname ~ '^holdfast_'`)).toEqual([])
  })

  test('keeps the address that people were told, and gives the superuser a password that they were not', () => {
    expect(new URL(cluster.adminUrl)).toMatchObject({ username: 'postgres', password: PASSWORD })
    expect(new URL(cluster.internalUrl).password).not.toBe(PASSWORD)
    expect(JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'))).toEqual({
      superuserPassword: new URL(cluster.internalUrl).password,
      projectPassword: PASSWORD,
      authenticatorPassword: 'a',
    })
  })

  test('leaves the superuser Holdfast’s own objects, and nothing of the project that it would run', async () => {
    expect((await asSuperuser<{ one: string }>(OWNED_BY_SUPERUSER)).map(({ one }) => one)).toEqual([
      'event trigger holdfast_ddl',
      'event trigger notes',
      'function auth.uid()',
      'function holdfast.on_catalog_change()',
      'publication everything',
      'schema auth',
      'schema holdfast',
      'schema sync',
      'table auth.users',
      'table sync.ops',
    ])
    expect(await asSuperuser(`select evtname as name, evtenabled as enabled from pg_event_trigger order by 1`)).toEqual(
      [
        { name: 'holdfast_ddl', enabled: 'O' },
        { name: 'notes', enabled: 'D' },
      ],
    )
    expect((await asSuperuser<{ one: string }>(OWNED_BY_SUPERUSER, 'Other one')).map(({ one }) => one)).toEqual([
      'schema auth',
    ])
    expect(said).toEqual([
      expect.stringContaining('publication everything covers all tables'),
      expect.stringContaining('event trigger notes is disabled'),
    ])
  })

  test('the project goes on with what it has made', async () => {
    await using pool = poolOf(cluster.adminUrl)
    await pool.withClient(async (client) => {
      await client.query(`
        alter table public.owners add column more int default 3;
        alter type public.mood add value 'fair';
        drop policy everybody on public.owners;
        create policy again on public.owners using (true);
        alter publication mine set (publish = 'insert');
        alter database postgres set work_mem = '5MB';
        alter schema "Odd, schema" rename to odd;
        drop table odd."Table ""x""";
        refresh materialized view public.kept;
        drop operator public.=== (int, text);
        drop extension hstore;
        select lo_unlink(4711);
        create table public.made_later (id int);`)
      expect((await client.query('select public.definer(1) as as_whom')).rows).toEqual([{ as_whom: 'postgres' }])
      expect((await client.query('select auth.person() as as_whom')).rows).toEqual([{ as_whom: 'postgres' }])
      expect((await client.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '7s' }])
      expect((await client.query('show search_path')).rows).toEqual([{ search_path: 'public, "Odd, schema"' }])
      await client.query('set role app_owner')
      await client.query('alter table public.of_another add column more int')
      await client.query('reset role')
      const { rows } = await client.query(
        `select has_table_privilege('anon', 'public.made_later', 'insert') as anon,
                has_table_privilege('authenticated', 'public.made_later', 'select with grant option') as authenticated,
                has_table_privilege('anon', 'public.owners', 'select') as before`,
      )
      expect(rows).toEqual([{ anon: true, authenticated: true, before: true }])
      await client.query(`create function public.later() returns int language sql as 'select 1'`)
      expect(
        (await client.query(`select has_function_privilege('anon', 'public.later()', 'execute') as may`)).rows,
      ).toEqual([{ may: false }])
    })
  })

  test('who was a member of the superuser is one of the project’s role', async () => {
    const url = new URL(cluster.adminUrl)
    url.username = 'reporter'
    url.password = 'reports'
    await using pool = poolOf(url.href)
    await expect(pool.execute(sql`set role supabase_admin`)).rejects.toMatchObject({ code: '42501' })
    await pool.execute(sql`set role postgres`)
  })

  test.each(['nothing was done', 'the roles were separated', 'all was done'])(
    'goes on where it was interrupted: %s',
    async (when) => {
      if (when === 'nothing was done') {
        await cluster[Symbol.asyncDispose]()
        rmSync(folder, { recursive: true, force: true })
        await writeOldFolder()
      } else if (when === 'the roles were separated') {
        // State after a kill between two databases.
        await asSuperuser(`create role holdfast_former_admin nologin noinherit`)
        await asSuperuser(`alter table sub.things owner to supabase_admin`, 'Other one')
        await asSuperuser(`alter schema auth owner to holdfast_former_admin`, 'Other one')
        await asSuperuser(`alter table public.owners owner to supabase_admin`)
      }
      const secretsFile = join(folder, 'secrets.json')
      if (when !== 'nothing was done') {
        await cluster[Symbol.asyncDispose]()
        const secrets = JSON.parse(readFileSync(secretsFile, 'utf8')) as object
        writeFileSync(secretsFile, JSON.stringify({ ...secrets, separation: 'pending' }))
      } else {
        writeFileSync(
          secretsFile,
          JSON.stringify({
            superuserPassword: 'new',
            projectPassword: PASSWORD,
            authenticatorPassword: 'a',
            separation: 'pending',
          }),
        )
      }
      await open()
      expect(
        await asSuperuser(`select tableowner from pg_tables where tablename in ('owners', 'made_later')`),
      ).not.toContainEqual({
        tableowner: 'supabase_admin',
      })
      expect((await asSuperuser<{ one: string }>(OWNED_BY_SUPERUSER, 'Other one')).map(({ one }) => one)).toEqual([
        'schema auth',
      ])
      expect(await asSuperuser(`select rolname from pg_roles where rolname = 'holdfast_former_admin'`)).toEqual([])
      expect(await asProject(`select rolsuper from pg_roles where rolname = current_user`)).toEqual([
        { rolsuper: false },
      ])
      expect(JSON.parse(readFileSync(secretsFile, 'utf8'))).not.toHaveProperty('separation')
    },
  )
})
