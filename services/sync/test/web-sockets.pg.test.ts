import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { StreamClient, StreamClientOptions } from './stream-client.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

/* Streams over WebSockets have the rows, limits, back-pressure and end of those over HTTP, which the other tests look at. */

let world: World
let devices: StreamClient[] = []

beforeAll(async () => {
  world = await openWorld({ connectionsMax: 20, drainMs: 200 })
})
beforeEach(() =>
  world.run(`insert into items (owner_id, title) select '${ALICE}', 'own ' || i from generate_series(1, 5) i`),
)
afterEach(async () => {
  for (const device of devices) device.disconnect()
  devices = []
  await world.run('delete from items')
  await expect.poll(() => world.service.status().connections).toBe(0)
})
afterAll(async () => world[Symbol.asyncDispose]())

function open(user = ALICE, options: Partial<StreamClientOptions> = {}): StreamClient {
  const device = world.device(user, { transport: 'web-socket', ...options })
  devices.push(device)
  device.connect()
  return device
}

async function expectEqual(device: StreamClient, user = ALICE): Promise<void> {
  const expected = JSON.stringify([...(await world.visible(user))].toSorted())
  await device.until(() => {
    if (!device.isOpen) device.connect()
    return JSON.stringify([...device.state].toSorted()) === expected
  }, 'the rows of Postgres')
  expect(device.faults).toEqual([])
}

test('a server that follows another serves them, too: rows, changes and revocation', async () => {
  const follower = await world.another()
  const device = open(ALICE, { url: follower.url })
  await expectEqual(device)
  await world.run(`update items set title = 'changed' where title = 'own 1'`)
  await expectEqual(device)
  await world.run(`update items set owner_id = '${BOB}' where title = 'own 2'`)
  await expectEqual(device)
  expect(device.state.size).toBe(4)
  await follower.stop()
})

test('an account has its share of the streams, over both transports together', async () => {
  const first = [open(), open(ALICE, { transport: 'http' }), open(), open(), open()]
  for (const device of first) await device.until(() => device.completed.length > 0)
  const refused = open()
  await refused.until(() => refused.refusal !== '')
  expect(refused.refusal).toContain('[PSYNC_S2304] This account has 5 streams open')
  await expectEqual(open(BOB), BOB)
})

test('a device that opens another stream replaces its older one, whatever the transport', async () => {
  const older = open(ALICE, { clientId: 'phone' })
  await older.until(() => older.completed.length > 0)
  const newer = open(ALICE, { clientId: 'phone', transport: 'http' })
  await newer.until(() => newer.completed.length > 0)
  await older.until(() => !older.isOpen)
  expect(older.refusal).toBe('')
  expect(world.service.status().connections).toBe(1)
})

test('a device that asks for nothing gets no more than it had asked for, and goes on where it stopped', async () => {
  const device = open()
  await device.until(() => device.completed.length > 0)
  device.pause()
  const before = device.lines.length
  const other = open(ALICE, { transport: 'http' })
  for (let round = 0; round < 10; round++) {
    await world.run(`update items set n = n + 1`)
    await expectEqual(other)
  }
  // Ten were left at most; what the other device got is two lines or more for each change.
  expect(device.lines.length - before).toBeLessThanOrEqual(10)
  expect(device.state).not.toEqual(other.state)
  device.resume()
  await expectEqual(device)
})

test('a server that stops tells its devices to come back, and ends them', async () => {
  const device = open()
  await device.until(() => device.completed.length > 0)
  const stopped = world.stop()
  await device.until(({ lines }) => lines.some((line) => line.token_expires_in === 10))
  const late = open(BOB)
  await late.until(() => late.refusal !== '')
  expect(late.refusal).toMatch(/PSYNC_S2003|503/)
  await stopped
  expect(device.isOpen).toBe(false)
  await world.restart()
})
