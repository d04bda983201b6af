import { expect, test } from 'vitest'
import { delay } from '@holdfast/foundation'
import { holdCopies } from '../held-copies.ts'
import { ALICE, BOB, LISTS_SCHEMA, openWorld, type World } from '../sync-world.ts'
import type { SyncStatus } from '../../src/inspect/status.ts'

const serviceKey = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')

async function statusOf(world: World, token = serviceKey): Promise<SyncStatus> {
  const response = await fetch(`${world.url}/sync/v1/status`, { headers: { authorization: `Bearer ${token}` } })
  return (await response.json()) as SyncStatus
}

test('tells where the reader, the slot, the devices, the log and compaction are, and what does not sync', async () => {
  await using world = await openWorld()
  await world.run(`
    create table public.plain (id int primary key);
    insert into public.items (owner_id, title) select '${ALICE}', 'row ' || n from generate_series(1, 200) n`)
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  alice.connect()
  bob.connect()
  await alice.until(() => alice.ids('items').length === 200)
  await bob.until(() => bob.completed.length > 0)
  await world.run(`update public.items set n = n + 1`)
  await alice.until(() => JSON.parse(alice.state.values().next().value ?? '{}').n === 1)
  await world.service.compact()
  await world.service.compact()

  const status = await statusOf(world)
  expect(status).toMatchObject({
    ready: true,
    reader: { state: 'following' },
    slot: { active: true, walStatus: 'reserved', name: expect.stringMatching(/^holdfast_\d+$/) },
    filling: [],
    definitions: { waiting: 0, dropped: 0 },
    devices: { connected: 2, people: 2 },
    compaction: { intervalSeconds: 0, sinceStart: { dropped: expect.any(Number) } },
  })
  expect(status.definitions.served).toBeGreaterThanOrEqual(3)
  expect(status.devices.keyEvaluations).toBeGreaterThanOrEqual(2)
  expect(status.checkpoint.opId).toBeGreaterThanOrEqual(400)
  expect(Date.now() - Date.parse(status.checkpoint.lastCommitAt ?? '')).toBeLessThan(60_000)
  expect(status.log.buckets).toBe(1)
  expect(status.log.operations).toBeGreaterThanOrEqual(200)
  expect(status.log.bytes).toBeGreaterThan(50_000)
  expect(status.log.sourceBytes).toBeGreaterThan(20_000)
  expect(status.compaction.last?.dropped).toBe(status.compaction.sinceStart.dropped)
  expect(status.compaction.sinceStart.dropped).toBeGreaterThan(100)
  await expect
    .poll(async () => (await statusOf(world)).refused)
    .toContainEqual({ table: 'public.plain', reason: expect.any(String) })

  expect(await statusOf(world, world.token(ALICE))).toMatchObject({ error: { status: 403 } })
})

test('tells how far behind the reader is while it cannot write', async () => {
  await using world = await openWorld()
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = world.db.pool.transaction(async (tx) => {
    await tx.client.query('lock table sync.ops in exclusive mode')
    locked.resolve()
    await held.promise
  })
  await locked.promise
  await world.run(
    `insert into public.items (owner_id, title) select '${ALICE}', repeat('x', 500) from generate_series(1, 100)`,
  )
  await world.run(`update public.items set n = 1`)
  await expect.poll(async () => (await statusOf(world)).reader.lagSeconds).toBeGreaterThan(1)
  const { slot } = await statusOf(world)
  held.resolve()
  await holding
  expect(slot.lagBytes).toBeGreaterThan(50_000)
  await expect.poll(async () => (await statusOf(world)).reader.lagSeconds).toBe(0)
})

test('tells how far the reading of a large table is, also after a restart in the middle', async () => {
  // The first chunk comes, and the second does not.
  await using copies = await holdCopies('readings', 1)
  await using world = await openWorld({
    through: (url) => copies.through(url),
    schema: `${LISTS_SCHEMA}
      create table public.readings (id int primary key, owner_id uuid, v text);
      insert into public.readings select n, '${ALICE}', repeat('x', 200) from generate_series(1, 60000) n;`,
  })
  await world.run(`
    alter table public.readings enable row level security;
    create policy own on public.readings for select using (owner_id = (select auth.uid()))`)
  const reading = async (): Promise<SyncStatus['filling'][number] | undefined> => (await statusOf(world)).filling[0]
  let first = await reading()
  while (!first || first.rowsRead === 0) {
    await delay(5)
    first = await reading()
  }
  expect(first).toMatchObject({ table: 'public.readings', state: 'being read' })
  expect(first.definitions).toEqual([expect.stringMatching(/^readings\./)])
  expect(first.rowsTotal).toBeGreaterThan(20_000)
  expect(first.rowsPerSecond).toBeGreaterThan(0)

  await world.restart()
  const second = await reading()
  expect(second?.rowsRead).toBeGreaterThanOrEqual(first.rowsRead)
  copies.release()
  await expect.poll(async () => (await statusOf(world)).filling, { timeout: 60_000 }).toEqual([])
  const [row] = await world.rows<{ count: number }>(
    `select sum(count)::int as count from sync.buckets where name like 'readings.%'`,
  )
  expect(row?.count).toBe(60_000)
})

test('tells which queries of a stream cannot be followed, and why', async () => {
  await using world = await openWorld()
  await world.run(`select sync.create_stream('ids', array['select * from items', 'select id from items'])`)
  await expect
    .poll(async () => (await statusOf(world)).refusedStreams)
    .toEqual([
      {
        stream: 'ids',
        query: 'select id from items',
        reason: expect.stringContaining('whole rows of one table') as string,
      },
    ])
})
