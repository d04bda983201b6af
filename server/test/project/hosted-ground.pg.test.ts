import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { realtimeMigrations } from '@holdfast/realtime'
import { storageMigrations } from '@holdfast/storage'
import { serveQueues } from '../../src/project/serve-queues.ts'
import { type OpenProject, openProject } from './open-project.ts'

// What migrations of hosted projects stand on, applied as a start applies them, by the role that projects act as.

let opened: OpenProject

beforeAll(async () => {
  opened = await openProject([authMigrations, storageMigrations, realtimeMigrations])
})
afterAll(() => opened[Symbol.asyncDispose]())

const migrate: OpenProject['migrate'] = (content) => opened.migrate(content)
const rows: OpenProject['rows'] = (text) => opened.rows(text)

test('what the dump of a hosted project begins with is there', async () => {
  await migrate(`
    create extension if not exists "pg_graphql" with schema "graphql";
    create extension if not exists "pg_stat_statements" with schema "extensions";
    create extension if not exists "pgcrypto" with schema "extensions";
    create extension if not exists "pgjwt" with schema "extensions";
    create extension if not exists "pgsodium" with schema "pgsodium";
    create extension if not exists "hypopg" with schema "extensions";
    create extension if not exists "index_advisor" with schema "extensions" version '0.2.0';
    create extension if not exists "plpgsql_check" with schema "extensions";
    create extension if not exists "pg_tle";
    create extension if not exists "supabase_vault" with schema "vault";
    create extension if not exists "uuid-ossp" with schema "extensions";
    create schema if not exists graphql_public;
    create table public.items (id uuid primary key default extensions.uuid_generate_v4());
    alter table public.items owner to postgres;
    grant all on table public.items to anon, authenticated, service_role, dashboard_user, supabase_auth_admin;`)
  expect(await rows(`select has_table_privilege('dashboard_user', 'public.items', 'insert') as may`)).toEqual([
    { may: true },
  ])
})

test('sessions of the project find extensions by their bare names', async () => {
  expect(await rows(`show search_path`)).toEqual([{ search_path: '"$user", public, extensions' }])
  expect(await rows(`select length(uuid_generate_v4()::text) as length`)).toEqual([{ length: 36 }])
})

test('moddatetime, which Postgres itself leaves to superusers, keeps the time of the last change', async () => {
  await migrate(`
    create extension moddatetime schema extensions;
    create table public.timed (id int primary key, name text, updated_at timestamptz not null default '2001-01-01');
    create trigger touched before update on public.timed for each row execute procedure extensions.moddatetime (updated_at);
    insert into public.timed (id) values (1);
    update public.timed set name = 'changed';`)
  expect(await rows(`select updated_at > '2002-01-01' as touched from public.timed`)).toEqual([{ touched: true }])
})

test('extensions that reach other servers stay refused', async () => {
  await expect(migrate(`create extension postgres_fdw;`)).rejects.toThrow(/permission denied/)
})

test('a missing extension is named together with the ways to have it', async () => {
  await expect(migrate(`create extension if not exists vector with schema extensions;`)).rejects.toMatchObject({
    message: expect.stringContaining('extension "vector" is not available') as string,
    hint: expect.stringMatching(/--postgres-bin.*DATABASE_URL/) as string,
  })
})

test('nothing is made in the schemas of services, and the error says where instead', async () => {
  await expect(migrate(`create function auth.own() returns int language sql return 1;`)).rejects.toMatchObject({
    message: expect.stringContaining('permission denied for schema auth') as string,
    hint: expect.stringContaining('a schema of the project') as string,
  })
})

test.each(
  ['auth', 'realtime', 'storage'].flatMap((schema) =>
    ['tables', 'sequences', 'routines'].map((kind) => `grant all on all ${kind} in schema ${schema}`),
  ),
)('%s to roles of the project, which dumps have, fails on nothing', async (grant) => {
  await migrate(`${grant} to postgres, anon, authenticated, service_role, dashboard_user;`)
})

