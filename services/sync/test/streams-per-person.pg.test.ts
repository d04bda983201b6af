import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { StreamClient } from './stream-client.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

/* One account never keeps the others out: it has its share of the streams, and a device one of them. */

let world: World
let devices: StreamClient[] = []

beforeAll(async () => {
  world = await openWorld({ connectionsMax: 60, streamsPerPersonMax: 100 })
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'of Alice'), ('${BOB}', 'of Bob')`)
})

afterEach(async () => {
  for (const device of devices) device.disconnect()
  devices = []
  await expect.poll(() => world.service.status().connections).toBe(0)
})

afterAll(async () => world[Symbol.asyncDispose]())

function open(userId: string, clientId?: string): StreamClient {
  const device = world.device(userId, clientId === undefined ? {} : { clientId })
  devices.push(device)
  device.connect()
  return device
}

test('one account that opens all streams gets a quarter of them, and others get theirs', async () => {
  const greedy = Array.from({ length: 60 }, (_, number) => open(ALICE, `device ${number}`))
  for (const device of greedy) await device.until(() => device.status === 200 || device.refusal !== '')
  const refused = greedy.filter(({ status }) => status !== 200)
  expect(refused).toHaveLength(45)
  for (const { status, refusal } of refused) {
    expect(status).toBe(429)
    expect(JSON.parse(refusal)).toMatchObject({ error: { code: 'PSYNC_S2304' } })
  }
  const bob = open(BOB)
  await bob.until(() => bob.completed.length > 0)
  expect([...(bob.completed.at(-1)?.state.values() ?? [])].join()).toContain('of Bob')
})

test('a stream that ends makes room for the next', async () => {
  const greedy = Array.from({ length: 15 }, (_, number) => open(ALICE, `device ${number}`))
  for (const device of greedy) await device.until(() => device.completed.length > 0)
  const late = open(ALICE, 'late')
  await late.until(() => late.refusal !== '')
  greedy[0]?.disconnect()
  await expect.poll(() => world.service.status().connections).toBe(14)
  late.connect()
  await late.until(() => late.completed.length > 0)
})

test('the newest stream of a device ends the older one, whatever is open', async () => {
  const others = Array.from({ length: 14 }, (_, number) => open(ALICE, `device ${number}`))
  for (const device of others) await device.until(() => device.completed.length > 0)
  const streams = [open(ALICE, 'phone')]
  for (let again = 0; again < 5; again++) {
    await streams.at(-1)?.until(() => (streams.at(-1)?.completed.length ?? 0) > 0)
    streams.push(open(ALICE, 'phone'))
  }
  const newest = streams.pop() as StreamClient
  await newest.until(() => newest.completed.length > 0)
  for (const older of streams) await older.until(() => !older.isOpen)
  expect(newest.isOpen).toBe(true)
  expect(world.service.status().connections).toBe(15)
  await world.run(`update items set title = 'changed' where owner_id = '${ALICE}'`)
  await newest.until(() => [...(newest.completed.at(-1)?.state.values() ?? [])].join().includes('changed'))
})

test('two people whose devices have the same id do not end each other', async () => {
  const [alice, bob] = [open(ALICE, 'tablet'), open(BOB, 'tablet')]
  for (const device of [alice, bob]) await device.until(() => device.completed.length > 0)
  expect([alice.isOpen, bob.isOpen]).toEqual([true, true])
})

test('a device that reads nothing any more does not keep its next stream waiting', async () => {
  await world.run(
    `insert into items (owner_id, title) select '${ALICE}', string_agg(md5(g::text || p::text), '') from generate_series(1, 100) g, generate_series(1, 3000) p group by g`,
  )
  const stuck = open(ALICE, 'phone')
  await stuck.until(() => stuck.status === 200)
  stuck.pause()
  await expect.poll(() => world.waitingBytes(), { timeout: 60_000 }).toBeGreaterThan(0)
  const next = open(ALICE, 'phone')
  await next.until(() => next.completed.length > 0)
  await expect.poll(() => world.service.status().connections).toBe(1)
})
