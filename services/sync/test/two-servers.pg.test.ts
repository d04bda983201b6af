import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { sql } from '@holdfast/postgres'
import { createCheckpointFeed } from '../src/checkpoints/checkpoint-feed.ts'
import type { Lsn } from '@holdfast/replication'
import { createFence } from '../src/lease/fence.ts'
import { readState, writeBatch } from '../src/storage/bucket-storage.ts'
import { createCompactions } from '../src/compaction/compactions.ts'
import { Compactor } from '../src/compaction/compactor.ts'
import { PendingOps } from '../src/storage/pending-ops.ts'
import type { StreamClient } from './stream-client.ts'
import { ALICE, openWorld, type Server, type World } from './sync-world.ts'

/*
 * Pins that of several servers on one database one reads the changes and writes the log. Another one follows it, and takes over when the
 * first is gone, or hangs. Nothing that the first still wants to write gets into the log.
 */

let world: World
let compilations = 0

beforeEach(async () => {
  compilations = 0
  world = await openWorld({ beforeCompile: async () => void compilations++ })
  await world.run(`insert into items (owner_id, title) select '${ALICE}', 'own ' || i from generate_series(1, 5) i`)
})

afterEach(() => world[Symbol.asyncDispose]())

/** A device that comes back until it has what Postgres shows, as the public client does. */
async function expectEqual(device: StreamClient): Promise<void> {
  const expected = JSON.stringify([...(await world.visible(ALICE))].toSorted())
  await device.until(
    () => {
      if (!device.isOpen) device.connect()
      return JSON.stringify([...device.state].toSorted()) === expected
    },
    'the rows of Postgres',
    20_000,
  )
  expect(device.faults).toEqual([])
}

function deviceOf(server: Pick<Server, 'url'>): StreamClient {
  const device = world.device(ALICE, { url: server.url })
  device.connect()
  return device
}

async function epoch(): Promise<number> {
  return (await readState(world.db.pool))?.epoch ?? 0
}

async function slotReaders(): Promise<unknown[]> {
  return world.rows(`select active_pid from pg_replication_slots where database = current_database()`)
}

