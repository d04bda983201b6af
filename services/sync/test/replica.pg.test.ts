import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { delay } from '@holdfast/foundation'
import { sql } from '@holdfast/postgres'
import { checkReplica } from '../src/replica/check-replica.ts'
import type { ReplicaStatus } from '../src/replica/replicated-log.ts'
import { openStandby, type Standby } from './standby.ts'
import type { StreamClient } from './stream-client.ts'
import { ALICE, LISTS_SCHEMA, openWorld, type Server, type World } from './sync-world.ts'

/*
 * Pins that a server reads downloads from a physical replica only if it has everything that is in the log, and from the primary as soon as it is behind, hangs,
 * dies or is promoted: devices always get what Postgres shows. The tests share one standby and follow each other.
 */

/** The tests' Postgres does not flush commits, under which a replica is a little behind all the time. */
const FLUSHED = `do $$ begin execute format('alter database %I set synchronous_commit = on', current_database()); end $$;`

let world: World
let standby: Standby
let server: Server
const devices: StreamClient[] = []

beforeAll(async () => {
  world = await openWorld({ schema: FLUSHED + LISTS_SCHEMA })
  await world.run(`insert into items (owner_id, title) select '${ALICE}', 'item ' || i from generate_series(1, 600) i`)
  standby = await openStandby(world.db.url)
  server = await world.another(standby.url)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await standby[Symbol.asyncDispose]()
})
afterEach(() => {
  for (const device of devices.splice(0)) device.disconnect()
})

function replica(of = server): ReplicaStatus {
  return of.service.status().replica as ReplicaStatus
}

const untilUsed = (of = server): Promise<void> =>
  expect.poll(() => replica(of), { timeout: 15_000 }).toMatchObject({ used: true })

/** Waits until the device has what Postgres shows. */
async function expectEqual(device: StreamClient, timeoutMs = 10_000): Promise<void> {
  const expected = JSON.stringify([...(await world.visible(ALICE))].toSorted())
  await device.until(() => JSON.stringify([...device.state].toSorted()) === expected, 'the rows of Postgres', timeoutMs)
  expect(device.faults).toEqual([])
}

function newDevice(clientId: string): StreamClient {
  const device = world.device(ALICE, { url: server.url, clientId })
  devices.push(device)
  device.connect()
  return device
}

/** Changes some rows and downloads everything to a new device, and to one that was away. */
async function changeAndDownload(name: string): Promise<void> {
  const away = newDevice(`${name} away`)
  await expectEqual(away)
  away.disconnect()
  await world.run(`update items set n = n + 1 where title like '%7'`)
  await world.run(`delete from items where title in (select title from items order by title limit 3)`)
  await world.service.compact()
  away.connect()
  await expectEqual(away)
  await expectEqual(newDevice(`${name} new`))
}

test('reads downloads from the replica alone', async () => {
  await untilUsed()
  for (const round of [1, 2]) await changeAndDownload(`round ${round}`)
  expect(replica()).toMatchObject({ used: true, problem: undefined, reads: { primary: 0 } })
  expect(replica().reads.replica).toBeGreaterThan(5)
  expect(replica().lagSeconds).toBeLessThan(1)
})

test('gives what is committed although the replica has stopped replaying, and uses it again afterwards', async () => {
  await standby.pool.query(sql`select pg_wal_replay_pause()`)
  await changeAndDownload('paused')
  expect(replica()).toMatchObject({ used: false, problem: expect.stringContaining('It is behind') })
  expect(replica().reads.primary).toBeGreaterThan(0)
  await standby.pool.query(sql`select pg_wal_replay_resume()`)
  await untilUsed()
  const before = replica().reads
  await changeAndDownload('resumed')
  expect(replica().reads.replica).toBeGreaterThan(before.replica)
  expect(replica().reads.primary).toBe(before.primary)
})

test('gives what is committed although the replica hangs, or ends its connections', async () => {
  const before = replica().reads.primary
  await standby.freeze()
  await changeAndDownload('hanging')
  expect(replica()).toMatchObject({ used: false, problem: expect.stringContaining('It did not answer') })
  expect(replica().reads.primary).toBeGreaterThan(before)
  standby.thaw()
  await untilUsed()
  await standby.pool.query(sql`
    select pg_terminate_backend(pid) from pg_catalog.pg_stat_activity where application_name = 'holdfast replica reader'`)
  await changeAndDownload('cut')
  await untilUsed()
})

test('waits for a replica that is behind for a moment', async () => {
  const before = replica().reads
  for (const round of [1, 2, 3]) {
    await standby.pool.query(sql`select pg_wal_replay_pause()`)
    const resumed = delay(150 * round).then(() => standby.pool.query(sql`select pg_wal_replay_resume()`))
    await world.run(`update items set n = n + 1`)
    await expectEqual(newDevice(`behind ${round}`))
    await resumed
  }
  expect(replica().reads.replica).toBeGreaterThan(before.replica)
  expect(replica()).toMatchObject({ used: true, reads: { primary: before.primary } })
})

test('is refused at the start for another database, and for users and databases that it does not have', async () => {
  const withUrl = (change: (url: URL) => void): Promise<void> => {
    const url = new URL(standby.url)
    change(url)
    return checkReplica(world.db.pool, url.href)
  }
  await withUrl(() => undefined)
  await withUrl((url) => (url.port = '1'))
  await expect(withUrl((url) => (url.pathname = '/postgres'))).rejects.toThrow('not a replica of DATABASE_URL')
  await expect(withUrl((url) => (url.pathname = '/nowhere'))).rejects.toThrow('refuses the connection')
  await expect(withUrl((url) => (url.password = 'wrong'))).rejects.toThrow('refuses the connection')
})

test('reads nothing from a replica that is promoted, and goes on when it dies', async () => {
  await standby.pool.query(sql`select pg_promote()`)
  await standby.pool.query(sql`update sync.buckets set count = count + 1`)
  await standby.pool.query(sql`update items set title = 'of the promoted'`)
  await changeAndDownload('promoted')
  expect(replica()).toMatchObject({ used: false, problem: expect.stringContaining('promoted') })
  await standby.kill()
  await changeAndDownload('dead')
  expect(replica().used).toBe(false)
})
