import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { sql } from '../../src/sql/sql.ts'
import { createPool, type Pool } from '../../src/connection/pool.ts'
import { isConnectionLoss } from '../../src/connection/sqlstate.ts'
import { openOwnConnection } from '../../src/connection/own-connection.ts'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { openExternalCluster } from '../../src/cluster/external-cluster.ts'

let db: TestDatabase
let line: Line
let cluster: Cluster
let folder: string

beforeEach(async () => {
  db = await openTestDatabase()
  line = await openLine(db.url)
  folder = mkdtempSync(join(tmpdir(), 'holdfast-external-'))
  cluster = await openExternalCluster({ url: line.url, dataDir: folder, timeoutMs: 2_000, logger: silentLogger })
})

afterEach(async () => {
  await cluster[Symbol.asyncDispose]()
  await line[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

test('a Postgres that is stopped is down, and up again once it answers', async () => {
  let restarts = 0
  cluster.onRestart(() => restarts++)
  expect(cluster.isUp()).toBe(true)
  line.stop()
  await expect.poll(() => cluster.isUp(), { timeout: 60_000 }).toBe(false)
  expect(restarts).toBe(0)
  line.start()
  await expect.poll(() => cluster.isUp(), { timeout: 60_000 }).toBe(true)
  expect(restarts).toBe(1)
})

test('a Postgres that hangs is down, on a connection that is open and on one that is being opened', async () => {
  line.hang(true)
  await expect.poll(() => cluster.isUp(), { timeout: 60_000 }).toBe(false)
  await expect.poll(() => line.waiting(), { timeout: 60_000 }).toBeGreaterThan(0)
  expect(cluster.isUp()).toBe(false)
  line.hang(false)
  await expect.poll(() => cluster.isUp(), { timeout: 60_000 }).toBe(true)
})

test('a Postgres that ends the connection of the probe, and takes the next one, is up', async () => {
  const seen: boolean[] = []
  for (let round = 0; round < 3; round++) {
    const before = line.connections()
    const end = async (): Promise<number> => {
      const { rowCount } = await db.pool.withClient((client) =>
        client.query(
          // Only established connections: ending a connecting one would be a second consecutive failure.
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name = 'holdfast health' and state = 'idle' and query = 'select 1'`,
        ),
      )
      return rowCount ?? 0
    }
    await expect.poll(end, { timeout: 60_000 }).toBe(1)
    const look = (): number => {
      seen.push(cluster.isUp())
      return line.connections()
    }
    await expect.poll(look, { timeout: 60_000 }).toBeGreaterThan(before)
  }
  expect(new Set(seen)).toEqual(new Set([true]))
})

describe('connections that were open when Postgres was silent', () => {
  const connect = (): Pool => createPool({ url: line.url, applicationName: 'test', connectionsMax: 1 })
  const pidOf = async (pool: Pool): Promise<number | undefined> => {
    const [row] = await pool.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    return row?.pid
  }

  test('are given up once another server answers in its place', async () => {
    await using busy = connect()
    await using idle = connect()
    await using own = await openOwnConnection({ url: line.url, applicationName: 'test' })
    const ended = new Promise<void>((resolve) => own.onEnd(resolve))
    await idle.query(sql`select 1`)
    await busy.query(sql`select 1`)
    line.replace()
    // Neither a response nor the end of the connection arrives.
    expect(await busy.query(sql`select 1`).catch(isConnectionLoss)).toBe(true)
    await ended
    expect(await busy.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
    expect(await idle.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
  })

  test('stay when the same server answers again', async () => {
    await using pool = connect()
    const pid = await pidOf(pool)
    line.hang(true)
    await expect.poll(() => cluster.isUp(), { timeout: 60_000 }).toBe(false)
    line.hang(false)
    await expect.poll(() => cluster.isUp(), { timeout: 60_000 }).toBe(true)
    expect(await pidOf(pool)).toBe(pid)
  })
})

/** A proxy to Postgres that can end, or accept data without responding. */
interface Line extends AsyncDisposable {
  readonly url: string
  stop(): void
  start(): void
  hang(isHanging: boolean): void
  /** Switches to another server without closing connections, which then pass nothing. */
  replace(): void
  /** Total accepted connections. */
  connections(): number
  /** Connections accepted while hanging. */
  waiting(): number
}

async function openLine(target: string): Promise<Line> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  /** Client-side sockets by server-side socket. */
  const nearOf = new Map<Socket, Socket>()
  const forgotten = new Set<Socket>()
  let isStopped = false
  let isHanging = false
  let taken = 0
  let waiting = 0
  const server = createServer((near) => {
    if (isStopped) return void near.destroy()
    taken++
    if (isHanging) waiting++
    const far = connect(Number(port), hostname)
    nearOf.set(far, near)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.on('data', (chunk: Buffer) => void (isHanging || to.write(chunk)))
      from.on('error', () => undefined)
      from.on('close', () => {
        open.delete(from)
        if (!forgotten.has(to)) to.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const cut = (): void => open.forEach((socket) => socket.destroy())
  return {
    url: url.href,
    stop() {
      isStopped = true
      cut()
    },
    start: () => void (isStopped = false),
    hang(next) {
      isHanging = next
    },
    replace() {
      for (const [far, near] of nearOf) {
        forgotten.add(near)
        far.destroy()
      }
      nearOf.clear()
    },
    connections: () => taken,
    waiting: () => waiting,
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
