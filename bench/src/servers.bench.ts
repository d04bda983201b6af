import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast, type ServerProcess } from '@holdfast/test-support'
import { benchIdle } from './idle.bench.ts'
import { createItems } from './items.ts'
import { readProcessorTime } from './processor-time.ts'
import { percentile, type Figure } from './report.ts'
import { createLists } from './shared-list.bench.ts'
import { sized } from './size.ts'
import { openStream, type StreamClient } from './stream-client.ts'
import { mintToken } from './tokens.ts'

/** Devices of the members of one list: each of its writes is delivered to all of them. */
const DEVICES = sized(900)
const WRITES_PER_SECOND = 20
const WRITES_PER_WINDOW = sized(60)
const WINDOWS = 5
/** The share of windows that is used, the cheapest: other load only ever adds processor time. */
const QUIET_SHARE = 0.25
const PATIENCE_MS = 60_000

/** Processor time of each server in turn, and of Postgres. */
interface Times {
  readonly servers: readonly number[]
  readonly postgres: number
}

interface Cost {
  /** µs per write, above what the processes use while nothing happens. */
  readonly perWrite: Times
  /** ms per second with devices, while nothing happens. */
  readonly idle: Times
}

interface World {
  readonly holdfast: Holdfast
  readonly list: string
  readonly people: readonly string[]
  /** The process id of Postgres. */
  readonly postmaster: number
}