describe('a second server', () => {
  test('takes nothing from the first', async () => {
    const before = await slotReaders()
    const second = await world.another()
    expect(second.service.status()).toMatchObject({ ready: true, following: true, standby: false, problem: undefined })
    const device = deviceOf(world)
    await expectEqual(device)
    for (let i = 0; i < 5; i++) await world.run(`update items set n = n + 1`)
    await expectEqual(device)
    expect(await slotReaders()).toEqual(before)
    expect(world.service.status()).toMatchObject({ ready: true, following: false })
  })

  test('says so while it cannot follow, and its devices are told to come again', async () => {
    // As if the one that reads were of a version that notes nothing for followers.
    await world.run(`create function sync.refuse() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger refuse before insert on sync.served_plan for each row execute function sync.refuse()`)
    const second = await world.another()
    expect(second.service.status()).toMatchObject({ ready: false, following: false, standby: true })
    const answer = await fetch(`${second.url}/sync/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.token(ALICE)}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ error: { code: 'PSYNC_S2302' } })
  })

  test('compiles policies ahead of its turn, and again when they change', async () => {
    const before = compilations
    await world.another()
    await expect.poll(() => compilations).toBeGreaterThan(before)
    const standingBy = compilations
    await world.run(`create table public.papers (id int primary key)`)
    // Each of the two.
    await expect.poll(() => compilations).toBeGreaterThanOrEqual(standingBy + 2)
  })

  test('takes over when the first stops, with the same log', async () => {
    const first = deviceOf(world)
    await expectEqual(first)
    const second = await world.another()
    await world.run(`update items set n = n + 1`)
    await world.stop()
    await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'in between')`)
    await second.service.ready
    const device = deviceOf(second)
    await expectEqual(device)
    await world.run(`update items set n = n + 1`)
    await expectEqual(device)
    expect(second.service.status()).toMatchObject({ ready: true, following: false })
  })

  test('takes over when all connections of the first are gone, and the first follows', async () => {
    const first = deviceOf(world)
    await expectEqual(first)
    const second = await world.another()
    const before = await epoch()
    // Again until it was the other one that was faster.
    await expect
      .poll(
        async () => {
          if (second.service.status().ready && !second.service.isStandby) return true
          const [{ holder } = { holder: '' }] = await world.rows<{ holder: string }>(`select holder from sync.lease`)
          if (!second.service.isStandby) return false
          await world.rows(
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'holdfast % ${holder}'`,
          )
          return false
        },
        { timeout: 60_000, interval: 500 },
      )
      .toBe(true)
    expect(await epoch()).toBeGreaterThan(before)
    await expect.poll(() => world.service.status(), { timeout: 60_000 }).toMatchObject({ ready: true, following: true })
    await world.run(`update items set n = n + 1`)
    await expectEqual(deviceOf(second))
  })
})

describe('whoever has lost the lease', () => {
  test('cannot write a batch, in one statement or in a transaction', async () => {
    const { pool } = world.db
    await world.stop()
    const mine = await epoch()
    const fence = createFence(pool)
    fence.epoch = mine
    await fence.pool.execute(sql`update sync.definitions set shape = shape`)
    await world.run(`update sync.state set epoch = epoch + 1`)

    let opId = 1_000_000
    const pending = new PendingOps(
      () => ++opId,
      () => opId,
    )
    pending.put(1, 'items', 'ghost', '{}', true)
    const position = { confirmedLsn: undefined, lastOpId: opId, lastBucketId: 1 }
    await expect(
      pool.withClient((client) => writeBatch(client, pending.take(), new Map(), position, mine)),
    ).rejects.toMatchObject({ code: 'HFL01' })
    await expect(fence.pool.execute(sql`update sync.definitions set shape = 'void'`)).rejects.toMatchObject({
      code: 'HFL01',
    })
    expect(await world.rows(`select from sync.ops where op_id > 1000000`)).toEqual([])
    expect(await world.rows(`select from sync.definitions where shape = 'void'`)).toEqual([])
  })

  test('compacts nothing, and does not fail', async () => {
    const device = deviceOf(world)
    await world.run(`insert into list_members (list_id, user_id) values (gen_random_uuid(), '${ALICE}')`)
    for (let i = 0; i < 5; i++) {
      await world.run(`update items set n = n + 1`)
      await expectEqual(device) // or the reader takes several for one
    }
    const mine = await epoch()
    await world.stop()
    await world.run(`update sync.state set epoch = epoch + 1`)
    // Marks definitions as unused, so that the server with the lease deletes them.
    await world.run(`update sync.definitions set dropped = true where id like 'list_members.%'`)
    const log = `select bucket_id, op_id from sync.ops order by 1, 2`
    const before = await world.rows(log)
    const membersLeft = (): Promise<unknown[]> =>
      world.rows(`select from sync.definitions where id like 'list_members.%'`)
    expect(await membersLeft()).not.toEqual([])

    const fence = createFence(world.db.pool)
    fence.epoch = mine
    const feed = createCheckpointFeed()
    feed.reset((await readState(world.db.pool))?.lastOpId ?? 0, 0n as Lsn)
    const options = { pool: fence.pool, feed, compactions: createCompactions(), intervalS: 0, opsPerSecond: 1_000_000 }
    await using compactor = new Compactor({ ...options, slackOps: 0, logger: silentLogger })
    for (let round = 0; round < 2; round++) expect(await compactor.round()).toEqual({ buckets: 0, dropped: 0 })
    expect(await world.rows(log)).toEqual(before)
    expect(await membersLeft()).not.toEqual([])

    fence.epoch = await epoch()
    // A round gives way to others that hold a bucket for a moment.
    await expect.poll(async () => (await compactor.round()).dropped).toBeGreaterThan(0)
    expect(await membersLeft()).toEqual([])
  })
})
