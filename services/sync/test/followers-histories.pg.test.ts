import { runsOf, seedOf } from '@holdfast/test-support'
import { expect, test } from 'vitest'
import { compactUnlessCutOff, findBreaches, runHistory } from './histories.ts'
import { changeSchema, CHANGING_SCHEMA } from './schema-histories.ts'
import { LISTS_SCHEMA, openWorld, type World } from './sync-world.ts'

/*
 * Invariant: devices that come to any of two servers each time show exactly what Postgres showed their user after some commit, never going back, as with one
 * server (`histories.pg.test.ts`).
 */

const COUNT = runsOf(20, { variable: 'HOLDFAST_HISTORIES' })
const FIRST = seedOf('HOLDFAST_HISTORY_SEED')

/** A history with two servers, the second of which follows at the start. */
async function expectExact(
  world: World,
  seed: number,
  options: Omit<NonNullable<Parameters<typeof runHistory>[2]>, 'servers'>,
): Promise<void> {
  const { history, followed } = await runHistory(world, seed, { ...options, servers: () => urls })
  for (const one of followed) expect(findBreaches(history, one), `seed ${seed}`).toEqual([])
}
let urls: readonly string[] = []

async function openTwo(options: Parameters<typeof openWorld>[0] = {}): Promise<World> {
  const world = await openWorld(options)
  const follower = await world.another()
  expect(follower.service.status().following).toBe(true)
  urls = [world.url, follower.url]
  return world
}

test(`two servers show what Postgres showed, in ${COUNT} histories`, { timeout: 300_000 }, async () => {
  await using world = await openTwo()
  for (let seed = FIRST; seed < FIRST + COUNT; seed++)
    await expectExact(world, seed, { disturb: () => compactUnlessCutOff(world.service) })
})

// Rows that bring values which no row had, so that followers have to list more classes.
const BY_VALUE = `
  ${LISTS_SCHEMA} drop policy own on public.items; drop policy shared on public.items;
  create function public.my_level() returns int language plpgsql stable as $$
  begin
    return (select count(*) * 30 from public.list_members where user_id = auth.uid());
  end $$;
  create policy low on public.items using (n <= my_level())`

test(`two servers show what Postgres showed by classes, in ${Math.ceil(COUNT / 4)} histories`, async () => {
  await using world = await openTwo({ schema: BY_VALUE })
  const items = world.service.plan()?.tables.find((table) => table.name === 'items')
  expect(items?.definitions.some((definition) => definition.accessClass)).toBe(true)
  for (let seed = FIRST; seed < FIRST + COUNT / 4; seed++)
    await expectExact(world, seed, { disturb: () => compactUnlessCutOff(world.service) })
})

test(
  `two servers show what Postgres showed while things break, in ${Math.ceil(COUNT / 10)} histories`,
  { timeout: 300_000 + COUNT * 3_000 },
  async () => {
    for (let seed = FIRST; seed < FIRST + COUNT / 10; seed++) {
      await using world = await openTwo(seed % 2 === 0 ? {} : { batchLimits: { chunkOps: 2, buckets: 1 } })
      const terminate = (pattern: string): Promise<unknown> =>
        world.rows(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and application_name like '${pattern}'`)
      await expectExact(world, seed, {
        settleMs: 60_000,
        disturb: (random) =>
          random.pick([
            () => terminate('holdfast%'),
            () => terminate('holdfast follower%'),
            () => terminate('holdfast sync%'),
            () => terminate('holdfast lease%'),
            () => world.run(`update sync.state set epoch = epoch + 1`),
            () => world.run(`delete from sync.batch_notes`),
            () => world.restart(),
            () => compactUnlessCutOff(world.service),
            () => world.run(`alter policy own on public.items using (owner_id = auth.uid())`),
          ])(),
      })
    }
  },
)

test(
  `two servers show what Postgres showed while the schema changes, in ${Math.ceil(COUNT / 10)} histories`,
  { timeout: 300_000 + COUNT * 3_000 },
  async () => {
    for (let seed = FIRST; seed < FIRST + COUNT / 10; seed++) {
      await using world = await openTwo({ schema: CHANGING_SCHEMA })
      await expectExact(world, seed, { settleMs: 60_000, changeSchema })
    }
  },
)
