import { expect, test } from 'vitest'
import type { SyncStatus } from '../src/inspect/status.ts'
import { ALICE, BOB, openWorld } from './sync-world.ts'

const PROJECTS = 10_000
/** Enough for a line about some buckets; one about all of them has more than a million bytes. */
const SMALL_LINE = 2_000

const SCHEMA = `
  create table public.project_members (id uuid primary key default gen_random_uuid(), project_id uuid not null, user_id uuid not null, unique (project_id, user_id));
  create table public.tasks (id uuid primary key default gen_random_uuid(), project_id uuid not null, title text, n integer not null default 0);
  create index on public.project_members (user_id);
  create index on public.tasks (project_id);
  create function public.project(n integer) returns uuid language sql immutable
    return ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid;
  alter table public.project_members enable row level security;
  alter table public.tasks enable row level security;
  create policy mine on public.project_members for select using (user_id = (select auth.uid()));
  create policy shared on public.tasks for select
    using (project_id in (select m.project_id from public.project_members m where m.user_id = (select auth.uid())));
  insert into public.project_members (project_id, user_id) select public.project(n), '${ALICE}' from generate_series(1, ${PROJECTS}) n;
  insert into public.project_members (project_id, user_id) select public.project(n), '${BOB}' from generate_series(1, 20) n;
  insert into public.tasks (project_id, title, n) select public.project(n), 'task ' || n, n from generate_series(1, ${PROJECTS} + 20) n;
`

test('a person with 10,000 buckets gets them, goes on where they were, and a change costs what it changes', async () => {
  let compilations = 0
  await using world = await openWorld({ schema: SCHEMA, beforeCompile: async () => void compilations++ })
  const [alice, bob] = [world.device(ALICE, { format: 'bson' }), world.device(BOB)]

  async function expectEqual(): Promise<void> {
    for (const [device, person] of [
      [alice, ALICE],
      [bob, BOB],
    ] as const) {
      const visible = await world.visible(person, ['tasks', 'project_members'])
      await device.until(() => device.state.size === visible.size)
      const wrong = [...visible].filter(([key, row]) => device.state.get(key) !== row)
      expect(wrong).toEqual([])
      expect(device.faults).toEqual([])
    }
  }

  /** What the device is sent for one step, until its next whole checkpoint. */
  async function sent(step: () => Promise<void> | void): Promise<{ line: string; bytes: number }[]> {
    const [lines, completed] = [alice.lines.length, alice.completed.length]
    await step()
    await alice.until(() => alice.completed.length > completed, 'the next checkpoint')
    return alice.lines
      .slice(lines)
      .map((line) => ({ line: Object.keys(line)[0] ?? '', bytes: JSON.stringify(line).length }))
  }

  /** Without those that follow a compilation: other tests make roles in this cluster, and each may be one that policies depend on. */
  async function evaluations(): Promise<number> {
    const token = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')
    const response = await fetch(`${world.url}/sync/v1/status`, { headers: { authorization: `Bearer ${token}` } })
    return ((await response.json()) as SyncStatus).devices.keyEvaluations - 2 * 2 * compilations
  }

  bob.connect()
  await bob.until(() => bob.completed.length > 0)
  await sent(() => alice.connect())
  expect(alice.buckets.size).toBe(PROJECTS + 1)
  await expectEqual()

  // 10,000 positions in the request, and nothing but what was missed in the answer.
  alice.disconnect()
  await world.run(`update public.tasks set title = 'while away' where n = 4711`)
  const again = await sent(() => alice.connect())
  expect(again.map(({ line }) => line)).toEqual(['checkpoint', 'data', 'checkpoint_complete'])
  await expectEqual()

  const before = await evaluations()
  const small = ['checkpoint_diff', 'data', 'checkpoint_complete']
  const row = await sent(() => world.run(`update public.tasks set title = 'changed' where n = 77`))
  expect(row.map(({ line }) => line)).toEqual(small)
  // Another person's membership is another person's.
  await world.run(
    `insert into public.project_members (project_id, user_id) select public.project(n), gen_random_uuid() from generate_series(1, 100) n`,
  )
  const other = await sent(() => world.run(`update public.tasks set title = 'again' where n = 78`))
  expect(await evaluations()).toBeLessThanOrEqual(before)

  const more = await sent(() =>
    world.run(
      `insert into public.project_members (project_id, user_id) values (public.project(${PROJECTS + 1}), '${ALICE}')`,
    ),
  )
  expect(more.map(({ line }) => line)).toEqual(['checkpoint_diff', 'data', 'data', 'checkpoint_complete'])
  await expectEqual()
  const less = await sent(() =>
    world.run(
      `delete from public.project_members where project_id = public.project(5) and user_id in ('${ALICE}', '${BOB}')`,
    ),
  )
  expect(less.map(({ line }) => line)).toEqual(small)
  await expectEqual()
  // Once for each change, and once for Bob's; twice when the change was in the stream before queries could see it.
  expect(await evaluations()).toBeLessThanOrEqual(before + 6)
  for (const { bytes } of [...row, ...other, ...more, ...less]) expect(bytes).toBeLessThan(SMALL_LINE)
})
