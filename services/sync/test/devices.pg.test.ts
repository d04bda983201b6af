import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { StreamClient } from './stream-client.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

/* What operators learn of devices, and do to them. */

let world: World
let open: StreamClient[] = []

beforeAll(async () => {
  world = await openWorld()
  await world.run(`insert into items (owner_id, title) select '${ALICE}', 'item ' || n from generate_series(1, 20) n`)
})
afterEach(async () => {
  for (const device of open) device.disconnect()
  open = []
  await expect.poll(() => world.service.status().connections).toBe(0)
})
afterAll(async () => world[Symbol.asyncDispose]())

async function connect(userId = ALICE, body: object = {}): Promise<{ device: StreamClient; id: string }> {
  const id = randomUUID()
  const device = world.device(userId, { clientId: id, body })
  open.push(device)
  device.connect()
  await device.until(() => device.completed.length > 0)
  return { device, id }
}

test('a device is listed with what it says of itself, what it has, and that it is complete', async () => {
  const { id } = await connect(ALICE, { app_metadata: { release: '4.2' } })
  const { devices } = await world.service.devices.list({ users: [ALICE], limit: 10 })
  expect(devices.find(({ clientId }) => clientId === id)).toMatchObject({
    userId: ALICE,
    isConnected: true,
    appMetadata: { release: '4.2' },
    address: '127.0.0.1',
    checkpoint: { opId: expect.any(Number) as number },
    buckets: 1,
    operations: 20,
    delay: { causes: [], seconds: 0 },
    endedAt: null,
  })
  const details = await world.service.devices.read(ALICE, id)
  expect(details?.tables).toEqual([{ table: 'public.items', buckets: 1, operations: 20, rows: 20 }])
  expect(details?.stream).toMatchObject({ phase: 'resting', keys: 'none', isPending: false })
})

test('a device that left is offline, with the time and the reason', async () => {
  const { device, id } = await connect()
  device.disconnect()
  await expect.poll(() => world.service.status().connections).toBe(0)
  await expect
    .poll(async () => (await world.service.devices.read(ALICE, id))?.device)
    .toMatchObject({ isConnected: false, endReason: 'connection_closed', delay: { seconds: null } })
  const read = await world.service.devices.read(ALICE, id)
  expect(read?.device.delay.causes[0]?.text).toMatch(/^It has not been connected for \d seconds?: the device closed/)
  const offline = await world.service.devices.list({ state: 'offline', limit: 100 })
  const connected = await world.service.devices.list({ state: 'connected', limit: 100 })
  expect(offline.devices.map(({ clientId }) => clientId)).toContain(id)
  expect(connected.devices.map(({ clientId }) => clientId)).not.toContain(id)
})

test('a device of a server that was killed is not connected', async () => {
  const { id } = await connect(BOB)
  await world.service.devices.list({ limit: 1 })
  await world.run(`update sync.devices set node = 'killed' where client_id = '${id}'`)
  const { devices } = await world.service.devices.list({ state: 'connected', users: [BOB], limit: 10 })
  expect(devices).toEqual([])
})

test('resync makes a device clear its buckets and download all rows again, while changes go on', async () => {
  const { device, id } = await connect()
  const before = device.state
  const received = device.received.length
  expect(await world.service.devices.resync(ALICE, id)).toBe(true)
  await device.next()
  expect(device.lines.some(({ data }) => data?.data.some(({ op }) => op === 'CLEAR'))).toBe(true)
  expect(device.received.length - received).toBe(20)
  expect(device.state).toEqual(before)
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'later')`)
  await device.until(({ state }) => state.size === 21)
  expect(device.faults).toEqual([])
  await world.run(`delete from items where title = 'later'`)
})

test('an ended stream tells the device to fetch a token and come back', async () => {
  const { device, id } = await connect()
  expect(await world.service.devices.end(ALICE, id)).toBe(true)
  await device.until(() => !device.isOpen)
  expect(device.lines.at(-1)).toEqual({ token_expires_in: 0 })
  await expect
    .poll(async () => (await world.service.devices.read(ALICE, id))?.device.endReason)
    .toBe('ended_by_operator')
  expect(await world.service.devices.end(ALICE, id)).toBe(false)
  expect(await world.service.devices.resync(ALICE, id)).toBe(false)
  device.connect()
  await device.next()
  expect((await world.service.devices.read(ALICE, id))?.device).toMatchObject({ isConnected: true, endReason: null })
})

test('a comparison is equal, and names rows that differ from Postgres', async () => {
  const { id } = await connect()
  const compare = (): ReturnType<World['service']['devices']['compare']> =>
    world.service.devices.compare(ALICE, id, AbortSignal.timeout(20_000))
  expect(await compare()).toMatchObject({ equal: true, tables: { items: 20 }, differences: [] })
  // A row that the log lost.
  await world.run(`delete from sync.ops where op_id = (select min(op_id) from sync.ops where row_key is not null)`)
  expect(await compare()).toMatchObject({ equal: false, differences: [{ table: 'items', kind: 'missing' }] })
})

test('uploads are listed with verdicts, and rejected changes grouped by reason', async () => {
  const { id } = await connect(BOB)
  const verdicts = JSON.stringify([
    { op_id: 1, status: 'error', sqlstate: '42501', message: 'refused', table: 'items', policies: ['own'] },
    { op_id: 2, status: 'not_reached' },
  ])
  await world.run(`
    insert into sync.uploads (user_id, client_id, position, body_hash, status, verdicts)
    select '${BOB}', '${id}', n, '\\x00', case when n = 3 then 'applied' else 'refused' end,
           case when n = 3 then '[{"op_id": 9, "status": "applied"}]' else '${verdicts}' end::json
      from generate_series(1, 3) n`)
  const details = await world.service.devices.read(BOB, id)
  expect(details?.uploads.map(({ position, status, operations }) => [position, status, operations])).toEqual([
    [3, 'applied', 1],
    [2, 'refused', 2],
    [1, 'refused', 2],
  ])
  expect(details?.rejections).toMatchObject([{ table: 'items', reason: 'Policy "own"', count: 2 }])
  expect(details?.device.rejected).toBe(2)
})

test('of one user, only so many devices are kept', async () => {
  await world.run(`
    insert into sync.devices (user_id, client_id, node, user_agent, address, connected_at, seen_at)
    select 'many', 'old ' || n, 'x', '', '', now(), now() - make_interval(mins => n) from generate_series(1, 120) n`)
  const device = world.device('many', { clientId: 'new' })
  open.push(device)
  device.connect()
  await device.until(() => device.status !== undefined)
  await world.service.devices.list({ limit: 1 })
  const kept = await world.rows<{ client_id: string }>(
    `select client_id from sync.devices where user_id = 'many' order by seen_at desc`,
  )
  expect(kept).toHaveLength(100)
  expect(kept[0]?.client_id).toBe('new')
})

test('pages list every device once', async () => {
  await connect()
  const seen: string[] = []
  type Page = Awaited<ReturnType<World['service']['devices']['list']>>
  for (let page: Page | undefined; !page || page.next;) {
    page = await world.service.devices.list({ users: ['many'], limit: 30, after: page?.next })
    seen.push(...page.devices.map(({ clientId }) => clientId))
  }
  expect(seen).toHaveLength(100)
  expect(new Set(seen).size).toBe(100)
})
