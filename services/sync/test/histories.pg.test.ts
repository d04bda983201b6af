import { runsOf, seedOf } from '@holdfast/test-support'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compactUnlessCutOff, findBreaches, runHistory } from './histories.ts'
import { changeSchema, CHANGING_SCHEMA } from './schema-histories.ts'
import { openWorld, type World } from './sync-world.ts'

/*
 * Invariant: at each completed checkpoint a device shows exactly what Postgres showed its person after some commit, never going back, and no row
 * version was on the wire that the person could not see after some commit. Random histories of rows and memberships, devices that come and go.
 * `HOLDFAST_HISTORIES` sets how many, `HOLDFAST_HISTORY_SEED` the first seed.
 */

const COUNT = runsOf(15, { variable: 'HOLDFAST_HISTORIES' })
const FIRST = seedOf('HOLDFAST_HISTORY_SEED')
const GROUP = Math.min(10, COUNT)

let world: World

beforeAll(async () => {
  world = await openWorld()
  expect(world.service.plan()?.tables.map((table) => table.name)).toEqual(['items', 'list_members'])
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

describe('devices show what Postgres showed', () => {
  const groups = Array.from({ length: Math.ceil(COUNT / GROUP) }, (_, group) => FIRST + group * GROUP)
  test.each(groups)(`in ${GROUP} histories from seed %i`, async (first) => {
    let checkpoints = 0
    for (let seed = first; seed < Math.min(first + GROUP, FIRST + COUNT); seed++) {
      const { history, followed } = await runHistory(world, seed, { disturb: () => world.service.compact() })
      for (const one of followed) {
        expect(findBreaches(history, one), `seed ${seed}`).toEqual([])
        checkpoints += one.device.completed.length
      }
    }
    expect(checkpoints).toBeGreaterThan(0)
  })
})

// The service, its connections and its policies are broken on the way; a device that was cut off comes back by itself, as the public client does.
test(
  `devices show what Postgres showed while things break, in ${Math.ceil(COUNT / 10)} histories`,
  { timeout: 300_000 + COUNT * 3_000 },
  async () => {
    for (let seed = FIRST; seed < FIRST + COUNT / 10; seed++) {
      // Every other one as if its transactions were far larger than memory.
      await using broken = await openWorld(seed % 2 === 0 ? {} : { batchLimits: { chunkOps: 2, buckets: 1 } })
      const terminate = (pattern: string): Promise<unknown> =>
        broken.rows(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and application_name like '${pattern}'`)
      const { history, followed } = await runHistory(broken, seed, {
        settleMs: 60_000,
        disturb: (random) =>
          random.pick([
            () => terminate('holdfast%'),
            () => terminate('holdfast replication%'),
            () => terminate('holdfast sync%'),
            () => terminate('test people%'),
            () => terminate('holdfast lease%'),
            // As if another server had held the lease for a moment.
            () => broken.run(`update sync.state set epoch = epoch + 1`),
            async () => (await broken.another()).stop(),
            () => broken.restart(),
            () => compactUnlessCutOff(broken.service),
            () => broken.run(`drop publication if exists holdfast`),
            () => broken.run(`alter publication holdfast drop table public.items`).catch(() => undefined), // dropped just now
            () => broken.run(`alter policy own on public.items using (owner_id = auth.uid())`),
            () => broken.run(`alter table public.items replica identity full, alter column title set default 'x'`),
          ])(),
      })
      for (const one of followed) expect(findBreaches(history, one), `seed ${seed}`).toEqual([])
    }
  },
)

// Columns, tables, policies, functions, grants, row-level security, words of enums, in transactions with rows.
test(
  `devices show what Postgres showed while the schema changes, in ${Math.ceil(COUNT / 10)} histories`,
  { timeout: 300_000 + COUNT * 3_000 },
  async () => {
    for (let seed = FIRST; seed < FIRST + COUNT / 10; seed++) {
      await using changing = await openWorld({ schema: CHANGING_SCHEMA })
      const { history, followed } = await runHistory(changing, seed, { settleMs: 60_000, changeSchema })
      for (const one of followed) expect(findBreaches(history, one), `seed ${seed}`).toEqual([])
    }
  },
)
