import { runsOf, seedOf } from '@holdfast/test-support'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wildRequest } from './request-arbitrary.ts'
import { openRestWorld, type RestWorld } from './rest-world.ts'

/*
 * Whatever is sent, the answer is a PostgREST one: never a 500, never a connection that stays busy or in a transaction, and the next
 * request is answered as if nothing had happened.
 *
 * `HOLDFAST_REST_RUNS` sets how many requests are tried and `HOLDFAST_REST_SEED` repeats a run; a failure prints its seed.
 */
const RUNS = runsOf(300, { variable: 'HOLDFAST_REST_RUNS' })
const SEED = seedOf('HOLDFAST_REST_SEED')

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld({ restAggregatesEnabled: true, restPlanEnabled: true })
})

afterAll(() => world?.[Symbol.asyncDispose]())

const BUSY = `select state, query from pg_stat_activity
               where datname = current_database() and application_name = 'test request' and state is distinct from 'idle'`

test('random garbage in any part of a request is answered, and leaves nothing behind', async () => {
  const who = fc.constantFrom('anon' as const, 'alice' as const, 'service' as const)
  await fc.assert(
    fc.asyncProperty(wildRequest, who, async ({ method, url, headers, body }, as) => {
      const answer = await world.ask(url, { method, as, headers, ...(body !== undefined && { raw: body }) })
      expect(answer.status, answer.text).toBeLessThan(500)
      if (answer.status >= 400 && method !== 'HEAD') {
        expect(Object.keys(answer.body as object).toSorted()).toEqual(['code', 'details', 'hint', 'message'])
        expect(answer.text).not.toMatch(/at .*\.ts:|node_modules|rest_page|rest_result/)
      }
      expect(String(answer.headers['content-type'])).not.toContain('html')
    }),
    { numRuns: RUNS, seed: SEED },
  )
  await expect.poll(() => world.rows(BUSY)).toEqual([])
  const [first, second] = await Promise.all([1, 2].map(() => world.ask('/people?select=id&limit=0')))
  expect([first?.status, second?.status]).toEqual([200, 200])
})

test('garbage from many at once leaves every connection usable', async () => {
  const many = fc.array(wildRequest, { minLength: 20, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(many, async (requests) => {
      const answers = await Promise.all(
        requests.map(({ method, url, headers, body }) =>
          world.ask(url, { method, as: 'alice', headers, ...(body !== undefined && { raw: body }) }),
        ),
      )
      for (const answer of answers) expect(answer.status, answer.text).toBeLessThan(500)
    }),
    { numRuns: Math.ceil(RUNS / 60), seed: SEED },
  )
  await expect.poll(() => world.rows(BUSY)).toEqual([])
  const settings = `select current_user::text as role, current_setting('work_mem') as memory`
  const [before] = await world.rows(settings)
  expect(before).toBeDefined()
  const again = await Promise.all(Array.from({ length: 30 }, () => world.ask('/rpc/whoami', { as: 'anon' })))
  expect(new Set(again.map(({ body }) => (body as { user?: string }).user))).toEqual(new Set(['anon']))
})
