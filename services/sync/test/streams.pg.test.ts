import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runAs, sql } from '@holdfast/postgres'
import type { StreamClient } from './stream-client.ts'
import { ONE, ORG, SCHEMA, subscription, TWO, type Subscription } from './streams-world.ts'
import { ALICE, openWorld, type World } from './sync-world.ts'

/*
 * Pins that a device has the rows that its person may select and that a stream which it wants names, evaluated by Postgres; what streams
 * are declared, and how checkpoints speak of them.
 */

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

  test('that is left to the defaults begins with nothing, where it named what has no row', async () => {
    await join(ALICE, ORG)
    const device = open([subscription('urgent')])
    await device.next()
    device.disconnect()
    device.connect({ streams: { include_defaults: true, subscriptions: [] } })
    await device.next()
    await world.run(`insert into issues (org_id, state) values ('${ORG}', 'urgent')`)
    await device.until(() => device.ids('issues').length === 1)
    expect(device.faults).toEqual([])
  })

  test('of a user in a role of their own is followed as everybody else’s', async () => {
    const role = `clerk_of_streams_${process.pid}`
    await world.run(`create role ${role}; grant ${role} to authenticator; grant usage on schema public, auth to ${role};
      grant select on issues, members to ${role};
      insert into issues (org_id, n) values ('${ORG}', 1), ('${ORG}', 2)`)
    await join(ALICE, ORG)
    const device = world.device(ALICE, {
      token: Buffer.from(JSON.stringify({ sub: ALICE, role })).toString('base64url'),
    })
    devices.push(device)
    device.connect({ streams: { include_defaults: false, subscriptions: [subscription('small', { max: 1 })] } })
    await device.until(() => device.rows('issues').length === 1)
    expect(device.lines[0]?.checkpoint?.streams).toEqual([{ name: 'small', is_default: false, errors: [] }])
    // It cannot be dropped: servers in other databases of the cluster may have given it something too.
    await world.run(`revoke ${role} from authenticator`)
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
  test('come in their order, and complete ones can be shown', async () => {
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

  test('can be asked for by table, of the tables that devices have by default', async () => {
    await join(ALICE, ORG)
    await world.run(`
      insert into notes (org_id, body) select '${ORG}', 'a note' from generate_series(1, 50);
      insert into issues (org_id) values ('${ORG}')`)
    const device = open(
      [subscription('everything/notes', {}, 1), subscription('everything/issues', {}, 1), subscription('everything/x')],
      { includeDefaults: true },
    )
    await device.next()
    expect(device.partials.map(({ priority, state }) => [priority, state.size])).toEqual([
      [0, 0],
      [1, 50],
    ])
    expect(device.rows('members')).toHaveLength(1)
    // That row is in streams which this device has not subscribed to.
    expect(device.ids('issues')).toEqual([])
    const streams = device.lines.flatMap(({ checkpoint }) => checkpoint?.streams ?? [])
    expect(streams).toContainEqual({
      name: 'everything/x',
      is_default: false,
      errors: [{ subscription: 2, message: 'there is no stream "everything/x"' }],
    })
    await world.run(`update notes set body = 'changed'`)
    await device.until(() => device.rows('notes').every((row) => (row as { body: string }).body === 'changed'))
    expect(device.faults).toEqual([])
  })

  test('let urgent operations overtake others', async () => {
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
    // Another device of hers has it: it is in the log.
    const other = open([subscription('by_project', { project: ONE }, 0)])
    await other.until(() => other.ids('issues').length === 1)
    device.resume()
    await device.until(() => device.partials.some(({ state }) => state.size === 1), 'the urgent row')
    expect(device.completed).toHaveLength(0)
    await device.until(() => device.completed.length > 0, 'the rest')
    expect(device.state.size).toBe(20_001)
    expect(device.faults).toEqual([])
  })
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
    await world.run(`select sync.create_stream('narrow', 'select id from issues')`)
    const device = open([subscription('narrow', {})])
    await expect
      .poll(() => world.service.plan()?.streams.flatMap(({ refused }) => refused), { timeout: 60_000 })
      .toEqual([{ query: 'select id from issues', reason: expect.stringContaining('whole rows') as string }])
    await device.until(() => JSON.stringify(device.lines).includes('cannot be followed: a stream selects whole rows'))
    await world.run(`select sync.drop_stream('narrow')`)
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
      .poll(() => world.service.plan()?.refused.find(({ name }) => name === 'open'), { timeout: 60_000 })
      .toMatchObject({ policy: 'asked', reason: expect.stringContaining('widen') as string })
    await world.run('drop table public.open')
  })
})
