import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBreaches, runHistory } from './histories.test-support.ts'
import { openWorld, type World } from './sync-world.test-support.ts'

/*
 * Invariant: at each completed checkpoint a device shows exactly what Postgres showed its person after some commit, never going back, and no row
 * version was on the wire that the person could not see after some commit. Random histories of rows and memberships, devices that come and go.
 * `HOLDFAST_HISTORIES` sets how many, `HOLDFAST_HISTORY_SEED` the first seed.
 */

const COUNT = Number(process.env['HOLDFAST_HISTORIES'] ?? 100)
const FIRST = Number(process.env['HOLDFAST_HISTORY_SEED'] ?? 1)
const GROUP = 10

let world: World

beforeAll(async () => {
  world = await openWorld()
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

describe('devices show what Postgres showed', () => {
  const groups = Array.from({ length: Math.ceil(COUNT / GROUP) }, (_, group) => FIRST + group * GROUP)
  test.each(groups)(`in ${GROUP} histories from seed %i`, { timeout: 120_000 }, async (first) => {
    let checkpoints = 0
    for (let seed = first; seed < Math.min(first + GROUP, FIRST + COUNT); seed++) {
      const { history, followed } = await runHistory(world, seed)
      for (const one of followed) {
        expect(findBreaches(history, one), `seed ${seed}`).toEqual([])
        checkpoints += one.device.completed.length
      }
    }
    expect(checkpoints).toBeGreaterThan(0)
  })
})
