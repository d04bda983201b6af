import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { sql, type Pool, type SqlFragment } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { runsOf } from '@holdfast/test-support/runs'
import {
  claim,
  type Claimed,
  findWaiting,
  listLanes,
  pruneSql,
  type QueueTable,
  retrySql,
  settleSql,
} from '../src/queue-table.ts'
import { QueueWorker, type WorkerOptions } from '../src/worker.ts'

// Several servers, some of which are killed, a clock that the test moves, and producers of which one is greedy. Postgres says which jobs there are.

const LEASE_MS = 500
const START_MS = Date.UTC(2026, 10, 29)

let db: TestDatabase
let nowMs = START_MS
const NOW = (): ReturnType<typeof sql> => sql`${new Date(nowMs).toISOString()}::timestamptz`

const QUEUE: QueueTable = {
  table: ['public', 'jobs'],
  key: { name: 'id', type: 'bigint' },
  dueAt: 'due_at',
  lease: LEASE_MS,
  columns: sql`q.attempts`,
  now: NOW,
}
const LANES: QueueTable = {
  ...QUEUE,
  lanes: [
    { name: 'owner', type: 'uuid' },
    { name: 'topic', type: 'text' },
  ],
}

beforeAll(async () => {
  db = await openTestDatabase()
  await db.pool.query(sql`
    create table public.jobs (id bigint generated always as identity primary key, owner uuid not null, topic text not null,
                              due_at timestamptz not null, attempts integer not null default 0)`)
  await db.pool.query(sql`create index on public.jobs (owner, topic, due_at, id)`)
  await db.pool.query(sql`create table public.done (id bigint primary key)`)
})
beforeEach(reset)
afterAll(() => db[Symbol.asyncDispose]())

async function reset(): Promise<void> {
  nowMs = START_MS
  await db.pool.execute(sql`truncate public.jobs, public.done restart identity`)
}

