import { expect, test } from 'vitest'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'
import type { CoverageReport } from '../src/inspect/coverage.ts'

// A fault in a function of one table's policy is that table's: every other table goes on, and the report says which function and why.

const CANVASES = `
  create type public.project_role as enum ('owner', 'editor', 'viewer');
  create table public.projects (id uuid primary key default gen_random_uuid(), name text);
  create table public.canvases (id uuid primary key default gen_random_uuid(), project_id uuid not null);
  create table public.user_projects (user_id uuid, project_id uuid, role public.project_role, primary key (user_id, project_id));
  create table public.frames (id uuid primary key default gen_random_uuid(), canvas_id uuid not null);
`

/** @param role - the expression that is compared with the allowed texts; without a cast Postgres accepts the function, and fails when it is called */
const accessComparing = (role: string): string => `
  create or replace function public.canvas_access(c_id uuid, allowed text[]) returns boolean
    language plpgsql stable security definer set search_path = public as $$
  begin
    return exists (
      select 1 from canvases c join user_projects up on up.project_id = c.project_id
       where c.id = c_id and up.user_id = auth.uid() and ${role} = any(allowed));
  end $$;
`

const FRAMES_POLICY = `
  alter table public.frames enable row level security;
  create policy access on public.frames for select using (public.canvas_access(canvas_id, array['owner', 'editor']));
`

const serviceKey = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')

async function coverageOf(world: World, table: string): Promise<CoverageReport['tables'][number] | undefined> {
  const response = await fetch(`${world.url}/sync/v1/coverage`, { headers: { authorization: `Bearer ${serviceKey}` } })
  return ((await response.json()) as CoverageReport).tables.find((one) => one.table === table)
}

const NOTES = (name: string): string => `
  create table public.${name} (id uuid primary key default gen_random_uuid(), owner_id uuid, body text);
  alter table public.${name} enable row level security;
  create policy own on public.${name} for select using (owner_id = (select auth.uid()));
  insert into public.${name} (owner_id, body) values ('${ALICE}', 'first');
`

test('a function that fails when it is called keeps its table from syncing, and no other', async () => {
  await using world = await openWorld({ schema: NOTES('notes') })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.until(() => alice.ids('notes').length === 1)

  await world.run(CANVASES + accessComparing('up.role') + FRAMES_POLICY)
  await world.run(NOTES('later'))
  await alice.until(() => alice.ids('later').length === 1)
  expect(world.service.status().problem).toBeUndefined()
  expect(await coverageOf(world, 'public.frames')).toMatchObject({
    synced: false,
    refusedPolicy: 'access',
    reason: expect.stringMatching(/function public\.canvas_access.*operator does not exist: project_role = text/),
  })

  await world.restart()
  const bob = world.device(BOB)
  bob.connect()
  await bob.until(() => bob.completed.length > 0)
  await world.run(`insert into public.later (owner_id) values ('${BOB}')`)
  await bob.until(() => bob.ids('later').length === 1)
})

test('a table syncs once its function has been corrected', async () => {
  await using world = await openWorld({ schema: CANVASES + accessComparing('up.role') + FRAMES_POLICY })
  await world.run(`
    insert into public.canvases values ('00000000-0000-4000-8000-0000000000c1', '00000000-0000-4000-8000-0000000000d1'),
                                       ('00000000-0000-4000-8000-0000000000c2', '00000000-0000-4000-8000-0000000000d2');
    insert into public.user_projects values ('${ALICE}', '00000000-0000-4000-8000-0000000000d1', 'editor'),
                                            ('${ALICE}', '00000000-0000-4000-8000-0000000000d2', 'viewer');
    insert into public.frames (canvas_id) select id from public.canvases`)
  const alice = world.device(ALICE)
  alice.connect()
  await alice.until(() => alice.completed.length > 0)
  expect(alice.ids('frames')).toEqual([])

  await world.run(accessComparing('up.role::text'))
  await alice.until(() => alice.ids('frames').length === 1)
  await world.run(`update public.user_projects set role = 'owner'`)
  await alice.until(() => alice.ids('frames').length === 2)
})
