import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DeviceState, StreamClient } from './stream-client.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

const SCHEMA = `
  create table public.readings (id int not null, owner_id uuid, month int not null, n int, primary key (id, month)) partition by list (month);
  create table public.readings_1 partition of public.readings for values in (1);
  create table public.readings_2 partition of public.readings for values in (2);
  alter table public.readings enable row level security;
  create policy own on public.readings for select using (owner_id = (select auth.uid()));
  create table public.teams (id int not null, team_id int not null, user_id uuid not null, primary key (id, team_id)) partition by list (team_id);
  create table public.teams_1 partition of public.teams for values in (1);
  create table public.teams_2 partition of public.teams for values in (2);
  create table public.plans (id int primary key, team_id int);
  alter table public.teams enable row level security;
  alter table public.plans enable row level security;
  create policy own on public.teams for select using (user_id = (select auth.uid()));
  create policy team on public.plans for select using (team_id in (select t.team_id from public.teams t where t.user_id = (select auth.uid())));
`

let world: World
let alice: StreamClient
let bob: StreamClient

beforeEach(async () => {
  world = await openWorld({ schema: SCHEMA })
  await world.run(
    `insert into public.readings values (1, '${ALICE}', 1, 10), (2, '${BOB}', 1, 20), (3, '${ALICE}', 2, 30)`,
  )
  alice = world.device(ALICE)
  bob = world.device(BOB)
  alice.connect()
  bob.connect()
})

afterEach(() => world[Symbol.asyncDispose]())

async function shown(userId: string): Promise<DeviceState> {
  const rows = await world.rows<{ id: number; owner_id: string; month: number; n: number | null }>(
    `select id, owner_id, month, n from public.readings where owner_id = '${userId}'`,
  )
  const plans = await world.rows<{ id: number; team_id: number }>(
    `select p.* from public.plans p where team_id in (select team_id from public.teams where user_id = '${userId}')`,
  )
  const teams = await world.rows<{ id: number; team_id: number; user_id: string }>(
    `select * from public.teams where user_id = '${userId}'`,
  )
  const keyed = (id: number, other: number): string => JSON.stringify([String(id), String(other)])
  return new Map([
    ...rows.map(
      (row) =>
        [
          `readings/${keyed(row.id, row.month)}`,
          JSON.stringify({ id_: row.id, owner_id: row.owner_id, month: row.month, n: row.n }),
        ] as const,
    ),
    ...teams.map(
      (row) =>
        [
          `teams/${keyed(row.id, row.team_id)}`,
          JSON.stringify({ id_: row.id, team_id: row.team_id, user_id: row.user_id }),
        ] as const,
    ),
    ...plans.map((row) => [`plans/${row.id}`, JSON.stringify(row)] as const),
  ])
}

const sorted = (state: DeviceState): readonly (readonly [string, string])[] =>
  [...state].toSorted(([left], [right]) => (left < right ? -1 : 1))

async function untilEqual(): Promise<void> {
  for (const [userId, device] of [
    [ALICE, alice],
    [BOB, bob],
  ] as const) {
    const wanted = await shown(userId)
    await device
      .until(
        () => {
          if (!device.isOpen) device.connect()
          return device.completed.length > 0 && JSON.stringify(sorted(device.state)) === JSON.stringify(sorted(wanted))
        },
        'equality',
        6_000,
      )
      .catch(() => expect(sorted(device.state)).toEqual(sorted(wanted)))
    expect(device.faults).toEqual([])
  }
}

describe('a partitioned table', () => {
  test('syncs as one, and rows move between its partitions and people', async () => {
    await untilEqual()
    expect(alice.state.size).toBe(2)
    await world.run(`update public.readings set n = n + 1; update public.readings set month = 2, n = 0 where id = 1`)
    await untilEqual()
    await world.run(`update public.readings set month = 1, owner_id = '${BOB}' where id = 3`)
    await untilEqual()
    await world.run(`delete from public.readings where id = 2`)
    await untilEqual()
  })

  test('follows partitions that are made, and logs old rows in full from their first change on', async () => {
    await untilEqual()
    await world.run(`
      create table public.readings_3 partition of public.readings for values in (3);
      insert into public.readings values (7, '${ALICE}', 3, 1);
      update public.readings set n = 2 where id = 7`)
    await world.run(`update public.readings set owner_id = '${BOB}' where id = 7`)
    await untilEqual()
    expect([...bob.state.keys()]).toContain('readings/["7","3"]')
  })

  test('follows partitions that come with rows, and those that are detached or dropped with theirs', async () => {
    await untilEqual()
    await world.run(`
      create table public.old (id int not null, owner_id uuid, month int not null, n int, primary key (id, month));
      insert into public.old values (8, '${ALICE}', 4, 1), (9, '${BOB}', 4, 2)`)
    await world.run(`alter table public.readings attach partition public.old for values in (4)`)
    await untilEqual()
    expect(alice.state.size).toBe(3)
    await world.run(`update public.old set n = 5`)
    await untilEqual()
    await world.run(`alter table public.readings detach partition public.readings_1`)
    await untilEqual()
    await world.run(`drop table public.old`)
    await untilEqual()
    expect(alice.state.size).toBe(1)
  })

  test('follows a partition that is truncated by itself, and the whole one', async () => {
    await untilEqual()
    await world.run(`truncate public.readings_1`)
    await untilEqual()
    expect(alice.state.size).toBe(1)
    await world.run(`truncate public.readings`)
    await untilEqual()
    expect(alice.state.size).toBe(0)
  })

  test('does not read the table again for a partition without rows', async () => {
    await untilEqual()
    const definitions = (): Promise<object[]> => world.rows(`select id, tag from sync.definitions order by 1, 2`)
    const before = await definitions()
    await world.run(`
      create table public.readings_5 partition of public.readings for values in (5);
      create table public.readings_6 partition of public.readings for values in (6)`)
    await world.run(`insert into public.readings values (11, '${ALICE}', 5, 1)`)
    await untilEqual()
    await world.run(`alter table public.readings detach partition public.readings_6`)
    await world.run(`insert into public.readings values (12, '${ALICE}', 5, 1)`)
    await untilEqual()
    expect(await definitions()).toEqual(before)
  })

  test('may decide who sees other tables', async () => {
    await untilEqual()
    await world.run(
      `insert into public.plans values (1, 1), (2, 2); insert into public.teams values (1, 1, '${ALICE}')`,
    )
    await untilEqual()
    await world.run(`update public.teams set team_id = 2`)
    await untilEqual()
    expect([...alice.state.keys()]).toContain('plans/2')
    await world.run(`truncate public.teams_2`)
    await untilEqual()
    expect(alice.state.has('plans/2')).toBe(false)
  })

  test('is followed while Holdfast is down', async () => {
    await untilEqual()
    await world.stop()
    await world.run(`
      create table public.readings_3 partition of public.readings for values in (3);
      insert into public.readings values (7, '${ALICE}', 3, 1)`)
    await world.run(`alter table public.readings detach partition public.readings_2`)
    await world.restart()
    alice = world.device(ALICE)
    bob = world.device(BOB)
    await untilEqual()
  })
})
