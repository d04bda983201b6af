import { afterEach, beforeEach, expect, test } from 'vitest'
import { ALICE, openWorld, type World } from '../sync-world.ts'

/*
 * A device that waits for a write checkpoint applies nothing until its number comes. When the log is built again, or comes from a backup that does not know
 * the number, the device still gets one that is at least as high: the new log has everything that committed before.
 */

const DEVICE = '00000000-0000-4000-8000-00000000000d'

let world: World

beforeEach(async () => {
  world = await openWorld()
})

afterEach(() => world[Symbol.asyncDispose]())

async function askWriteCheckpoint(): Promise<bigint> {
  const response = await fetch(`${world.url}/write-checkpoint2.json?client_id=${DEVICE}`, {
    headers: { authorization: `Token ${world.token(ALICE)}` },
  })
  const body = (await response.json()) as { data: { write_checkpoint: string } }
  return BigInt(body.data.write_checkpoint)
}

async function dropSlot(): Promise<void> {
  await world.run(
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database() and not active`,
  )
}

test('a device that asked a log that is gone gets a number that is not lower', async () => {
  const asked = await askWriteCheckpoint()
  await world.stop()
  await dropSlot()
  await world.restart()
  const device = world.device(ALICE, { clientId: DEVICE })
  device.connect()
  await device.until(({ completed }) => BigInt(completed.at(-1)?.writeCheckpoint ?? 0) >= asked, 'the write checkpoint')
  expect(await askWriteCheckpoint()).toBeGreaterThan(asked)
})

test('so does one that asked after the backup was taken that the database was restored from', async () => {
  await askWriteCheckpoint()
  const [backedUp] = await world.rows<{ last: string }>(
    'select last_value::text as last from sync.write_checkpoint_ids',
  )
  await askWriteCheckpoint()
  const asked = await askWriteCheckpoint()
  await world.stop()
  await world.run(
    `select setval('sync.write_checkpoint_ids', ${backedUp?.last ?? '1'}); update sync.write_checkpoints set id = ${backedUp?.last ?? '1'}`,
  )
  await dropSlot()
  await world.restart()
  const device = world.device(ALICE, { clientId: DEVICE })
  device.connect()
  await device.until(({ completed }) => BigInt(completed.at(-1)?.writeCheckpoint ?? 0) >= asked, 'the write checkpoint')
  expect(await askWriteCheckpoint()).toBeGreaterThan(asked)
})

test('the first log of a database gives no number to a device that asked for none', async () => {
  const device = world.device(ALICE, { clientId: DEVICE })
  device.connect()
  await device.next()
  expect(device.completed.at(-1)?.writeCheckpoint).toBeUndefined()
})