const owner = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`

async function add(who: number, topic: string, count: number, afterMs = 0): Promise<readonly string[]> {
  const rows = await db.pool.query<{ id: string }>(sql`
    insert into public.jobs (owner, topic, due_at)
    select ${owner(who)}::uuid, ${topic}, ${NOW()} + ${afterMs} * interval '1 millisecond' from generate_series(1, ${count}::int) returning id::text`)
  return rows.map(({ id }) => id)
}

/** A second job that ends twice breaks the primary key. */
async function finish(queue: QueueTable, job: Claimed): Promise<boolean> {
  const rows = await db.pool.query(sql`
    with settled as (${settleSql(queue, [job], 'delete')}) insert into public.done select id::bigint from settled returning id`)
  return rows.length > 0
}

const action = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('add' as const), who: fc.nat(3), count: fc.nat(8), afterMs: fc.nat(900) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      servers: fc.integer({ min: 1, max: 4 }),
      most: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      which: fc.nat(),
      isLate: fc.boolean(),
      retryMs: fc.option(fc.nat(2_000)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), server: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(1_500) }) },
)

interface Held {
  readonly server: number
  readonly job: Claimed
}

describe.each([
  ['a queue', QUEUE],
  ['a queue with lanes', LANES],
])('%s', (_, queue) => {
  /** The due jobs, the longest waiting first, by lane. */
  async function listDue(): Promise<readonly (readonly string[])[]> {
    const rows = await db.pool.query<{ id: string; lane: string }>(sql`
      select id::text, owner || topic as lane from public.jobs where due_at <= ${NOW()} order by due_at, jobs.id`)
    const byLane = queue.lanes ? [...Map.groupBy(rows, ({ lane }) => lane).values()] : [rows]
    return byLane.map((lane) => lane.map(({ id }) => id))
  }

  /** Claims as several servers at once. @returns the claims of each */
  async function claimAtOnce(servers: number, most: number): Promise<readonly (readonly Claimed[])[]> {
    const due = await listDue()
    const first = (limit: number): readonly string[] => due.flatMap((lane) => lane.slice(0, limit))
    const lanes = queue.lanes ? (await listLanes(db.pool, queue, undefined)).due : []
    const wanted = queue.lanes ? new Map(lanes.map((lane) => [lane, most])) : most
    const claims = await Promise.all(Array.from({ length: servers }, () => claim<object>(db.pool, queue, wanted)))
    const ids = claims.flat().map(({ id }) => id)
    for (const own of claims) expect(own.length).toBeLessThanOrEqual(first(most).length)
    // Servers skip rows that another one is claiming, so they may leave some that are due; a single server leaves none.
    if (servers === 1) expect(ids.toSorted()).toEqual(first(most).toSorted())
    else expect(first(Infinity)).toEqual(expect.arrayContaining(ids))
    return claims
  }

  test(
    'gives no job to two servers within a lease, loses none, and lets only the last claim settle it',
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 60, size: 'max' }), async (actions) => {
          await reset()
          const added: string[] = []
          let held: Held[] = []
          /** The last claim of each job, and when its lease ends. */
          const last = new Map<string, { readonly fence: string; readonly endMs: number }>()
          for (const one of actions) {
            if (one.kind === 'add')
              added.push(
                ...(await add(
                  one.who,
                  one.who % 2 ? 'x' : 'y',
                  one.who === 0 ? one.count * 5 : one.count,
                  one.afterMs,
                )),
              )
            else if (one.kind === 'pass') nowMs += one.ms
            else if (one.kind === 'kill') held = held.filter(({ server }) => server !== one.server)
            else if (one.kind === 'claim') {
              const claims = await claimAtOnce(one.servers, one.most)
              claims.forEach((jobs, server) => {
                for (const job of jobs) {
                  expect(last.get(job.id)?.endMs ?? 0, `job ${job.id} is claimed`).toBeLessThanOrEqual(nowMs)
                  last.set(job.id, { fence: job.fence, endMs: nowMs + LEASE_MS })
                  held.push({ server, job })
                }
              })
            } else if (held.length > 0) {
              // In half of the cases a server that has lost its lease settles the job, if there is one.
              const late = held.filter(({ job }) => last.get(job.id)?.fence !== job.fence)
              const from = one.isLate && late.length > 0 ? late : held
              const { job } = from[one.which % from.length] as Held
              held = held.filter((other) => other.job !== job)
              const isLast = last.get(job.id)?.fence === job.fence
              if (one.retryMs === null) expect(await finish(queue, job)).toBe(isLast)
              else expect(await db.pool.query(retrySql(queue, [job], one.retryMs))).toHaveLength(isLast ? 1 : 0)
              if (isLast && one.retryMs !== null) last.set(job.id, { fence: '', endMs: nowMs + one.retryMs })
            }
          }
          // All servers are gone; another one comes.
          for (let round = 0; ; round++) {
            expect(round).toBeLessThan(200)
            const { nextMs, isDue } = await findWaiting(db.pool, queue)
            if (nextMs === null && !isDue) break
            nowMs += Math.ceil(nextMs ?? 0)
            for (const job of (await claimAtOnce(1, 50)).flat()) expect(await finish(queue, job)).toBe(true)
          }
          const done = await db.pool.query<{ id: string }>(sql`select id::text from public.done order by done.id`)
          expect(done.map(({ id }) => id)).toEqual(added)
        }),
        { numRuns: runsOf(80) },
      )
    },
  )
})

describe('workers', () => {
  const open = (
    run: (job: Claimed, signal: AbortSignal) => Promise<unknown>,
    given: Partial<WorkerOptions<object>> = {},
  ): QueueWorker<object> =>
    new QueueWorker({
      name: 'tests',
      pool: db.pool,
      logger: silentLogger,
      slots: 4,
      queue: LIVE,
      ...given,
      run: async ([job], signal) => void (await run(job, signal)),
    })
  const LIVE: QueueTable = { ...LANES, now: () => sql`statement_timestamp()`, lease: 10_000 }
  const SHORT: QueueTable = { ...LIVE, lease: 150 }
  const addLive = async (who: number, count: number): Promise<void> => {
    nowMs = Date.now() - 1_000
    await add(who, 'x', count)
  }
  const left = async (): Promise<number> => (await db.pool.query(sql`select from public.jobs`)).length

  test('run each job until it ends, however often runs fail or servers are killed, and never more of a group than they may', async () => {
    await addLive(0, 60)
    for (const who of [1, 2, 3]) await addLive(who, 3)
    const runs = new Map<string, number>()
    const perGroup = Array.from({ length: 3 }, () => new Map<string, number>())
    const openOne = (server: number): QueueWorker<object> =>
      open(
        async (job) => {
          const groups = perGroup[server] as Map<string, number>
          const [group = ''] = job.lane
          groups.set(group, (groups.get(group) ?? 0) + 1)
          expect.soft(groups.get(group)).toBeLessThanOrEqual(2)
          const times = (runs.get(job.id) ?? 0) + 1
          runs.set(job.id, times)
          await new Promise((resolve) => setTimeout(resolve, 2))
          groups.set(group, (groups.get(group) ?? 0) - 1)
          // The different ways in which a run can end before the last run.
          const way = (Number(job.id) + times) % 7
          if (times < 4 && way === 0) throw new Error('no')
          if (times < 4 && way === 1) return
          if (times < 4 && way === 2) return void (await db.pool.query(retrySql(SHORT, [job], 5)))
          // A run that the machine makes longer than its lease settles nothing.
          await finish(SHORT, job)
        },
        { queue: SHORT, groupSlots: 2 },
      )
    const servers = [openOne(0), openOne(1), openOne(2)]
    for (const server of servers) server.wake()
    await servers[0]?.[Symbol.asyncDispose]()
    await expect.poll(left, { timeout: 8_000 }).toBe(0)
    for (const server of servers) await server[Symbol.asyncDispose]()
    expect(await db.pool.query(sql`select from public.done`)).toHaveLength(69)
  })

  test('look again when they are woken at any moment of a look', async () => {
    for (let ticks = 0; ticks < 12; ticks++) {
      let looks = 0
      const pool: Pool = Object.create(db.pool, {
        query: {
          async value(statement: SqlFragment) {
            const rows = await db.pool.query(statement)
            if (looks++ === 0) void wakeAfter(ticks)
            return rows
          },
        },
      })
      await using worker = open(() => Promise.resolve(), { pool })
      const wakeAfter = async (count: number): Promise<void> => {
        for (let tick = 0; tick < count; tick++) await Promise.resolve()
        worker.wake()
      }
      worker.wake()
      await expect.poll(() => looks, { message: `woken after ${ticks} ticks`, timeout: 1_000 }).toBe(2)
    }
  })

  test('give a lane its turn after one job of a lane with many', async () => {
    await addLive(0, 30)
    const order: string[] = []
    await using worker = open(
      async (job) => {
        order.push(job.lane[0] ?? '')
        if (order.length === 3) await addLive(1, 1)
        await finish(LIVE, job)
      },
      { slots: 1 },
    )
    await worker.settled()
    expect(order).toHaveLength(31)
    expect(order.indexOf(owner(1))).toBeLessThanOrEqual(4)
  })

  test('keep a job that takes longer than its lease, and abort it once it is deleted', async () => {
    const RENEWED = { ...LIVE, lease: 600 }
    await addLive(1, 1)
    const aborted = Promise.withResolvers<unknown>()
    let begun = 0
    const run = async (_: Claimed, signal: AbortSignal): Promise<void> => {
      begun++
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      aborted.resolve(signal.reason)
    }
    await using one = open(run, { queue: RENEWED, renewEveryMs: 60 })
    await using two = open(run, { queue: RENEWED, renewEveryMs: 60 })
    one.wake()
    await expect.poll(() => begun).toBe(1)
    two.wake()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    two.wake()
    expect(begun).toBe(1)
    await db.pool.execute(sql`delete from public.jobs`)
    expect(await aborted.promise).toMatchObject({ message: 'job canceled' })
  })

  test('prune old rows in steps until none is left', async () => {
    nowMs = Date.now() - 7_200_000
    await add(0, 'x', 5)
    await addLive(1, 2)
    const steps: number[] = []
    const run = async (): Promise<boolean> => {
      const old = pruneSql(QUEUE.table, { key: 'id', at: 'due_at' }, sql`interval '1 hour'`, 2)
      steps.push(await db.pool.execute(old))
      return steps.at(-1) !== 0
    }
    await using _ = open(() => Promise.resolve(), { slots: 0, prune: { afterMs: 1, everyMs: 1, run } })
    await expect.poll(() => steps).toEqual([2, 2, 1, 0])
    expect(await left()).toBe(2)
  })

  test.each([
    [5_000, undefined, 0],
    [0, 'server stopped', 1],
  ])('let jobs end for %i ms when they close, then abort them', async (drainMs, reason, jobsLeft) => {
    await addLive(1, 1)
    const begun = Promise.withResolvers<AbortSignal>()
    const worker = open(
      async (job, signal) => {
        begun.resolve(signal)
        await new Promise<void>((resolve) => {
          setTimeout(resolve, 300)
          signal.addEventListener('abort', () => resolve())
        })
        if (!signal.aborted) await finish(LIVE, job)
      },
      { drainMs },
    )
    worker.wake()
    const signal = await begun.promise
    await worker[Symbol.asyncDispose]()
    expect((signal.reason as Error | undefined)?.message).toBe(reason)
    expect(await left()).toBe(jobsLeft)
  })

  test('walk all lanes, also those beyond one look, at a bounded cost for each', async () => {
    await db.pool.execute(sql`
      insert into public.jobs (owner, topic, due_at)
      select ${owner(0)}::uuid, 't' || n, now() from generate_series(1, 150) n, generate_series(1, 3)`)
    const served = new Set<string>()
    await using worker = open(async (job) => {
      served.add(job.lane[1] ?? '')
      await finish(LIVE, job)
    })
    await worker.settled()
    expect([served.size, await left()]).toEqual([150, 0])
  })
})
