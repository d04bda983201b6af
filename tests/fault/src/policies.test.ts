/**
 * Invariants: over random tables, policies and streams, whatever is killed or cut, everything that a device ever shows is what Postgres showed its person
 * after some commit, in the order of the commits; and soon after all are back, each shows what its person is shown now. Devices are processes of their own
 * with the unmodified SDK; a killed one goes on with its file. However many kills and changes of the schema follow each other, no device is behind for longer
 * than a fixed time after the last of them.
 *
 * `HOLDFAST_SEED` repeats a run, `HOLDFAST_FAULTS` (default 1) makes more of them, half as many; `HOLDFAST_KILLS` says how many kills follow each other.
 */
import { describe, expect, test } from 'vitest'
import { openPolicyWorld, type PolicyWorld } from './policy-world.ts'
import { onThisMachine, pause, recoveryMsMax, REPEATS, seedOfRun } from './world.ts'

const SEED = seedOfRun()
const seeds = Array.from({ length: Math.ceil(REPEATS / 2) }, (_, index) => SEED + index)

const faults: Readonly<Record<string, (world: PolicyWorld) => Promise<void>>> = {
  async 'kill -9 of the server'({ holdfast, random }) {
    await holdfast.kill9()
    await pause(random.below(300))
    await holdfast.restart()
  },
  async 'kill -9 of Postgres'({ holdfast, random }) {
    await holdfast.killPostgres9()
    await pause(random.below(1_000))
  },
  async 'kill -9 of both'({ holdfast }) {
    await holdfast.killAll9()
    await holdfast.restart()
  },
  async 'kill -9 of a device'({ devices, random }) {
    const device = random.pick(devices)
    await device.kill9()
    await pause(random.below(800))
    device.start()
  },
  async 'a slow line that is cut'({ link, random }) {
    link.slow(1 + random.below(60))
    await pause(random.below(500))
    link.cut()
    await pause(random.below(500))
    link.slow(0)
  },
  async 'no line'({ link, random }) {
    link.sever()
    await pause(random.below(1_500))
    link.mend()
  },
}

/** How many kills follow each other. */
const KILLS = Number(process.env['HOLDFAST_KILLS'] ?? 5)

/** From the last kill or change of the schema until all devices are equal, in milliseconds. */
const BEHIND_MS_MAX = 20_000

describe('what devices show is what Postgres showed', () => {
  test.each(seeds)('while things are killed and cut (seed %i)', async (seed) => {
    await using world = await openPolicyWorld(seed)
    await whileCommitting(world, strikeAll)
    const recoveryMs = await world.settle()
    const states = world.devices.reduce((sum, device) => sum + device.states.length, 0)
    console.log(`seed ${seed}: ${states} states shown; all equal ${recoveryMs} ms after the last fault`)
    expect(world.breaches()).toEqual([])
    expect(states).toBeGreaterThan(world.devices.length)
    expect(recoveryMs).toBeLessThan(recoveryMsMax() + 5_000) // what the SDK waits before it tries again
  })

  test.each(seeds)(
    'soon after servers were killed in a row and the schema changed meanwhile (seed %i)',
    async (seed) => {
      await using world = await openPolicyWorld(seed)
      await whileCommitting(world, strikeAgainAndAgain)
      const behindMs = await world.settle()
      console.log(`seed ${seed}: all equal ${behindMs} ms after the last kill and the last change`)
      expect(world.breaches()).toEqual([])
      expect(behindMs).toBeLessThan(onThisMachine(BEHIND_MS_MAX))
    },
  )
})

/** Commits transactions, of which some change the schema, until `body` has ended. */
async function whileCommitting(world: PolicyWorld, body: (world: PolicyWorld) => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const writing = (async () => {
    while (!stop.signal.aborted) await world.commit()
  })()
  try {
    await Promise.race([writing, body(world)])
  } finally {
    stop.abort()
    await writing
  }
}

/** Servers and their Postgres are killed every second or two, most of them before they serve. */
async function strikeAgainAndAgain(world: PolicyWorld): Promise<void> {
  await world.begun()
  for (let kill = 0; kill < KILLS; kill++) {
    const title = world.random.pick(['kill -9 of the server', 'kill -9 of Postgres', 'kill -9 of both'])
    await faults[title]?.(world)
    await pause(1_000 + world.random.below(1_000))
  }
}

/** Each kind of fault once, in some order. */
async function strikeAll(world: PolicyWorld): Promise<void> {
  const left = Object.entries(faults)
  await world.begun()
  while (left.length > 0) {
    const [[title, strike] = ['', async () => undefined]] = left.splice(world.random.below(left.length), 1)
    console.log(title)
    await strike(world)
    await pause(300 + world.random.below(700))
  }
}