/** Starts servers on one database: one reader and two followers. Beside them nothing runs on the database. */
export async function benchServers(): Promise<Figure[]> {
  await using holdfast = await openHoldfast()
  await createItems(holdfast.admin)
  await createLists(holdfast)
  const list = randomUUID()
  const people = Array.from({ length: DEVICES }, () => randomUUID())
  await holdfast.admin.execute(
    sql`insert into public.list_members (list_id, user_id) select ${list}::uuid, p::uuid from unnest(${people}::text[]) p`,
  )
  // Its server is killed, which leaves its Postgres to the others.
  await holdfast.kill9()
  const postmaster = Number(readFileSync(join(holdfast.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  const world = { holdfast, list, people, postmaster }
  const servers: ServerProcess[] = []
  const start = async (): Promise<void> => {
    servers.push(await holdfast.another())
    await untilServing(holdfast, servers)
  }
  try {
    await start()
    const costs: Cost[] = [await measure(world, servers, 1)]
    await start()
    costs.push(await measure(world, servers, 1))
    await start()
    costs.push(await measure(world, servers, 1))
    const spread = await measure(world, servers, 3)
    const bytes = await bytesPerWrite(world)
    const follower = servers[1] as ServerProcess
    const idle = await benchIdle(
      {
        url: follower.ready.base,
        jwtSecret: holdfast.jwtSecret,
        pid: () => follower.child.pid ?? 0,
        log: () => follower.log(),
      },
      sized(1_000),
    )
    return [
      ...figuresOf(costs, spread),
      ...bytes,
      ...idle.map((figure) => ({ ...figure, name: `follower: ${figure.name}` })),
    ]
  } finally {
    for (const server of servers) await server.kill('SIGTERM')
  }
}

function figuresOf(costs: readonly Cost[], spread: Cost): Figure[] {
  const [alone, ...others] = costs.map(({ perWrite }) => perWrite.servers[0] ?? Number.NaN)
  const unit = 'µs'
  const to = `one write to ${DEVICES} devices`
  return [
    { name: `${to} on the only server: its processor time`, value: alone ?? Number.NaN, unit },
    ...others.map((value, at) => ({
      name: `the same with ${at + 1} followers without devices: that of the reader`,
      value,
      unit,
      reference: { name: 'the only server', value: alone ?? Number.NaN },
    })),
    ...costs.map(({ perWrite }, at) => ({
      name: `that of Postgres with ${at} followers`,
      value: perWrite.postgres,
      unit,
    })),
    { name: 'that of a follower without devices', value: costs[2]?.perWrite.servers[1] ?? Number.NaN, unit },
    ...spread.perWrite.servers.map((value, at) => ({
      name: `devices spread over three servers: ${at === 0 ? 'that of the reader' : `that of follower ${at}`}`,
      value,
      unit,
    })),
    { name: 'that of Postgres', value: spread.perWrite.postgres, unit },
    {
      name: 'devices per processor second of the busiest of three servers, against the only one',
      value: (alone ?? Number.NaN) / Math.max(...spread.perWrite.servers),
      unit: 'times',
    },
    ...[...spread.idle.servers, spread.idle.postgres].map((value, at) => ({
      name: `a second without writes: ${['the reader', 'follower 1', 'follower 2', 'Postgres'][at]}`,
      value,
      unit: 'ms',
    })),
    { name: 'a second without writes: the only server', value: costs[0]?.idle.servers[0] ?? Number.NaN, unit: 'ms' },
    { name: 'a second without writes: its Postgres', value: costs[0]?.idle.postgres ?? Number.NaN, unit: 'ms' },
  ]
}

/** Waits until every server serves devices, so that none of them stands in for another. */
async function untilServing({ serviceRoleKey }: Holdfast, servers: readonly ServerProcess[]): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  for (const { ready } of servers) {
    for (;;) {
      const answer = await fetch(`${ready.base}/health`, { headers: { apikey: serviceRoleKey } })
      if (((await answer.json()) as { readonly sync: string }).sync === 'ready') break
      if (Date.now() > deadline) throw new Error(`${ready.base} does not serve sync`)
      await pause(50)
    }
  }
}

/**
 * Writes to the list at a constant rate, and waits until each write has arrived on each device.
 *
 * @param over - how many of the servers have devices, in equal parts
 */
async function measure(world: World, servers: readonly ServerProcess[], over: number): Promise<Cost> {
  const { holdfast, people, postmaster } = world
  const clients: StreamClient[] = []
  for (const [at, person] of people.entries()) {
    const base = servers[at % over]?.ready.base ?? ''
    const client = await openStream(base, mintToken(holdfast.jwtSecret, person), randomUUID())
    await client.nextComplete()
    if (client.operations < 1) throw new Error('a device has no list')
    clients.push(client)
  }
  const count = (): number => clients.reduce((sum, { operations }) => sum + operations, 0)
  const pids = [...servers.map(({ child }) => child.pid ?? 0), postmaster]
  const windows: (readonly number[])[] = []
  await pause(sized(2_000))
  const idle = await meter(pids, () => pause(sized(10_000)))
  // The first window warms up.
  for (let window = 0; window <= WINDOWS; window++) {
    const expected = count() + DEVICES * WRITES_PER_WINDOW
    const used = await meter(pids, async () => {
      await write(world)
      const deadline = Date.now() + PATIENCE_MS
      while (count() < expected) {
        if (Date.now() > deadline) throw new Error(`${expected - count()} operations did not arrive`)
        await pause(10)
      }
    })
    const perWrite = pids.map((_, at) => ((used.ms[at] ?? 0) - (idle.perSecond[at] ?? 0) * used.seconds) * 1_000)
    if (window > 0) windows.push(perWrite.map((us) => us / WRITES_PER_WINDOW))
  }
  for (const client of clients) client.close()
  const quiet = pids.map((_, at) =>
    percentile(
      windows.map((window) => window[at] ?? Number.NaN),
      QUIET_SHARE,
    ),
  )
  return { perWrite: timesOf(quiet), idle: timesOf(idle.perSecond) }
}

/** The last of the values is that of Postgres. */
function timesOf(values: readonly number[]): Times {
  return { servers: values.slice(0, -1), postgres: values.at(-1) ?? Number.NaN }
}

/** Measures the processor time of processes, and of those under them, during `work`. */
async function meter(
  pids: readonly number[],
  work: () => Promise<void>,
): Promise<{ readonly ms: readonly number[]; readonly seconds: number; readonly perSecond: readonly number[] }> {
  const read = async (): Promise<number[]> => {
    const times = await Promise.all(pids.map(readProcessorTime))
    return times.map((time) => (time ? time.node + time.postgres : Number.NaN))
  }
  const began = performance.now()
  const before = await read()
  await work()
  const after = await read()
  const seconds = (performance.now() - began) / 1_000
  const ms = after.map((value, at) => value - (before[at] ?? 0))
  return { ms, seconds, perSecond: ms.map((value) => value / seconds) }
}

async function write({ holdfast, list }: World): Promise<void> {
  const client = new pg.Client({ connectionString: holdfast.databaseUrl })
  await client.connect()
  const began = performance.now()
  for (let number = 1; number <= WRITES_PER_WINDOW; number++) {
    await client.query(
      `insert into public.list_items (list_id, title, body, done, n, created_at) values ($1, $2, repeat('x', 160), false, 1, now())`,
      [list, `item ${number}`],
    )
    await pause(Math.max(0, began + (number * 1_000) / WRITES_PER_SECOND - performance.now()))
  }
  await client.end()
}

/** What a write adds to the write-ahead log, to the operation log, and to what the reader notes for the followers. */
async function bytesPerWrite(world: World): Promise<Figure[]> {
  const read = async (): Promise<{ wal: number; log: number; notes: number }> => {
    const [row] = await world.holdfast.internal.query<{ wal: string; log: string; notes: string }>(sql`
      select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal,
             (select coalesce(sum(pg_column_size(o)), 0) from sync.ops o) as log,
             (select coalesce(sum(octet_length(content) + coalesce(octet_length(docs), 0)), 0) from sync.batch_notes) as notes`)
    return { wal: Number(row?.wal), log: Number(row?.log), notes: Number(row?.notes) }
  }
  const before = await read()
  await write(world)
  await pause(500)
  const after = await read()
  const each = (kind: 'wal' | 'log' | 'notes'): number => (after[kind] - before[kind]) / WRITES_PER_WINDOW
  return [
    { name: 'write-ahead log per write', value: each('wal'), unit: 'bytes' },
    { name: 'operation log per write', value: each('log'), unit: 'bytes' },
    { name: 'notes for followers per write', value: each('notes'), unit: 'bytes' },
  ]
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
