import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@supabase/supabase-js'
import { create, extract } from 'tar'
import type { KeyValueStore } from '@holdfast/client'
import { sql } from '@holdfast/postgres'
import { openDevice, openHoldfast, type Holdfast, type TestDevice } from '@holdfast/test-support'

/*
 * What a release leaves on a server and on a device: the data folder of a server that was stopped, and the home of a device that has synced and then
 * written without a network. Every later release has to go on from both.
 */

/** One folder for each release. */
export const RELEASES = fileURLToPath(new URL('../../fixtures/releases/', import.meta.url))

export const ACCOUNT = { email: 'ada@release.example', password: 'release-fixture-1' }

/** Written on the device while it was offline, and never sent by the release that wrote it. */
export const UNSENT = { id: '00000000-0000-4000-8000-0000000000aa', title: 'written offline, sent by a later release' }

/** A link, an access class, a stream, a guard and the types that are stored in a form of their own. */
const SCHEMA = `
  create type public.task_state as enum ('open', 'done');
  create table public.projects (id uuid primary key default gen_random_uuid(), name text not null);
  create table public.members (
    project_id uuid not null references public.projects, user_id uuid not null, primary key (project_id, user_id)
  );
  create table public.tasks (
    id uuid primary key default gen_random_uuid(), project_id uuid not null references public.projects, title text not null,
    state public.task_state not null default 'open', hours numeric(10, 2), tags text[] not null default '{}', details jsonb,
    due_on date, made_at timestamptz not null default now(), photo bytea
  );
  create table public.notices (id bigint generated always as identity primary key, level integer not null, body text not null);
  alter table public.projects enable row level security;
  alter table public.members enable row level security;
  alter table public.tasks enable row level security;
  alter table public.notices enable row level security;
  create policy own_memberships on public.members for select to authenticated using (user_id = (select auth.uid()));
  create policy projects_of_members on public.projects for select to authenticated
    using (exists (select from public.members m where m.project_id = projects.id and m.user_id = (select auth.uid())));
  create policy tasks_of_members on public.tasks for all to authenticated
    using (exists (select from public.members m where m.project_id = tasks.project_id and m.user_id = (select auth.uid())));
  create policy up_to_level on public.notices for select to authenticated
    using (level <= ((select auth.jwt()) -> 'app_metadata' ->> 'level')::integer);
  select sync.guard_columns('public.tasks', '{state}');
  select sync.create_stream('open_tasks', $$select * from public.tasks where state = 'open'$$, auto_subscribe => true);
`

const ROWS = `
  insert into public.projects (id, name) values
    ('00000000-0000-4000-8000-000000000001', 'Bridge'), ('00000000-0000-4000-8000-000000000002', 'Somebody else''s');
  insert into public.tasks (project_id, title, hours, tags, details, due_on, photo)
    select case when n % 4 = 0 then '00000000-0000-4000-8000-000000000002' else '00000000-0000-4000-8000-000000000001' end::uuid,
           'task ' || n, n / 4.0, array['a', 'b ' || n], jsonb_build_object('n', n), date '2026-01-01' + n, decode('00ff', 'hex')
      from generate_series(1, 40) n;
  insert into public.notices (level, body) select n, 'level ' || n from generate_series(1, 9) n;
`

/** Writes the folder of this release. @returns where it is */
export async function writeReleaseFixture(version: string): Promise<string> {
  const target = join(RELEASES, version)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const home = join(mkdtempSync(join(tmpdir(), 'holdfast-release-')), `device-${version}`)
  mkdirSync(home)
  const entries = new Map<string, string>()
  await using holdfast = await openHoldfast()
  await createWorld(holdfast)
  {
    await using device = await openDevice(holdfast, ACCOUNT, { folder: home, store: storeOf(entries) })
    await device.settle()
    await device.goOffline()
    await device.database.execute('insert into tasks (id, project_id, title, state) values (?, ?, ?, ?)', [
      UNSENT.id,
      '00000000-0000-4000-8000-000000000001',
      UNSENT.title,
      'open',
    ])
    await writeMigrations(holdfast, target)
    await holdfast.stop()
    // The device is idle now. The write-ahead log of the local database is copied too, as if the process had died here.
    writeFileSync(join(home, 'store.json'), JSON.stringify([...entries]))
    await create({ file: join(target, 'device.tar.gz'), cwd: dirname(home), gzip: { level: 9 }, portable: true }, [
      basename(home),
    ])
  }
  await create(
    {
      file: join(target, 'data.tar.gz'),
      cwd: holdfast.dataDir,
      gzip: { level: 9 },
      portable: true,
      filter: (path) => path !== './lock',
    },
    ['.'],
  )
  rmSync(dirname(home), { recursive: true, force: true })
  return target
}

async function createWorld(holdfast: Holdfast): Promise<void> {
  for (const text of [SCHEMA, ROWS]) await holdfast.admin.execute(sql.trusted(text))
  const service = createClient(holdfast.url, holdfast.serviceRoleKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  })
  const { data, error } = await service.auth.admin.createUser({
    ...ACCOUNT,
    email_confirm: true,
    app_metadata: { level: 4 },
  })
  if (error) throw error
  await holdfast.admin.execute(sql`
    insert into public.members (project_id, user_id) values ('00000000-0000-4000-8000-000000000001', ${data.user.id})
  `)
}

/** What a later release must still have, unchanged. */
async function writeMigrations(holdfast: Holdfast, target: string): Promise<void> {
  const applied = await holdfast.admin.query<{ source: string; name: string; checksum: string }>(
    sql`select source, name, checksum from holdfast.migrations order by source, name`,
  )
  writeFileSync(join(target, 'migrations.json'), `${JSON.stringify(applied, undefined, 2)}\n`)
}

/** Starts this release on the data folder of an earlier one. */
export function openReleaseFixture(version: string): Promise<Holdfast> {
  return openHoldfast({
    prepareDataDir: async (dataDir) => {
      mkdirSync(dataDir, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
      await extract({ file: join(RELEASES, version, 'data.tar.gz'), cwd: dataDir, preserveOwner: false })
    },
  })
}

/** Opens the device of an earlier release, with its session and its unsent change. */
export async function openReleaseDevice(holdfast: Holdfast, version: string): Promise<TestDevice> {
  const parent = mkdtempSync(join(tmpdir(), 'holdfast-release-'))
  await extract({ file: join(RELEASES, version, 'device.tar.gz'), cwd: parent })
  const folder = join(parent, `device-${version}`)
  const entries = JSON.parse(readFileSync(join(folder, 'store.json'), 'utf8')) as readonly (readonly [string, string])[]
  return openDevice(holdfast, ACCOUNT, { folder, store: storeOf(new Map(entries.map(expireSession))) })
}

/** Today or in a year: the access token has expired, and the refresh token has to be good. */
function expireSession([key, value]: readonly [string, string]): readonly [string, string] {
  return [key, value.replace(/"expires_at":\d+/, '"expires_at":1')]
}

export function releases(): readonly string[] {
  return readdirSync(RELEASES).toSorted()
}

function storeOf(entries: Map<string, string>): KeyValueStore {
  return {
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
  }
}
