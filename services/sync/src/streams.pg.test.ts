import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runAs, sql } from '@holdfast/postgres'
import { createRandom } from './histories.test-support.ts'
import type { DeviceState, StreamClient } from './stream-client.test-support.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.test-support.ts'

/*
 * What is pinned here: a device has the rows that its person may select and that a stream which it wants names, evaluated by Postgres; what streams
 * are declared, and how checkpoints speak of them.
 */

const [ORG, OTHER_ORG] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'] as const
const PROJECTS = ['1', '2', '3'].map((digit) => `00000000-0000-4000-8000-00000000010${digit}`)
const [ONE = '', TWO = ''] = PROJECTS

const SCHEMA = `
  create table public.members (id uuid primary key default gen_random_uuid(), org_id uuid not null, user_id uuid not null);
  create table public.issues (
    id uuid primary key default gen_random_uuid(), org_id uuid not null, project_id uuid, parent_id uuid, state text not null default 'open', n int not null default 0);
  create table public.comments (id uuid primary key default gen_random_uuid(), org_id uuid not null, issue_id uuid not null, body text);
  create table public.notes (id uuid primary key default gen_random_uuid(), org_id uuid not null, body text);
  alter table public.members enable row level security;
  alter table public.issues enable row level security;
  alter table public.comments enable row level security;
  alter table public.notes enable row level security;
  create policy own on public.members for select using (user_id = (select auth.uid()));
  create policy org on public.issues for select using (org_id in (select m.org_id from public.members m where m.user_id = (select auth.uid())));
  create policy org on public.comments for select using (org_id in (select m.org_id from public.members m where m.user_id = (select auth.uid())));
  create policy org on public.notes for select using (org_id in (select m.org_id from public.members m where m.user_id = (select auth.uid())));
  select sync.create_stream('by_project', array[
    $$ select * from issues where project_id = subscription.parameter('project') $$,
    $$ select comments.* from comments join issues i on i.id = comments.issue_id where i.project_id = subscription.parameter('project') $$
  ], priority => 1);
  select sync.create_stream('by_state', $$ select * from issues where state = any (subscription.parameter('states')) $$);
  select sync.create_stream('small', $$ select * from issues i where i.n <= subscription.parameter('max') $$, priority => 2);
  select sync.create_stream('children', $$
    select * from issues i where i.parent_id in (select p.id from issues p where p.n >= subscription.parameter('from')) $$);
  select sync.create_stream('urgent', $$ select * from issues where state = 'urgent' $$, priority => 0, auto_subscribe => true);
`

/** The streams in the words of Postgres alone. */
const MEANING: Readonly<Record<string, readonly [table: string, condition: string][]>> = {
  by_project: [
    ['issues', `t.project_id = (p.v ->> 'project')::uuid`],
    [
      'comments',
      `exists (select from public.issues i where i.id = t.issue_id and i.project_id = (p.v ->> 'project')::uuid)`,
    ],
  ],
  by_state: [['issues', `t.state in (select jsonb_array_elements_text(p.v -> 'states'))`]],
  small: [['issues', `t.n <= (p.v ->> 'max')::int`]],
  children: [['issues', `t.parent_id in (select i.id from public.issues i where i.n >= (p.v ->> 'from')::int)`]],
  urgent: [['issues', `t.state = 'urgent'`]],
  everything: [
    ['members', 'true'],
    ['notes', 'true'],
  ],
}

interface Subscription {
  readonly stream: string
  readonly parameters: object | null
  readonly override_priority: number | null
}

function subscription(stream: string, parameters: object | null = null, priority: number | null = null): Subscription {
  return { stream, parameters, override_priority: priority }
}

let world: World
const devices: StreamClient[] = []

beforeAll(async () => {
  world = await openWorld({ schema: SCHEMA })
})

