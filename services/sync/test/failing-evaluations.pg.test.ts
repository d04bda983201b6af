import { expect, test } from 'vitest'
import { silentLogger, systemClock } from '@holdfast/foundation'
import { compileSyncPlan, readPolicyInput } from '@holdfast/policy'
import { activatePlan, DEFAULT_STREAM } from '../src/buckets/active-plan.ts'
import { createKeyEvaluator } from '../src/buckets/key-evaluator.ts'
import { createPolicyFailures } from '../src/buckets/policy-failures.ts'
import type { CoverageReport } from '../src/inspect/coverage.ts'
import type { SyncStatus } from '../src/inspect/status.ts'
import { ALICE, BOB, CAROL, openWorld, type World } from './sync-world.ts'

// A policy that fails, or takes for ever, for one person costs that person the table, and others nothing.

const PAPERS = (body: string): string => `
  create table public.notes (id uuid primary key default gen_random_uuid(), owner_id uuid);
  create table public.papers (id uuid primary key default gen_random_uuid(), shelf integer);
  create table public.readers (user_id uuid, shelf integer, weight integer, primary key (user_id, shelf));
  create function public.may_read(wanted integer) returns boolean language plpgsql stable security definer set search_path = public as $$
  begin
    ${body}
    return exists (select from readers where user_id = auth.uid() and shelf = wanted);
  end $$;
  alter table public.notes enable row level security;
  alter table public.papers enable row level security;
  create policy own on public.notes for select using (owner_id = (select auth.uid()));
  create policy readable on public.papers for select using (public.may_read(shelf));
  insert into public.notes (owner_id) values ('${ALICE}'), ('${BOB}');
  insert into public.papers (shelf) values (1), (2);
  insert into public.readers values ('${ALICE}', 1, 1), ('${BOB}', 1, 0);
`

const serviceKey = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')

async function inspect<Report>(world: World, what: string): Promise<Report> {
  const response = await fetch(`${world.url}/sync/v1/${what}`, { headers: { authorization: `Bearer ${serviceKey}` } })
  return (await response.json()) as Report
}

test('a division by zero for one person costs that person the table, and the reports tell', async () => {
  const byWeight = `perform 1 / weight from readers where user_id = auth.uid();`
  await using world = await openWorld({ schema: PAPERS(byWeight) })
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  alice.connect()
  bob.connect()
  await alice.until(() => alice.ids('papers').length === 1 && alice.ids('notes').length === 1)
  await bob.until(() => bob.ids('notes').length === 1 && bob.completed.length > 0)
  expect(bob.ids('papers')).toEqual([])

  const coverage = await inspect<CoverageReport>(world, 'coverage')
  expect(coverage.tables.find((one) => one.table === 'public.papers')?.failing).toMatchObject([
    { table: 'papers', of: 'person', reason: 'division by zero', sqlstate: '22012' },
  ])
  expect((await inspect<SyncStatus>(world, 'status')).failing).toMatchObject([{ table: 'papers' }])

  await world.run(`update public.readers set weight = 1 where user_id = '${BOB}'`)
  await bob.until(() => bob.ids('papers').length === 1)
})

test.each([
  ['that raises the code of a lost connection', `raise exception 'no' using errcode = '57P01';`],
  ['that calls itself without end', `perform public.may_read(wanted);`],
])('a function %s keeps nothing else from a person', async (_, body) => {
  const forBob = `if auth.uid() = '${BOB}' then ${body} end if;`
  await using world = await openWorld({ schema: PAPERS(forBob) })
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  alice.connect()
  bob.connect()
  await alice.until(() => alice.ids('papers').length === 1)
  await bob.until(() => bob.ids('notes').length === 1 && bob.completed.length > 0)
  expect(bob.ids('papers')).toEqual([])
})

test('a question that takes for ever ends, and others who ask at the same time get their answers', async () => {
  const forBob = `if auth.uid() = '${BOB}' then perform count(*) from generate_series(1, 100000000000) n; end if;`
  await using world = await openWorld({ schema: PAPERS(forBob) })
  const { db } = world
  const plan = compileSyncPlan(await readPolicyInput(db.pool))
  const definitions = plan.tables.flatMap((table) => table.definitions)
  const stored = definitions.map(({ id }, index) => ({ id, number: index + 1, tag: '00000000' }))
  const active = activatePlan(plan, stored as never)
  const stream = active.streams.get(DEFAULT_STREAM)
  if (!stream) throw new Error('no stream')
  for (const { classes } of [...active.tables.values()].flatMap((table) => table.definitions))
    for (const shelf of ['1', '2']) classes?.add(shelf, [shelf], null)
  const failures = createPolicyFailures(silentLogger, systemClock)
  const timeouts = { togetherMs: 200, partMs: 300 }
  const evaluator = createKeyEvaluator({ pool: db.requestPool, concurrency: 1, peopleMax: 8, failures, timeouts })
  const subscription = { stream, parameters: '{}' }
  const [alice, bob, carol] = await Promise.all(
    [ALICE, BOB, CAROL].map((sub) => evaluator.keys([subscription], { role: 'authenticated', claims: { sub } })),
  )
  expect(alice?.subscriptions[0]).toMatchObject({
    bucketNames: [expect.stringContaining(ALICE), '1'],
    problem: undefined,
  })
  expect(carol?.subscriptions[0]).toMatchObject({ problem: undefined })
  expect(bob?.subscriptions[0]).toMatchObject({
    bucketNames: [expect.stringContaining(BOB)],
    problem: expect.stringContaining('papers'),
    isTimedOut: true,
  })
  expect(failures.list()).toMatchObject([{ table: 'papers', of: 'person', sqlstate: '57014' }])
})
