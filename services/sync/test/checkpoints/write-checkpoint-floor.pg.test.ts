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

interface Backup {
  readonly title: string
  /** Write checkpoints that were given before the backup was taken. */
  readonly before: number
  /** A physical copy has the slot; a base backup or a dump does not. */
  readonly hasSlot: boolean
  /** A dump of the project's own schemas has nothing of sync. */
  readonly hasState: boolean
}

const backups: readonly Backup[] = [true, false].flatMap((hasSlot) =>
  [0, 1, 3].map((before) => ({
    title: `${hasSlot ? 'a copy with its slot' : 'a backup without the slot'} from after ${before} write checkpoints`,
    before,
    hasSlot,
    hasState: true,
  })),
)

/** Sets what the database knows of write checkpoints to what it knew when the backup was taken. */
async function restore({ before, hasSlot, hasState }: Backup): Promise<void> {
  await world.run(
    before === 0
      ? `select setval('sync.write_checkpoint_ids', 1, false); delete from sync.write_checkpoints`
      : `select setval('sync.write_checkpoint_ids', ${before}); update sync.write_checkpoints set id = ${before}`,
  )
  await world.run(`update sync.state set write_checkpoint_floor = null, write_checkpoint_floor_lsn = '0/0'`)
  if (!hasSlot || !hasState) await dropSlot()
  if (!hasState) await world.run(`truncate sync.state`)
}

test.each([...backups, { title: 'a dump that has nothing of sync', before: 0, hasSlot: false, hasState: false }])(
  'a device that asked after the backup gets a number that is not lower: $title',
  async (backup) => {
    for (let i = 0; i < 5; i++) await askWriteCheckpoint()
    const asked = await askWriteCheckpoint()
    await world.stop()
    await restore(backup)
    await world.restart()
    const device = world.device(ALICE, { clientId: DEVICE })
    device.connect()
    await device.until(
      ({ completed }) => BigInt(completed.at(-1)?.writeCheckpoint ?? 0) >= asked,
      'the write checkpoint',
      10_000,
    )
    expect(await askWriteCheckpoint()).toBeGreaterThan(asked)
  },
)

test('a number is answered only by a checkpoint with all that committed before it was asked for', async () => {
  const device = world.device(ALICE, { clientId: DEVICE })
  for (let i = 0; i < 3; i++) {
    await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'row ${i}')`)
    const asked = await askWriteCheckpoint()
    await world.restart()
    if (!device.isOpen) device.connect()
    await device.until(
      ({ completed }) => BigInt(completed.at(-1)?.writeCheckpoint ?? 0) >= asked,
      'the write checkpoint',
    )
    const first = device.completed.find(({ writeCheckpoint }) => BigInt(writeCheckpoint ?? 0) >= asked)
    expect(first?.state.size).toBeGreaterThan(i)
    device.disconnect()
  }
})