test('no superuser runs what the project can put on tables of its own, or have foreign keys call', async () => {
  const functions = await rows(`
    select p.oid::regprocedure::text as name from pg_proc p join pg_roles o on o.oid = p.proowner
     where p.prorettype = 'trigger'::regtype and p.prosecdef and o.rolsuper and has_function_privilege('postgres', p.oid, 'execute')
       and p.pronamespace in ('auth'::regnamespace, 'realtime'::regnamespace, 'storage'::regnamespace)`)
  expect(functions).toEqual([])
  await migrate(`
    create type public.odd as enum ('a');
    create table public.ran_as (name text);
    create function public.to_uuid(public.odd) returns uuid language plpgsql security invoker as $$
      begin
        if (select rolsuper from pg_roles where rolname = current_user) then raise 'ran as a superuser'; end if;
        return '00000000-0000-4000-8000-000000000001'::uuid;
      end $$;
    create cast (public.odd as uuid) with function public.to_uuid(public.odd) as implicit;
    insert into vault.secrets (id, secret) values ('00000000-0000-4000-8000-000000000001', 'of the project');
    create table public.uses (id int primary key, secret_id uuid references vault.secrets (id) on delete cascade);
    create table public.odd_uses (secret_id public.odd references vault.secrets (id));
    grant references on vault.secrets to service_role;
    grant select, references, delete on table vault.secrets to postgres;
    insert into public.uses values (1, '00000000-0000-4000-8000-000000000001');`)
  await rows(`insert into public.odd_uses values ('a')`).catch((error: unknown) =>
    expect(String(error)).not.toContain('ran as a superuser'),
  )
  expect(await rows(`select decrypted_secret as secret from vault.decrypted_secrets`)).toEqual([
    { secret: 'of the project' },
  ])
  await migrate(`drop table public.odd_uses; delete from vault.secrets;`)
  expect(await rows(`select from public.uses`)).toEqual([])
})

test.each([
  ['hypopg', `select * from extensions.hypopg_create_index('create index on public.items (id)')`],
  ['index_advisor', `select * from extensions.index_advisor('select 1')`],
  ['pg_tle', `select pgtle.install_extension('mine', '1.0', '', 'select 1')`],
  ['plpgsql_check', `select extensions.plpgsql_check_function('pg_catalog.now()')`],
])('%s, which dumps make, says on use that it is not here', async (_, text) => {
  await expect(rows(text)).rejects.toMatchObject({
    code: '0A000',
    hint: expect.stringContaining('--postgres-bin') as string,
  })
})

describe('pgjwt', () => {
  const token = (header: object, payload: object, secret: string): string => {
    const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
    const signables = `${encode(header)}.${encode(payload)}`
    return `${signables}.${createHmac('sha256', secret).update(signables).digest('base64url')}`
  }

  test('signs as any other library does', async () => {
    const expected = token({ alg: 'HS256', typ: 'JWT' }, { sub: 'ada', iat: 1 }, 'secret')
    expect(await rows(`select sign('{"sub":"ada","iat":1}', 'secret') as token`)).toEqual([{ token: expected }])
  })

  test.each([
    ['a good token', {}, 'secret', true],
    ['one that was signed with another secret', {}, 'other', false],
    ['one that has expired', { exp: 1_000_000 }, 'secret', false],
    ['one that is not yet valid', { nbf: 9_000_000_000 }, 'secret', false],
    ['one within its time', { nbf: 1_000_000, exp: 9_000_000_000 }, 'secret', true],
  ])('verifies %s', async (_, claims, secret, valid) => {
    const text = token({ alg: 'HS256', typ: 'JWT' }, { sub: 'ada', ...claims }, secret)
    expect(await rows(`select payload ->> 'sub' as sub, valid from verify('${text}', 'secret')`)).toEqual([
      { sub: 'ada', valid },
    ])
  })
})

