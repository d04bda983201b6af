import { runsOf } from '@holdfast/test-support'
import { expect, test } from 'vitest'
import type { SyncStatus } from '../src/inspect/status.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

/*
 * A row that ties other rows to people is itself tied to people: when it changes, only they are asked for their keys again. Tasks are in projects, projects
 * belong to teams, people are in teams; once written out in the policy, once behind a function with its owner's rights, once left to the policies of projects.
 */
const SCHEMA = `
  create function public.team(n integer) returns uuid language sql immutable return ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid;
  create table public.team_members (id uuid primary key default gen_random_uuid(), team_id uuid not null, user_id uuid not null);
  create table public.projects (id uuid primary key default gen_random_uuid(), team_id uuid not null, name text);
  create table public.tasks (id uuid primary key default gen_random_uuid(), project_id uuid not null, title text);
  create table public.notes (id uuid primary key default gen_random_uuid(), project_id uuid not null, title text);
  create table public.files (id uuid primary key default gen_random_uuid(), project_id uuid not null, title text);
  alter table public.team_members enable row level security;
  alter table public.projects enable row level security;
  alter table public.tasks enable row level security;
  alter table public.notes enable row level security;
  alter table public.files enable row level security;
  create policy mine on public.team_members for select using (user_id = (select auth.uid()));
  create policy of_team on public.projects for select
    using (exists (select 1 from public.team_members m where m.team_id = projects.team_id and m.user_id = (select auth.uid())));
  create policy of_project on public.tasks for select using (
    exists (select 1 from public.projects p join public.team_members m on m.team_id = p.team_id
             where p.id = tasks.project_id and m.user_id = (select auth.uid())));
  create function public.my_projects() returns setof uuid language sql stable security definer set search_path = ''
    as 'select p.id from public.team_members m join public.projects p on p.team_id = m.team_id where m.user_id = auth.uid()';
  create policy of_project on public.notes for select using (project_id in (select public.my_projects()));
  create policy of_project on public.files for select using (project_id in (select p.id from public.projects p));
  insert into public.team_members (team_id, user_id) values (public.team(1), '${ALICE}'), (public.team(2), '${BOB}');
`

const TABLES = ['team_members', 'projects', 'tasks', 'notes', 'files']

async function evaluations(world: World): Promise<number> {
  const token = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')
  const response = await fetch(`${world.url}/sync/v1/status`, { headers: { authorization: `Bearer ${token}` } })
  return ((await response.json()) as SyncStatus).devices.keyEvaluations
}

type Device = ReturnType<World['device']>

async function expectEqual(world: World, device: Device, person: string): Promise<void> {
  await expect
    .poll(
      async () => {
        const visible = await world.visible(person, TABLES)
        const wrong = [...visible].filter(([key, row]) => device.state.get(key) !== row)
        return [wrong, device.state.size - visible.size, device.faults]
      },
      { timeout: 60_000, interval: 10 },
    )
    .toEqual([[], 0, []])
}

/** A project of a team, with something of everything in it. */
function addProject(team: number): string {
  return `with p as (insert into public.projects (team_id, name) values (public.team(${team}), 'p') returning id),
               t as (insert into public.tasks (project_id, title) select id, 't' from p),
               n as (insert into public.notes (project_id, title) select id, 'n' from p)
          insert into public.files (project_id, title) select id, 'f' from p`
}

test('a project that comes, moves or goes has only those asked again whose team has it', async () => {
  await using world = await openWorld({ schema: SCHEMA })
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  for (const device of [alice, bob]) device.connect()
  for (const device of [alice, bob]) await device.until(() => device.completed.length > 0)

  const before = await evaluations(world)
  for (let n = 0; n < 20; n++) await world.run(addProject(3))
  await world.run(`update public.projects set team_id = public.team(4)`)
  const lines = alice.lines.length
  for (let n = 0; n < 5; n++) await world.run(addProject(2))
  await expectEqual(world, bob, BOB)
  await expectEqual(world, alice, ALICE)
  expect(alice.lines.length).toBe(lines)
  // Bob once for each of his; twice where the change was in the stream before queries could see it.
  expect((await evaluations(world)) - before).toBeLessThanOrEqual(10)

  // A person's rows change with the membership, in the same moment.
  await world.run(`insert into public.team_members (team_id, user_id) values (public.team(4), '${ALICE}')`)
  await world.run(addProject(4))
  await expectEqual(world, alice, ALICE)
  expect([...alice.state.keys()].filter((key) => key.includes('notes'))).toHaveLength(21)
  await world.run(`update public.projects set team_id = public.team(1) where team_id = public.team(2)`)
  for (const [device, person] of [[alice, ALICE], [bob, BOB]] as const) await expectEqual(world, device, person) // prettier-ignore
})

test('a membership and a project that come at the same moment are both seen, whichever of them was first', async () => {
  await using world = await openWorld({ schema: SCHEMA })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.until(() => alice.completed.length > 0)
  for (let team = 10; team < 10 + runsOf(25); team++) {
    const join = `insert into public.team_members (team_id, user_id) values (public.team(${team}), '${ALICE}')`
    const leave = `delete from public.team_members where team_id = public.team(${team - 1})`
    await Promise.all(
      [join, addProject(team), leave, addProject(team), addProject(team - 1)].map((text) => world.run(text)),
    )
    await expectEqual(world, alice, ALICE)
  }
})
