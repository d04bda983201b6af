import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool, sql, type Pool } from '@holdfast/postgres'
import { bucketsInMemory, type Buckets, type BucketSize, type OpenBuckets } from '../src/rate-limits.ts'
import { bucketsInDatabase } from '../src/shared-buckets.ts'
import { openAuthWorld, type AuthWorld } from './open-auth-world.ts'

// Rate limits of several servers on one database: together they let as many attempts through as one server would.

let world: AuthWorld
let pool: Pool
beforeAll(async () => {
  world = await openAuthWorld()
  pool = createPool({ url: world.db.url, applicationName: 'test limits', connectionsMax: 4 })
})
afterAll(async () => {
  await pool?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const clock = { now: () => Date.now() }
let limits = 0

/** Opens the buckets of a new limit on several servers. */
function openServers(count: number, size: BucketSize, open?: OpenBuckets): readonly Buckets[] {
  const name = `test ${++limits}`
  return Array.from({ length: count }, () => (open ?? bucketsInDatabase(pool, clock))(name, size))
}

/** Lets this much time pass for all buckets. */
const passTime = (seconds: number): Promise<number> =>
  pool.execute(sql`update auth.rate_limits set full_at = full_at - make_interval(secs => ${seconds})`)

test('attempts at the same time on three servers get through as often as on one', async () => {
  const servers = openServers(3, { attempts: 10, windowS: 300 })
  const waits = await Promise.all(Array.from({ length: 60 }, async (_, at) => servers[at % 3]?.take('192.0.2.1')))
  expect(waits.filter((wait) => wait === 0)).toHaveLength(10)
  for (const wait of waits) expect(wait).toBeLessThanOrEqual(30)
  expect(await servers[0]?.take('192.0.2.2')).toBe(0)
})

test.each([
  [1, 300],
  [3, 300],
  [7, 300],
  [30, 3600],
])('%d attempts in %d seconds: as in memory, also after a wait', async (attempts, windowS) => {
  let nowMs = Date.now()
  const [memory] = openServers(1, { attempts, windowS }, bucketsInMemory({ now: () => nowMs }))
  const [shared] = openServers(1, { attempts, windowS }, (name, size) =>
    bucketsInDatabase(pool, { now: () => nowMs })(name, size),
  )
  const step = windowS / attempts
  for (const wait of [...Array.from({ length: attempts + 1 }, () => 0), step + 1, 0, 2.5 * step, 0, 0, windowS + 1]) {
    nowMs += wait * 1_000
    await passTime(wait)
    const [one, other] = [await memory?.take('a'), await shared?.take('a')]
    expect(Math.abs((one ?? 0) - (other ?? 0)), `${one} and ${other}`).toBeLessThanOrEqual(1)
    expect(other === 0).toBe(one === 0)
  }
})

test('a flood of refused attempts asks the database once', async () => {
  let statements = 0
  const counted: Pick<Pool, 'query' | 'execute'> = {
    query: (statement) => (statements++, pool.query(statement)),
    execute: (statement) => (statements++, pool.execute(statement)),
  }
  const [server] = openServers(1, { attempts: 1, windowS: 300 }, bucketsInDatabase(counted, clock))
  for (let attempt = 0; attempt < 500; attempt++) await server?.take('192.0.2.1')
  expect(statements).toBe(2)
})

test('full buckets are deleted, and those that a wrong clock wrote', async () => {
  const [server] = openServers(1, { attempts: 1_000_000, windowS: 300 })
  await server?.take('full')
  await server?.take('of a wrong clock')
  await passTime(1)
  await pool.execute(
    sql`update auth.rate_limits set full_at = now() + interval '1 year' where key = 'of a wrong clock'`,
  )
  for (let attempt = 0; attempt < 1_000; attempt++) await server?.take('other')
  const left = await pool.query(
    sql`select key from auth.rate_limits where key <> 'other' and name = ${`test ${limits}`}`,
  )
  expect(left).toEqual([])
})

test('who guesses a password on one server is refused on the other, and told how long', async () => {
  const options = { rateLimitSignInSignUps: 3, rateLimitLoopbackExempt: false }
  const one = await world.openApp(options, { sharesLimits: true })
  const other = await world.openApp(options, { sharesLimits: true })
  const answers = []
  for (const app of [one, other, one, other]) answers.push(await app.signIn('ann@example.org', 'guessed'))
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 429])
  expect(answers[3]).toMatchObject({ body: { code: 'over_request_rate_limit' }, headers: { 'retry-after': '100' } })
})