describe('vault', () => {
  test('gives a secret back, and stores it encrypted', async () => {
    await migrate(`select vault.create_secret('s3kre3t of the project', 'api_key', 'what it is for');`)
    expect(
      await rows(`select name, description, decrypted_secret, position('s3kre3t' in secret) as plain,
                         position('s3kre3t'::bytea in decode(secret, 'base64')) as decoded from vault.decrypted_secrets`),
    ).toEqual([
      {
        name: 'api_key',
        description: 'what it is for',
        decrypted_secret: 's3kre3t of the project',
        plain: 0,
        decoded: 0,
      },
    ])
  })

  test('encrypts what is written into the table, and changes what is updated', async () => {
    await migrate(`
      insert into vault.secrets (name, secret) values ('second', 'first value');
      select vault.update_secret(id, 'second value') from vault.secrets where name = 'second';
      update vault.secrets set description = 'kept' where name = 'second';`)
    expect(
      await rows(`select decrypted_secret, description from vault.decrypted_secrets where name = 'second'`),
    ).toEqual([{ decrypted_secret: 'second value', description: 'kept' }])
  })

  test('lets nobody put one secret in the place of another', async () => {
    const [one] = await rows(`select secret from vault.secrets where name = 'api_key'`)
    await opened.database.pool.withClient(async (client) => {
      await client.query('alter table vault.secrets disable trigger all')
      await client.query(`update vault.secrets set secret = $1 where name = 'second'`, [one?.['secret']])
      await client.query('alter table vault.secrets enable trigger all')
    })
    await expect(rows(`select decrypted_secret from vault.decrypted_secrets where name = 'second'`)).rejects.toThrow(
      'was stored for another row',
    )
    await rows(`delete from vault.secrets where name = 'second'`)
  })

  test('is for the project and the service role, not for people', async () => {
    const as = (role: string): Promise<unknown> =>
      opened.project.withClient(async (client) => {
        await client.query(`begin; set local role ${role}`)
        try {
          return (await client.query(`select decrypted_secret from vault.decrypted_secrets`)).rows
        } finally {
          await client.query('rollback')
        }
      })
    expect(await as('service_role')).toEqual([{ decrypted_secret: 's3kre3t of the project' }])
    for (const role of ['anon', 'authenticated']) await expect(as(role)).rejects.toThrow('permission denied')
    for (const name of ['holdfast_key()', 'holdfast_decrypt(bytea, text)'])
      expect(await rows(`select has_function_privilege('vault.${name}', 'execute') as may`)).toEqual([{ may: false }])
  })
})

describe('http', () => {
  test('can be made, also with the version that tools write, and functions of a project be written with it', async () => {
    await migrate(`
      create extension if not exists "http" with schema "extensions" version '1.6';
      create function public.ask(address text) returns int language plpgsql as $$
      declare answer extensions.http_response;
      begin
        select * into answer from extensions.http((
          'POST', address, array[extensions.http_header('Authorization', 'Bearer x')], 'application/json', '{}')::extensions.http_request);
        return answer.status;
      end $$;
      create function public.fetch(address text) returns text language sql as
        $$ select content from extensions.http_get(address::varchar) $$;`)
  })

  test.each([
    ['http', `select public.ask('http://127.0.0.1:1')`],
    ['http_get', `select public.fetch('http://127.0.0.1:1')`],
    ['http_get with data', `select status from http_get('http://127.0.0.1:1', '{"a": 1}'::jsonb)`],
    ['http_post', `select status from http_post('http://127.0.0.1:1', '{}', 'application/json')`],
    ['http_post with data', `select status from http_post('http://127.0.0.1:1', '{"a": 1}'::jsonb)`],
    ['http_put', `select status from http_put('http://127.0.0.1:1', '{}', 'application/json')`],
    ['http_patch', `select status from http_patch('http://127.0.0.1:1', '{}', 'application/json')`],
    ['http_delete', `select status from http_delete('http://127.0.0.1:1')`],
    ['http_head', `select status from http_head('http://127.0.0.1:1')`],
    ['http_set_curlopt', `select http_set_curlopt('CURLOPT_TIMEOUT', '1')`],
  ])('%s is refused with what to use instead', async (_, text) => {
    await expect(rows(text)).rejects.toMatchObject({
      code: '0A000',
      message: expect.stringContaining('The extension http sends no requests here') as string,
      hint: expect.stringMatching(/net\.http_post.*--postgres-bin/) as string,
    })
  })

  test('encodes for addresses', async () => {
    expect(
      await rows(`select urlencode('my special string''s & things?') as text, urlencode('{"name": "Zoë & Jo", "rate": "50%"}'::jsonb) as data,
                         (http_header('a', 'b')).value as header, (select count(*)::int from http_list_curlopt()) as options`),
    ).toEqual([
      {
        text: 'my+special+string%27s+%26+things%3F',
        data: 'name=Zo%C3%AB+%26+Jo&rate=50%25',
        header: 'b',
        options: 0,
      },
    ])
  })
})

