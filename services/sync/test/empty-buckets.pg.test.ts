import { runsOf } from '@holdfast/test-support'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { StreamClient } from './stream-client.ts'
import { ONE, ORG, SCHEMA, subscription } from './streams-world.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

/* Buckets that all rows have left are dropped when no device has them, and a device that comes back with one of them is right all the same. */

const LIST = '11111111-0000-4000-8000-000000000000'

let world: World
let alice: StreamClient

beforeEach(async () => {
  world = await openWorld()
  await world.run(`
    insert into public.list_members (list_id, user_id) values ('${LIST}', '${ALICE}');
    insert into public.items (owner_id, list_id, title, n) select '${BOB}', '${LIST}', 'row ' || n, n from generate_series(1, 20) n`)
  alice = world.device(ALICE, { clientId: 'alice' })
  alice.connect()
  await alice.until(() => alice.ids('items').length === 20)
})

afterEach(async () => world?.[Symbol.asyncDispose]())

const buckets = async (): Promise<{ name: string; ops: number }[]> =>
  world.rows(`
    select b.name, (select count(*)::int from sync.ops o where o.bucket_id = b.id) as ops from sync.buckets b
     where b.name like '%${LIST}%' order by b.id`)

/** Something superseded waits for one round. */
async function compact(): Promise<void> {
  await world.service.compact()
  await world.service.compact()
}

async function untilGone(): Promise<void> {
  await expect
    .poll(async () => {
      await compact()
      return buckets()
    })
    .toEqual([])
}

async function expectEqual(device: StreamClient): Promise<void> {
  const visible = await world.visible(ALICE)
  await device.until(() => JSON.stringify([...device.state].toSorted()) === JSON.stringify([...visible].toSorted()))
  expect(device.faults).toEqual([])
}

test('an empty bucket that no device has is gone, and its rows leave a device that comes back', async () => {
  alice.disconnect()
  await world.run(`delete from public.items`)
  await untilGone()
  expect(
    await world.rows(`select from sync.ops o where not exists (select from sync.buckets b where b.id = o.bucket_id)`),
  ).toEqual([])
  alice.connect()
  await alice.until(() => alice.completed.length > 1)
  await expectEqual(alice)
  // It comes again while the device is there.
  await world.run(`insert into public.items (owner_id, list_id, title) values ('${BOB}', '${LIST}', 'again')`)
  await alice.until(() => alice.ids('items').length === 1)
  await expectEqual(alice)
})

test('a device that was away while its bucket was dropped and made again receives it from scratch', async () => {
  alice.disconnect()
  await world.run(`delete from public.items`)
  await untilGone()
  await world.run(`insert into public.items (owner_id, list_id, title) values ('${BOB}', '${LIST}', 'again')`)
  const another = world.device(ALICE)
  another.connect()
  await expectEqual(another)
  expect(await buckets()).toHaveLength(1)
  alice.connect()
  await alice.until(() => alice.completed.length > 1)
  await expectEqual(alice)
  await world.run(`update public.items set title = 'changed'`)
  await expectEqual(alice)
  await expectEqual(another)
})

test('also one that has seen its last row go', async () => {
  await world.run(`delete from public.items`)
  await alice.until(() => alice.ids('items').length === 0)
  alice.disconnect()
  await untilGone()
  await world.run(`insert into public.items (owner_id, list_id, title) values ('${BOB}', '${LIST}', 'again')`)
  alice.connect()
  await alice.until(() => alice.ids('items').length === 1)
  await expectEqual(alice)
})

test('a bucket that a device has stays until it leaves', async () => {
  await world.run(`delete from public.items`)
  await alice.until(() => alice.ids('items').length === 0)
  await compact()
  await compact()
  expect(await buckets()).toMatchObject([{ ops: 1 }])
  await world.run(`insert into public.items (owner_id, list_id, title) values ('${BOB}', '${LIST}', 'again')`)
  await alice.until(() => alice.ids('items').length === 1)
  await expectEqual(alice)
  await world.run(`delete from public.items`)
  await alice.until(() => alice.ids('items').length === 0)
  await compact()
  alice.disconnect()
  await untilGone()
})

test('an empty bucket that a subscription names is empty on a device that comes back', async () => {
  await using streams = await openWorld({ schema: SCHEMA })
  await streams.run(`insert into members (org_id, user_id) values ('${ORG}', '${ALICE}');
    insert into issues (id, org_id, project_id) values ('${ONE}', '${ORG}', '${ONE}')`)
  const wanted = { streams: { include_defaults: false, subscriptions: [subscription('by_project', { project: ONE })] } }
  const device = streams.device(ALICE, { clientId: 'alice' })
  device.connect(wanted)
  await device.until(() => device.ids('issues').length === 1)
  device.disconnect()
  await streams.run(`delete from issues`)
  await expect
    .poll(async () => {
      await streams.service.compact()
      return streams.rows(`select from sync.buckets where name like 'issues.%'`)
    })
    .toEqual([])
  const before = device.completed.length
  device.connect(wanted)
  await device.until(() => device.completed.length > before)
  expect(device.ids('issues')).toEqual([])
  await streams.run(`insert into issues (org_id, project_id) values ('${ORG}', '${ONE}')`)
  await device.until(() => device.ids('issues').length === 1)
  expect(device.faults).toEqual([])
})

test('rows that come while buckets are dropped are in the log once, whoever looks', async () => {
  const lists = Array.from({ length: 30 }, (_, n) => `22222222-0000-4000-8000-${String(n).padStart(12, '0')}`)
  await world.run(
    `insert into public.list_members (list_id, user_id) select l, '${ALICE}' from unnest('{${lists.join(',')}}'::uuid[]) l`,
  )
  const stopping = new AbortController()
  const compacting = (async () => {
    while (!stopping.signal.aborted) await world.service.compact()
  })()
  for (let round = 0; round < runsOf(40, { least: 12 }); round++) {
    const some = lists.filter((_, n) => (n * 7 + round) % 3 === 0)
    await world.run(`delete from public.items where list_id = any('{${lists.filter((_, n) => (n + round) % 2 === 0).join(',')}}');
      insert into public.items (owner_id, list_id, title) select '${BOB}', l, 'round ${round}' from unnest('{${some.join(',')}}'::uuid[]) l`)
    if (round % 4 === 0) alice.disconnect()
    if (round % 4 === 2) alice.connect()
  }
  stopping.abort()
  await compacting
  alice.disconnect()
  alice.connect()
  await expectEqual(alice)
  const another = world.device(ALICE)
  another.connect()
  await expectEqual(another)
  const wrong = await world.rows(`
    select b.name from sync.buckets b
      left join (select bucket_id, sum(checksum::bigint)::bigint & 4294967295 as checksum, count(*) as count from sync.ops group by 1) o on o.bucket_id = b.id
     where coalesce(o.checksum, 0) <> b.checksum or coalesce(o.count, 0) <> b.count or b.name = ''`)
  expect(wrong).toEqual([])
  expect(
    await world.rows(`select from sync.ops o where not exists (select from sync.buckets b where b.id = o.bucket_id)`),
  ).toEqual([])
})