afterEach(async () => {
  for (const device of devices.splice(0)) device.disconnect()
  await world.run('truncate public.members, public.issues, public.comments, public.notes')
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

function open(
  subscriptions: readonly Subscription[],
  { includeDefaults = false, userId = ALICE }: { includeDefaults?: boolean; userId?: string } = {},
): StreamClient {
  const device = world.device(userId)
  devices.push(device)
  device.connect({ streams: { include_defaults: includeDefaults, subscriptions } })
  return device
}

/** What a device with these subscriptions has to have, now. */
async function wanted(
  userId: string,
  subscriptions: readonly Subscription[],
  includeDefaults: boolean,
): Promise<DeviceState> {
  const defaults = includeDefaults ? [subscription('everything'), subscription('urgent')] : []
  return runAs(world.db.requestPool, { role: 'authenticated', claims: { sub: userId } }, async (tx) => {
    const state = new Map<string, string>()
    for (const { stream, parameters } of [...defaults, ...subscriptions]) {
      for (const [table, condition] of MEANING[stream] ?? []) {
        const rows = await tx.query<{ key: string; json: string }>(sql`
          select ${table} || '/' || t.id as key, row_to_json(t)::text as json
            from ${sql.identifier('public', table)} t, (select ${JSON.stringify(parameters ?? {})}::jsonb as v) p where ${sql.trusted(condition)}`)
        for (const { key, json } of rows) state.set(key, json)
      }
    }
    return state
  })
}

function print(state: DeviceState): string {
  return JSON.stringify([...state].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

const join = (userId: string, org: string): Promise<void> =>
  world.run(`insert into members (org_id, user_id) values ('${org}', '${userId}')`)

function bucketsOf(device: StreamClient): readonly { priority: number; subscriptions: readonly object[] }[] {
  return device.lines.flatMap((line) => line.checkpoint?.buckets ?? line.checkpoint_diff?.updated_buckets ?? [])
}

describe('a subscription', () => {
  test('gets the rows of all queries of its stream, and only those', async () => {
    await join(ALICE, ORG)
    await world.run(`
      insert into issues (id, org_id, project_id) values ('${ONE}', '${ORG}', '${ONE}'), ('${TWO}', '${ORG}', '${TWO}');
      insert into comments (org_id, issue_id, body) values ('${ORG}', '${ONE}', 'of one'), ('${ORG}', '${TWO}', 'of two')`)
    const device = open([subscription('by_project', { project: ONE })])
    await device.next()
    expect(device.ids('issues')).toEqual([ONE])
    expect(device.rows('comments')).toMatchObject([{ body: 'of one' }])
    expect(device.lines[0]?.checkpoint?.streams).toEqual([{ name: 'by_project', is_default: false, errors: [] }])
    expect(bucketsOf(device).every((one) => one.priority === 1)).toBe(true)
    await world.run(`update issues set project_id = '${ONE}' where id = '${TWO}'`)
    await device.until(() => device.ids('comments').length === 2)
    expect(device.faults).toEqual([])
  })

  test('is narrowed by the policies: of what it names, the person has what they may select', async () => {
    await world.run(`insert into issues (org_id, project_id) values ('${ORG}', '${ONE}')`)
    const device = open([subscription('by_project', { project: ONE })])
    expect((await device.next()).state.size).toBe(0)
    await join(ALICE, ORG)
    await device.until(() => device.ids('issues').length === 1)
    await world.run('delete from members')
    await device.until(() => device.ids('issues').length === 0)
    expect(device.faults).toEqual([])
  })

  test('that names what another names too has it once, for both reasons, at the more urgent priority', async () => {
    await join(ALICE, ORG)
    await world.run(
      `insert into issues (org_id, project_id, state) values ('${ORG}', '${ONE}', 'open'), ('${ORG}', '${TWO}', 'open')`,
    )
    const device = open([
      subscription('by_project', { project: ONE }),
      subscription('by_project', { project: TWO }, 3),
      subscription('by_project', { project: ONE }, 0),
      subscription('by_state', { states: ['open'] }),
    ])
    await device.next()
    expect(device.ids('issues')).toHaveLength(2)
    const reasons = bucketsOf(device).map(({ priority, subscriptions }) => ({ priority, subscriptions }))
    expect(reasons).toContainEqual({ priority: 0, subscriptions: [{ sub: 0 }, { sub: 2 }] })
    expect(reasons).toContainEqual({ priority: 3, subscriptions: [{ sub: 1 }] })
    expect(reasons).toContainEqual({ priority: 3, subscriptions: [{ sub: 3 }] })
    expect(device.faults).toEqual([])
  })

  test('that is wrong is reported and leaves the others alone', async () => {
    await join(ALICE, ORG)
    await world.run(`insert into issues (org_id, project_id, n) values ('${ORG}', '${ONE}', 1)`)
    const device = open([
      subscription('by_project', { project: 'no uuid' }),
      subscription('nothing', { a: 1 }),
      subscription('by_project', { project: ONE }),
      subscription('small', { max: 'many' }),
      subscription('by_project'),
    ])
    await device.next()
    expect(device.ids('issues')).toHaveLength(1)
    const streams = (device.lines[0]?.checkpoint?.streams ?? []) as { name: string; errors: { message: string }[] }[]
    expect(streams.map(({ name, errors }) => [name, errors])).toEqual([
      [
        'by_project',
        [{ subscription: 0, message: 'parameter "project": invalid input syntax for type uuid: "no uuid"' }],
      ],
      ['small', [{ subscription: 3, message: 'parameter "max": invalid input syntax for type integer: "many"' }]],
      ['nothing', [{ subscription: 1, message: 'there is no stream "nothing"' }]],
    ])
    await world.run(`insert into issues (org_id, project_id, n) values ('${ORG}', '${ONE}', 7)`)
    await device.until(() => device.ids('issues').length === 2)
    expect(device.faults).toEqual([])
  })

  test('cannot be made a thousand times over', async () => {
    const device = open(Array.from({ length: 1_001 }, (_, max) => subscription('small', { max })))
    await device.until(() => device.refusal !== '')
    expect(device.status).toBe(400)
  })
})

describe('by default', () => {
  test('a device has the tables that no stream names, and the streams that say so', async () => {
    await join(ALICE, ORG)
    await world.run(`
      insert into notes (org_id, body) values ('${ORG}', 'a note');
      insert into issues (org_id, state) values ('${ORG}', 'open'), ('${ORG}', 'urgent')`)
    const device = open([], { includeDefaults: true })
    await device.next()
    expect(device.rows('notes')).toMatchObject([{ body: 'a note' }])
    expect(device.rows('issues')).toMatchObject([{ state: 'urgent' }])
    expect(device.lines[0]?.checkpoint?.streams).toMatchObject([
      { name: 'everything', is_default: true },
      { name: 'urgent', is_default: true },
    ])
    const plain = open([])
    expect((await plain.next()).state.size).toBe(0)
  })
})

describe('priorities', () => {
  test('come in their order, and what is complete of them can be shown', async () => {
    await join(ALICE, ORG)
    await world.run(`
      insert into issues (org_id, project_id, state) select '${ORG}', '${ONE}', 'urgent' from generate_series(1, 20);
      insert into issues (org_id, project_id, state) select '${ORG}', '${TWO}', 'slow' from generate_series(1, 3000)`)
    const device = open([
      subscription('by_state', { states: ['slow'] }),
      subscription('by_project', { project: ONE }, 0),
      subscription('small', { max: -1 }),
    ])
    await device.next()
    expect(device.partials.map(({ priority, state }) => [priority, state.size])).toEqual([
      [0, 20],
      [2, 20],
    ])
    expect(device.state.size).toBe(3_020)
    expect(device.faults).toEqual([])
  })

  test('let what is urgent overtake what is not', async () => {
    await join(ALICE, ORG)
    await world.run(
      `insert into issues (org_id, state) select '${ORG}', 'slow' || repeat('x', 2000) from generate_series(1, 20000)`,
    )
    const device = open([
      subscription('by_state', { states: [`slow${'x'.repeat(2000)}`] }),
      subscription('by_project', { project: ONE }, 0),
    ])
    await device.until(() => device.lines.some((line) => line.data))
    device.pause()
    await world.run(`insert into issues (org_id, project_id) values ('${ORG}', '${ONE}')`)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    device.resume()
    await device.until(() => device.partials.some(({ state }) => state.size === 1), 'the urgent row', 20_000)
    expect(device.completed).toHaveLength(0)
    await device.until(() => device.completed.length > 0, 'the rest', 30_000)
    expect(device.state.size).toBe(20_001)
    expect(device.faults).toEqual([])
  }, 60_000)
})

describe('a declaration', () => {
  test.each([
    ['no SQL', `'select * fro issues'`, /syntax error/],
    ['a table that there is not', `'select * from nothing'`, /does not exist/],
    ['more than a query', `'select * from issues; drop table issues'`, /syntax error/],
    [
      'a parameter of no type that fits',
      `'select * from issues where n = subscription.parameter(''n'')::uuid'`,
      /operator does not exist/,
    ],
  ])('of %s is refused at once', async (_, query, reason) => {
    await expect(world.run(`select sync.create_stream('wrong', ${query})`)).rejects.toThrow(reason)
  })

  test('that cannot be followed is reported with its reason', async () => {
    await world.run(
      `select sync.create_stream('narrow', 'select id from issues'), sync.create_stream('first', 'select * from issues limit 5')`,
    )
    await expect
      .poll(() => world.service.plan()?.streams.flatMap(({ refused }) => refused))
      .toEqual([
        { query: 'select * from issues limit 5', reason: expect.stringContaining('LIMIT') as string },
        { query: 'select id from issues', reason: expect.stringContaining('whole rows') as string },
      ])
    await world.run(`select sync.drop_stream('narrow'), sync.drop_stream('first')`)
  })

  test('is made, changed and taken back while devices are connected', async () => {
    await join(ALICE, ORG)
    await world.run(`insert into issues (org_id, n) values ('${ORG}', 5), ('${ORG}', 6)`)
    const device = open([subscription('later', { n: 5 })])
    await device.next()
    expect(device.state.size).toBe(0)
    await world.run(
      `select sync.create_stream('later', 'select * from issues where n = subscription.parameter(''n'')')`,
    )
    await device.until(() => device.rows('issues').length === 1)
    await world.run(`
      begin;
      select sync.drop_stream('later');
      select sync.create_stream('later', 'select * from issues where n >= subscription.parameter(''n'')');
      commit`)
    await device.until(() => device.rows('issues').length === 2)
    await world.run(`select sync.drop_stream('later')`)
    await device.until(() => device.rows('issues').length === 0)
    expect(device.faults).toEqual([])
  })

  test('is not for people', async () => {
    await expect(
      runAs(world.db.requestPool, { role: 'authenticated', claims: { sub: ALICE } }, (tx) =>
        tx.execute(sql`select sync.create_stream('mine', 'select * from issues')`),
      ),
    ).rejects.toThrow(/permission denied/)
  })

  test('does not let a policy read what devices ask for', async () => {
    await world.run(`
      create table public.open (id uuid primary key, n text);
      alter table public.open enable row level security;
      create policy asked on public.open for select using (n = subscription.parameter('n'))`)
    await expect
      .poll(() => world.service.plan()?.refused.find(({ name }) => name === 'open'))
      .toMatchObject({ policy: 'asked', reason: expect.stringContaining('widen') as string })
    await world.run('drop table public.open')
  })
})

const HISTORIES = Number(process.env['HOLDFAST_STREAM_HISTORIES'] ?? 4)
const SEED = Number(process.env['HOLDFAST_HISTORY_SEED'] ?? Date.now() % 1_000_000)

test(`devices whose subscriptions come and go equal Postgres at the end of random histories (seed ${SEED})`, async () => {
  for (let round = 0; round < HISTORIES; round++) {
    const random = createRandom(SEED + round)
    const anySubscription = (): Subscription => {
      const priority = random.chance(0.3) ? random.below(4) : null
      return random.pick([
        subscription('by_project', { project: random.pick(PROJECTS) }, priority),
        subscription('by_state', { states: random.chance(0.5) ? ['open'] : ['done', 'urgent'] }, priority),
        subscription('small', { max: random.below(6) }, priority),
        subscription('children', { from: random.below(6) }, priority),
        subscription('urgent', {}, priority),
      ])
    }
    const followed = [ALICE, ALICE, BOB].map((userId) => ({
      userId,
      device: world.device(userId),
      subscriptions: [] as Subscription[],
      includeDefaults: false,
    }))
    devices.push(...followed.map(({ device }) => device))
    const seen = new Map<StreamClient, Set<string>>(followed.map(({ device }) => [device, new Set()]))
    const reconnect = (one: (typeof followed)[number]): void => {
      one.device.disconnect()
      one.subscriptions = Array.from({ length: random.below(4) }, anySubscription)
      one.includeDefaults = random.chance(0.5)
      one.device.connect({ streams: { include_defaults: one.includeDefaults, subscriptions: one.subscriptions } })
    }
    const org = (): string => random.pick([ORG, OTHER_ORG])
    const issue = (): string => `(select id from issues order by id offset ${random.below(5)} limit 1)`
    const change = (): string =>
      random.pick([
        () =>
          `insert into issues (org_id, project_id, state, n, parent_id) select '${org()}', '${random.pick(PROJECTS)}', '${random.pick(['open', 'done', 'urgent'])}', ${random.below(6)}, ${issue()}`,
        () =>
          `insert into comments (org_id, issue_id, body) select '${org()}', i.id, 'c' from issues i order by id limit 2`,
        () => `insert into members (org_id, user_id) values ('${org()}', '${random.pick([ALICE, BOB])}')`,
        () => `delete from members where id = (select id from members order by id offset ${random.below(3)} limit 1)`,
        () => `update issues set project_id = '${random.pick(PROJECTS)}' where id = ${issue()}`,
        () =>
          `update issues set n = ${random.below(6)}, state = '${random.pick(['open', 'done', 'urgent'])}' where id = ${issue()}`,
        () => `update issues set parent_id = ${issue()} where id = ${issue()}`,
        () => `delete from issues where id = ${issue()}`,
        () => `insert into notes (org_id, body) values ('${org()}', 'n${random.below(100)}')`,
      ])()
    for (const one of followed) reconnect(one)
    for (let step = 0; step < 25; step++) {
      await world.run(Array.from({ length: 1 + random.below(3) }, change).join(';\n'))
      for (const one of followed) {
        // Whatever a device gets of a row, its person could select.
        const all = await world.visible(one.userId, ['issues', 'comments', 'notes', 'members'])
        for (const [key, json] of all) seen.get(one.device)?.add(`${key} ${json}`)
        if (random.chance(0.15)) reconnect(one)
      }
    }
    for (const one of followed) {
      const end = print(await wanted(one.userId, one.subscriptions, one.includeDefaults))
      await one.device.until(
        () => print(one.device.state) === end && one.device.completed.length > 0,
        `equality of seed ${SEED + round}: ${JSON.stringify(one.subscriptions)} ${end}`,
      )
      expect(one.device.faults).toEqual([])
      expect(one.device.received.filter((row) => !seen.get(one.device)?.has(row))).toEqual([])
      one.device.disconnect()
    }
    await world.run('truncate public.members, public.issues, public.comments, public.notes')
  }
}, 120_000)
