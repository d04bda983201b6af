import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { silentLogger } from '@holdfast/foundation'
import { applyMigrations, createPool, sql, type Pool } from '@holdfast/postgres'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// A database in which shares, comments, history, views and fields were made before they were bound to one record and one workspace.

const directory = new URL('../migrations/', import.meta.url)
const id = (n: number): string => `aaaaaaaa-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`
const [WATER, GAS, OLGA, GUS, MARK, GINA, BOTH, GONE] = [1, 2, 3, 4, 5, 6, 7, 8].map(id) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
]
const [PIT, LOCKED, NOTE, NO_RECORD] = [21, 22, 23, 24].map(id) as [string, string, string, string]

let database: TestDatabase
let old = ''

beforeAll(async () => {
  old = await mkdtemp(join(tmpdir(), 'migrations-'))
  for (const file of await readdir(directory)) {
    if (file < '0044') await cp(new URL(file, directory), join(old, file))
  }
  const before = { name: 'server', directory: pathToFileURL(`${old}/`) }
  database = await openTestDatabase({ migrations: [authMigrations, syncMigrations, before] })
  {
    await using project = createPool({ url: database.projectUrl, applicationName: 'test project', connectionsMax: 1 })
    await fill(project)
  }
  await applyMigrations({
    pool: database.pool,
    sources: [authMigrations, syncMigrations, { name: 'server', directory }],
    logger: silentLogger,
  })
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await rm(old, { recursive: true })
})

async function fill(project: Pool): Promise<void> {
  for (const user of [OLGA, GUS, MARK, GINA, BOTH, GONE]) {
    await database.pool.execute(sql`insert into auth.users (id, email) values (${user}, ${`${user}@example.org`})`)
  }
  await project.execute(
    sql.trusted(`
    insert into holdfast.workspaces (id, name) values ('${WATER}', 'Water'), ('${GAS}', 'Gas');
    insert into holdfast.members (workspace_id, user_id, role, name) values
      ('${WATER}', '${OLGA}', 'owner', 'Olga'), ('${WATER}', '${GUS}', 'guest', 'Gus'), ('${WATER}', '${BOTH}', 'editor', 'Both'),
      ('${GAS}', '${MARK}', 'owner', 'Mark'), ('${GAS}', '${GINA}', 'guest', 'Gina'), ('${GAS}', '${BOTH}', 'editor', 'Both');
    create table public.pits (id uuid primary key, workspace_id uuid references holdfast.workspaces, title text);
    create table public.notes (id uuid primary key, owner uuid, title text);
    alter table public.pits enable row level security;
    alter table public.notes enable row level security;
    grant select, insert, update, delete on public.pits, public.notes to authenticated;
    create policy people_read on public.pits for select to authenticated using ((select holdfast.role_in(workspace_id)) >= 'viewer');
    create policy people_change on public.pits for update to authenticated using ((select holdfast.role_in(workspace_id)) >= 'viewer' and title <> 'locked');
    create policy own on public.notes for all to authenticated using (owner = (select auth.uid()));
    select holdfast.track('public.notes');
    insert into public.pits (id, workspace_id, title) values ('${PIT}', '${WATER}', 'a'), ('${LOCKED}', '${WATER}', 'locked');
    insert into public.notes (id, owner, title) values ('${NOTE}', '${OLGA}', 'secret');
    update public.notes set title = 'more secret';
    insert into holdfast.comments (table_name, record_id, area, body, author_id) values
      ('notes', '${NOTE}', 'N', 'stays', '${OLGA}'), ('notes', '${NO_RECORD}', 'N', 'past', '${OLGA}');
    delete from public.notes;
    insert into public.notes (id, owner, title) values ('${NOTE}', '${OLGA}', 'next');
    insert into holdfast.shares (workspace_id, user_id, table_name, record_id, may_change) values
      ('${WATER}', '${GUS}', 'pits', '${PIT}', true), ('${WATER}', '${GUS}', 'pits', '${LOCKED}', true),
      ('${WATER}', '${GUS}', 'pits', '${NO_RECORD}', true), ('${GAS}', '${GINA}', 'pits', '${PIT}', true),
      ('${GAS}', '${GINA}', 'notes', '${NOTE}', false), ('${WATER}', '${GUS}', 'nothing', '${PIT}', false);
    insert into holdfast.views (table_name, name, scope, owner_id, is_default) values
      ('pits', 'of water', 'shared', '${OLGA}', false), ('pits', 'of both', 'shared', '${BOTH}', true), ('pits', 'of nobody now', 'locked', '${GONE}', false),
      ('pits', 'of the project', 'locked', null, false), ('pits', 'her own', 'personal', '${OLGA}', false);
    insert into holdfast.fields (table_name, field_name, label) values ('pits', 'title', 'Name');`),
  )
  await database.pool.withClient(async (client) => {
    await client.query('begin')
    await client.query(`select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "${OLGA}"}', true)`)
    await client.query(
      `select holdfast.create_table('${WATER}', '{"name": "tanks", "label": "Tanks", "fields": [{"name": "title", "label": "Title", "kind": "text"}], "access": {"kind": "members"}}')`,
    )
    await client.query('commit')
  })
}

test('shares stay that an admin of the workspace could make, with the right to change where they have it', async () => {
  expect(
    await database.pool.query(
      sql`select workspace_id, table_name, record_id, may_change from holdfast.shares order by record_id`,
    ),
  ).toEqual([
    { workspace_id: WATER, table_name: 'pits', record_id: PIT, may_change: true },
    { workspace_id: WATER, table_name: 'pits', record_id: LOCKED, may_change: false },
  ])
  await database.pool.execute(sql`delete from public.pits`)
  expect(await database.pool.query(sql`select from holdfast.shares`)).toEqual([])
})

test('policies of tables that were made in the app ask for shares of their workspace', async () => {
  const [row] = await database.pool.query<{ asked: string }>(sql`
    select string_agg(pg_get_expr(polqual, polrelid), ' ' order by polname) as asked from pg_policy
     where polrelid = 'public.tanks'::regclass and polname like 'guests%'`)
  expect(row?.asked).toContain(`changeable_record_ids('tanks'::text, '${WATER}'::uuid)`)
  expect(row?.asked).toContain(`shared_record_ids('tanks'::text, '${WATER}'::uuid)`)
})

test('comments of records that are gone, and history from before the last insert, are past', async () => {
  expect(await database.pool.query(sql`select body from holdfast.comments where not is_past`)).toEqual([
    { body: 'stays' },
  ])
  expect(await database.pool.query(sql`select kind, is_past from holdfast.history order by id`)).toEqual([
    { kind: 'insert', is_past: true },
    { kind: 'update', is_past: true },
    { kind: 'delete', is_past: true },
    { kind: 'insert', is_past: false },
  ])
})

test('a shared view is of the workspace of its owner, or the owner’s own where that is not one', async () => {
  expect(
    await database.pool.query(sql`select name, scope, workspace_id, is_default from holdfast.views order by name`),
  ).toEqual([
    { name: 'her own', scope: 'personal', workspace_id: null, is_default: false },
    { name: 'of both', scope: 'personal', workspace_id: null, is_default: false },
    { name: 'of nobody now', scope: 'personal', workspace_id: null, is_default: false },
    { name: 'of the project', scope: 'locked', workspace_id: null, is_default: false },
    { name: 'of water', scope: 'shared', workspace_id: WATER, is_default: false },
  ])
})