describe('pgmq_public', () => {
  const as = (role: string, text: string): Promise<readonly unknown[]> =>
    opened.project.withClient(async (client) => {
      await client.query(`begin; set local role ${role}`)
      try {
        const { rows: found } = await client.query<Record<string, unknown>>(text)
        await client.query('commit')
        return found
      } catch (error) {
        await client.query('rollback')
        throw error
      }
    })

  test('is made where the project exposes it and has pgmq, once', async () => {
    expect(await serveQueues(opened.project, ['public', 'pgmq_public'])).toBe(false)
    await migrate(`create extension pgmq; select pgmq.create('jobs');`)
    expect(await serveQueues(opened.project, ['public'])).toBe(false)
    expect(await serveQueues(opened.project, ['public', 'pgmq_public'])).toBe(true)
    expect(await serveQueues(opened.project, ['public', 'pgmq_public'])).toBe(false)
  })

  test('serves the service role, also with queues that are made later', async () => {
    await migrate(`select pgmq.create('later');`)
    const [sent] = await as(
      'service_role',
      `select pgmq_public.send(queue_name => 'later', message => '{"n": 1}') as id`,
    )
    expect(sent).toEqual({ id: '1' })
    await as('service_role', `select pgmq_public.send_batch('later', array['2', '3']::jsonb[], sleep_seconds => 0)`)
    expect(
      await as('service_role', `select message from pgmq_public.read('later', sleep_seconds => 30, n => 1)`),
    ).toEqual([{ message: { n: 1 } }])
    expect(
      await as('service_role', `select pgmq_public.archive('later', 1) as a, pgmq_public.delete('later', 2) as d`),
    ).toEqual([{ a: true, d: true }])
    expect(await as('service_role', `select message from pgmq_public.pop('later')`)).toEqual([{ message: 3 }])
  })

  test('leaves it to the grants and policies of a queue what people may', async () => {
    const read = `select message from pgmq_public.read('jobs', 0, 5)`
    await as('service_role', `select pgmq_public.send_batch('jobs', array['{"to": "all"}', '{"to": "one"}']::jsonb[])`)
    await expect(as('authenticated', read)).rejects.toThrow('permission denied for table q_jobs')
    await migrate(`
      alter table pgmq.q_jobs enable row level security;
      grant select, update on pgmq.q_jobs to authenticated;
      create policy open on pgmq.q_jobs to authenticated using (message ->> 'to' = 'all');`)
    expect(await as('authenticated', read)).toEqual([{ message: { to: 'all' } }])
    await expect(as('anon', read)).rejects.toThrow('permission denied for table q_jobs')
  })
})

describe('a publication for all tables', () => {
  const published = (): Promise<readonly Record<string, unknown>[]> =>
    rows(
      `select tablename from pg_publication_tables where pubname = 'powersync' and tablename like 'all\\_%' order by 1`,
    )

  test('has the tables that there are, and an error behind it keeps its line', async () => {
    await migrate(`create table public.all_one (id int primary key);
      -- create publication powersync for all tables;
      create publication powersync
        for all tables;
      select 1;`)
    expect(await published()).toEqual([{ tablename: 'all_one' }])
    await expect(migrate(`create publication other\n for all\n tables;\nselect nothing;`)).rejects.toThrow('line 4')
  })

  test('gets those of later migrations, and is dropped by the project', async () => {
    await migrate(`create table public.all_two (id int primary key);`)
    expect(await published()).toEqual([{ tablename: 'all_one' }, { tablename: 'all_two' }])
    await migrate(`drop publication powersync;`)
    expect(await published()).toEqual([])
  })

  test('may stand in a block', async () => {
    await migrate(`do $$ begin
      if not exists (select from pg_publication where pubname = 'powersync') then
        CREATE PUBLICATION powersync FOR ALL TABLES;
      end if;
    end $$;`)
    expect(await published()).toEqual([{ tablename: 'all_one' }, { tablename: 'all_two' }])
  })
})
