import { sql } from '@holdfast/postgres'
import { expect, test } from 'vitest'
import { ALICE, openWorld } from './sync-world.ts'

/*
 * Settings that a project gives its database are for its own sessions. Whatever they say, changes reach devices as Postgres shows them, also when the connections of
 * the server are new.
 */

const SCHEMA = `
  create type public.state as enum ('open', 'done');
  create table public.notes (id uuid primary key default gen_random_uuid(), owner_id uuid, body text, at timestamptz, day date, span interval, n float8, raw bytea, state public.state);
  alter table public.notes enable row level security;
  create policy own on public.notes for select using (owner_id = (select auth.uid()) and at > '2020-01-02' and n <> 0.3);
  insert into public.notes (owner_id, body, at, day, span, n, raw, state) values
    ('${ALICE}', 'first', '2026-01-02 03:04:05.678+00', '2026-02-03', '1 year 2 days 03:04:05', 0.1, '\\xdead', 'open');
`

const SETTINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'limits of time': {
    statement_timeout: '1ms',
    lock_timeout: '1ms',
    idle_in_transaction_session_timeout: '1ms',
    idle_session_timeout: '1ms',
  },
  'kinds of transactions': {
    default_transaction_read_only: 'on',
    default_transaction_isolation: 'serializable',
    default_transaction_deferrable: 'on',
  },
  'how values are read and printed': {
    search_path: 'nowhere',
    datestyle: 'German, DMY',
    intervalstyle: 'sql_standard',
    timezone: 'Asia/Kolkata',
    bytea_output: 'escape',
    extra_float_digits: '-5',
    quote_all_identifiers: 'on',
    transform_null_equals: 'on',
    standard_conforming_strings: 'off',
    array_nulls: 'off',
    check_function_bodies: 'off',
    client_min_messages: 'error',
    xmlbinary: 'hex',
  },
}

/** Not delayed by the settings under test. */
const AS_USUAL = `begin read write; set local statement_timeout = 0; set local lock_timeout = 0; set local search_path = public;
  set local idle_in_transaction_session_timeout = 0; set local datestyle = 'ISO'; set local standard_conforming_strings = on;`

test.each(Object.entries(SETTINGS))('%s, set for the database, change nothing for sync', async (_, settings) => {
  await using world = await openWorld({ schema: SCHEMA })
  const first = world.device(ALICE)
  first.connect()
  await first.until(() => first.ids('notes').length === 1)
  first.disconnect()
  for (const [name, value] of Object.entries(settings))
    await world.db.pool.execute(
      sql`alter database ${sql.identifier(world.db.name)} set ${sql.identifier(name)} = ${sql.trusted(`'${value}'`)}`,
    )
  await world.db.pool.execute(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name not like 'test%'`)
  await world.restart()
  const device = world.device(ALICE)
  device.connect()
  await world.run(`${AS_USUAL} insert into public.notes (owner_id, body, at, n) values ('${ALICE}', 'later', '2026-05-06', 0.1);
    create table public.more (id uuid primary key default gen_random_uuid(), owner_id uuid); alter table public.more enable row level security;
    create policy own on public.more for select using (owner_id = (select auth.uid())); insert into public.more (owner_id) values ('${ALICE}'); commit`)
  await device.until(() => device.ids('notes').length === 2 && device.ids('more').length === 1)
  const [before, now] = [first.completed.at(-1)?.state, device.completed.at(-1)?.state]
  for (const [key, row] of before ?? []) expect(now?.get(key)).toBe(row)
  expect(world.service.status().problem).toBeUndefined()
})
