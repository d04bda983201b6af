/**
 * Invariants: as in kills.test.ts, while the line between devices and server breaks all the time, devices start again on their files, and the replication slot
 * is taken away.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, pause, recoveryMsMax, REPEATS, seedOfRun, type World } from './world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld(seedOfRun())
})

afterAll(() => world?.[Symbol.asyncDispose]())

/** @param waitMs - what a device may wait on purpose before it tries again */
async function expectRecovery(title: string, waitMs = 0): Promise<void> {
  const recoveryMs = await world.settle()
  console.log(`${title}: all equal after ${recoveryMs} ms`)
  await world.expectNothingLostNothingTwice()
  expect(recoveryMs).toBeLessThan(recoveryMsMax() + waitMs)
}

/** Both ways of losing the slot, in turn: each costs a re-sync of every device. */
const turns = Array.from({ length: Math.ceil(REPEATS / 2) }, (_, index) => index + 1)

describe('nothing is lost and nothing done twice', () => {
  test('when the line is cut every 0.3 to 1 s', async () => {
    await world.underLoad(async () => {
      for (let turn = 0; turn < 4 * REPEATS; turn++) {
        await pause(300 + world.random() * 700)
        world.link.cut()
      }
    })
    await expectRecovery('cuts')
  })

  test('when answers to uploads get lost, and when requests do', async () => {
    await world.underLoad(async () => {
      for (let turn = 0; turn < REPEATS; turn++) {
        for (const at of ['answer', 'request'] as const) {
          const before = world.link.broken
          world.link.breakRequests({ head: 'POST /sync/v1/upload', at, count: 3 })
          for (let waited = 0; world.link.broken < before + 3 && waited < 500; waited++) await pause(20)
        }
      }
    })
    expect(world.link.broken).toBeGreaterThanOrEqual(6)
    await expectRecovery('lost answers', 8_000) // 1, 2 and 4 s after three failures in a row, while the stream stays open
  })

  test('when devices start again on their files', async () => {
    await world.underLoad(async () => {
      for (let turn = 0; turn < REPEATS; turn++) {
        await pause(200 + world.random() * 500)
        if (world.random() < 0.5) world.link.sever()
        await pause(world.random() * 500)
        await world.restartDevice(Math.floor(world.random() * world.devices.length))
        world.link.mend()
      }
    })
    await expectRecovery('restarted devices')
  })

  test('when there is no line for a while', async () => {
    await world.underLoad(async () => {
      world.link.sever()
      await pause(2_500)
      world.link.mend()
    })
    await expectRecovery('no line for 2.5 s')
  })

  test.each(turns)('when the replication slot is dropped under the running server (%i)', async () => {
    await world.underLoad(async () => {
      await pause(300)
      await dropSlot()
      await pause(1_000)
    })
    await expectRecovery('dropped slot')
  })

  test.each(turns)('when the slot is dropped while the server is away, and rows change without it (%i)', async () => {
    await world.underLoad(async () => {
      await pause(300)
      await world.holdfast.kill9()
      await dropSlot()
      await pause(500)
      await world.holdfast.restart()
    })
    await expectRecovery('slot dropped while away')
  })
})

async function dropSlot(): Promise<void> {
  await world.holdfast.internal.withClient(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select slot_name as name from pg_replication_slots where slot_name like 'holdfast%' and not temporary and database = current_database()`,
    )
    const name = rows[0]?.name
    if (name === undefined) throw new Error('there is no slot to drop')
    for (let attempt = 0; attempt < 200; attempt++) {
      await client.query(
        `select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = $1 and active`,
        [name],
      )
      try {
        await client.query(`select pg_drop_replication_slot($1)`, [name])
        return
      } catch (error) {
        const code = (error as { code?: string }).code
        if (code === '42704') return // the server was faster: it has noticed and dropped it itself
        if (code !== '55006') throw error // in use
      }
      await pause(5)
    }
    throw new Error('the slot could not be dropped')
  })
}
