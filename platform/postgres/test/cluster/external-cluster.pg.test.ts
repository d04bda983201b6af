import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
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
          // One that has answered: the end of one that is just being made is a second failure in a row.
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

/** A way to Postgres that can end, or take everything and answer nothing. */
interface Line extends AsyncDisposable {
  readonly url: string
  stop(): void
  start(): void
  hang(isHanging: boolean): void
  /** Connections that were taken, in all. */
  connections(): number
  /** Connections that were taken while it hangs. */
  waiting(): number
}

async function openLine(target: string): Promise<Line> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let isStopped = false
  let isHanging = false
  let taken = 0
  let waiting = 0
  const server = createServer((near) => {
    if (isStopped) return void near.destroy()
    taken++
    if (isHanging) waiting++
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.on('data', (chunk: Buffer) => void (isHanging || to.write(chunk)))
      from.on('error', () => undefined)
      from.on('close', () => {
        open.delete(from)
        to.destroy()
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
    connections: () => taken,
    waiting: () => waiting,
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
