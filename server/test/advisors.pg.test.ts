import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Advice } from '@holdfast/protocol'
import { sql } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { advise } from '../src/advisors/advise.ts'
import { jwtFacts } from '../src/advisors/jwt-facts.ts'

/* Each check finds its mistake, names the object, and its statement mends it. */

const MISTAKES = `
  create schema if not exists auth;
  create function auth.uid() returns uuid language sql stable as $$ select null::uuid $$;
  create table auth.users (id uuid primary key, email text);
  create schema app;
  grant usage on schema app to anon, authenticated;
  create table app.open (id int primary key);
  create table app.idle (id int primary key, note text);
  create policy p on app.idle using (true);
  create table app.teams (id uuid primary key);
  create table app.lonely (id uuid primary key);
  alter table app.lonely enable row level security;
  create table app.tasks (id uuid primary key, owner_id uuid, team_id uuid references app.teams, title text);
  insert into app.tasks select gen_random_uuid(), gen_random_uuid(), null, 't' from generate_series(1, 2000);
  alter table app.tasks enable row level security;
  create policy "own ""tasks""" on app.tasks for select using (owner_id = auth.uid());
  create policy shared on app.tasks for select to authenticated using (title = 'x');
  create policy anything on app.tasks for insert to authenticated with check (true);
  create index tasks_title on app.tasks (title);
  create index tasks_title_again on app.tasks (title);
  create table app.no_key (n int);
  create view app.people as select email from auth.users;
  create materialized view app.totals as select count(*) from app.tasks;
  create function app.definer(a int) returns int language sql security definer as 'select a';
  create function app.safe() returns int language sql security definer set search_path = '' as 'select 1';
  revoke execute on function app.safe() from public;
  grant select, insert on all tables in schema app to anon, authenticated;
  analyze app.tasks;
`

let db: TestDatabase
let advice: readonly Advice[]

const look = (): Promise<readonly Advice[]> =>
  advise(db.pool, {
    exposedSchemas: ['app'],
    refused: [
      { table: 'app.no_key', reason: 'it has no key' },
      { table: 'holdfast.settings', reason: 'row-level security is off' },
    ],
    jwt: jwtFacts(Buffer.from('super-secret-jwt-token-with-at-least-32-characters-long'), 3_600),
  })

beforeAll(async () => {
  db = await openTestDatabase({ migrations: [] })
  await db.pool.execute(sql.trusted(MISTAKES))
  advice = await look()
})
afterAll(() => db[Symbol.asyncDispose]())

function objectsOf(name: string, all = advice): readonly string[] {
  return all.filter((one) => one.name === name && one.object !== 'this check').map(({ object }) => object)
}

test.each([
  ['rls_disabled_in_public', ['app.idle', 'app.no_key', 'app.open', 'app.teams']],
  ['policy_exists_rls_disabled', ['app.idle']],
  ['rls_enabled_no_policy', ['app.lonely']],
  ['auth_users_exposed', ['app.people']],
  ['security_definer_view', ['app.people']],
  ['materialized_view_in_api', ['app.totals']],
  ['auth_rls_initplan', ['policy "own "tasks"" on app.tasks']],
  ['rls_policy_always_true', ['policy "anything" on app.tasks']],
  ['multiple_permissive_policies', ['app.tasks, select as authenticated']],
  ['unindexed_policy_columns', ['app.tasks.owner_id']],
  ['function_search_path_mutable', ['app.definer(a integer)']],
  ['anon_security_definer_function_executable', ['app.definer(a integer)']],
  ['unindexed_foreign_keys', ['app.tasks.tasks_team_id_fkey']],
  ['unused_index', []],
  ['duplicate_index', ['app.tasks_title_again']],
  ['no_primary_key', ['app.no_key']],
  ['table_does_not_sync', ['app.no_key']],
  ['weak_jwt_secret', ['jwtSecret']],
])('%s names %j', (name, objects) => expect(objectsOf(name)).toEqual(objects))

test('no check fails, and the most urgent advice comes first', () => {
  expect(advice.filter(({ object }) => object === 'this check')).toEqual([])
  const levels = advice.map(({ level }) => ['error', 'warning', 'info'].indexOf(level))
  expect(levels).toEqual(levels.toSorted())
})

describe('the statements', () => {
  test.each([
    'rls_disabled_in_public',
    'policy_exists_rls_disabled',
    'auth_users_exposed',
    'security_definer_view',
    'materialized_view_in_api',
    'auth_rls_initplan',
    'unindexed_policy_columns',
    'function_search_path_mutable',
    'anon_security_definer_function_executable',
    'unindexed_foreign_keys',
    'duplicate_index',
    'no_primary_key',
  ])('of %s mend what it found', async (name) => {
    for (const { sql: statement = '' } of (await look()).filter((one) => one.name === name))
      await db.pool.execute(sql.trusted(statement))
    expect(objectsOf(name, await look())).toEqual([])
  })
})
