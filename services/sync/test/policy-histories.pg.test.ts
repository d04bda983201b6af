import type { TablePlan } from '@holdfast/policy'
import { BAD_TABLE, runsOf, seedOf } from '@holdfast/test-support'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compactUnlessCutOff, findBreaches } from './histories.ts'
import { openPolicyWorld, runPolicyHistory } from './policy-histories.ts'
import type { World } from './sync-world.ts'

/*
 * The invariant of `histories.pg.test.ts` for random tables, policies, people and streams, which all change on the way, while the service is opened
 * again, loses its connections and compacts, and lines are slow and get cut. docs/explanation/how-sync-is-tested.md tells what the generators make.
 * `HOLDFAST_POLICY_HISTORIES` sets how many, `HOLDFAST_HISTORY_SEED` the first seed.
 */

const COUNT = runsOf(5, { variable: 'HOLDFAST_POLICY_HISTORIES' })
const FIRST = seedOf('HOLDFAST_HISTORY_SEED')
const GROUP = Math.min(10, COUNT)

let world: World

beforeAll(async () => {
  world = await openPolicyWorld()
})

afterAll(() => world[Symbol.asyncDispose]())

describe('devices show what Postgres showed by random policies', () => {
  const terminate = (pattern: string): Promise<unknown> =>
    world.rows(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like '${pattern}'`)
  const groups = Array.from({ length: Math.ceil(COUNT / GROUP) }, (_, group) => FIRST + group * GROUP)
  test.each(groups)(`in ${GROUP} histories from seed %i`, async (first) => {
    let checkpoints = 0
    let badVersions = 0
    for (let seed = first; seed < Math.min(first + GROUP, FIRST + COUNT); seed++) {
      const { history, followed, told } = await runPolicyHistory(world, seed, {
        disturb: (random) =>
          random.pick([
            () => terminate('holdfast%'),
            () => terminate('holdfast replication%'),
            () => terminate('test people%'),
            () => world.restart(),
            () => compactUnlessCutOff(world.service),
            () => compactUnlessCutOff(world.service),
          ])(),
      })
      const breaches = followed.flatMap((one) => findBreaches(history, one).map((breach) => `${one.userId} ${breach}`))
      if (breaches.length > 0) console.log(`seed ${seed}:\n${told}`)
      expect({ seed, breaches }).toEqual({ seed, breaches: [] })
      // Nothing here stays on the server for a reason that a person would not see in Postgres either.
      for (const { name, reason } of world.service.plan()?.refused ?? []) {
        if (name === BAD_TABLE) continue
        expect({ seed, name, reason }).toMatchObject({
          reason: expect.stringMatching(
            /it is a (view|partition)|row-level security is off|no permissive policy|see no row/,
          ) as string,
        })
      }
      badVersions += followed
        .flatMap(({ device }) => device.received)
        .filter((row) => row.startsWith(`${BAD_TABLE}/`)).length
      checkpoints += followed.reduce((sum, { device }) => sum + device.completed.length, 0)
    }
    console.log(
      `seeds ${first} to ${Math.min(first + GROUP, FIRST + COUNT) - 1}: ${checkpoints} checkpoints equal, ${badVersions} versions of rows by bad policies`,
    )
    expect(checkpoints).toBeGreaterThan(0)
  })
})

/** What, the first seed that finds it, and how. */
type Plant = readonly [what: string, from: number, change: (table: TablePlan) => TablePlan]

const PLANTS: readonly Plant[] = [
  [
    'rows that are too many',
    2,
    (table) => ({ ...table, definitions: table.definitions.map((one) => ({ ...one, rowFilter: undefined })) }),
  ],
  [
    'a policy that is not followed',
    5,
    (table) => ({ ...table, definitions: table.definitions.filter(({ policies }) => !policies.includes('p0')) }),
  ],
]

/** It takes more histories to find these. */
const PLANTS_AT_NIGHT: readonly Plant[] = [
  [
    'columns that are too many',
    1,
    (table) => {
      const columns = table.columns.map(({ name }) => name)
      return { ...table, definitions: table.definitions.map((one) => ({ ...one, columns })) }
    },
  ],
  [
    'a role with grants of another’s objects',
    1,
    (table) => {
      const roles = [...new Set(table.definitions.flatMap((one) => one.roles))]
      return { ...table, definitions: table.definitions.map((one) => ({ ...one, roles })) }
    },
  ],
]

/** Each fault is planted in the plan that the service follows, past the policies. */
describe('the checker finds', () => {
  const isNight = process.env['HOLDFAST_NIGHT'] === '1'
  test.each([...PLANTS, ...(isNight ? PLANTS_AT_NIGHT : [])])('%s', async (_, from, change) => {
    await world[Symbol.asyncDispose]()
    world = await openPolicyWorld({ tamper: (plan) => ({ ...plan, tables: plan.tables.map(change) }) })
    const breaches: string[] = []
    for (let seed = from; seed < from + 15 && breaches.length === 0; seed++) {
      const { history, followed } = await runPolicyHistory(world, seed, { settleMs: 1_500, changesSchema: false })
      breaches.push(...followed.flatMap((one) => findBreaches(history, one)))
      // What did not come in so short a time is no fault; what should not have come is.
      if (!breaches.some((one) => /^(equality|wire):/.test(one))) breaches.length = 0
    }
    expect(breaches).toContainEqual(expect.stringMatching(/^(equality|wire):/))
  })
})
