/**
 * Invariants: over random tables, policies and streams, whatever is killed or cut, everything that a device ever shows is what Postgres showed its person
 * after some commit, in the order of the commits; and soon after all are back, each shows what its person is shown now. Devices are processes of their own
 * with the unmodified SDK; a killed one goes on with its file.
 *
 * `HOLDFAST_SEED` repeats a run, `HOLDFAST_FAULTS` (default 1) makes more of them, half as many.
 */
import { describe, expect, test } from 'vitest'
import { openPolicyWorld, type PolicyWorld } from './policy-world.ts'
import { pause, recoveryMsMax, REPEATS, seedOfRun } from './world.ts'

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

describe('what devices show is what Postgres showed', () => {
  test.each(seeds)('while things are killed and cut (seed %i)', async (seed) => {
    await using world = await openPolicyWorld(seed)
    const stop = new AbortController()
    const writing = (async () => {
      while (!stop.signal.aborted) await world.commit()
    })()
    try {
      await Promise.race([writing, strikeAll(world)])
    } finally {
      stop.abort()
      await writing
    }
    const recoveryMs = await world.settle()
    const states = world.devices.reduce((sum, device) => sum + device.states.length, 0)
    console.log(`seed ${seed}: ${states} states shown; all equal ${recoveryMs} ms after the last fault`)
    expect(world.breaches()).toEqual([])
    expect(states).toBeGreaterThan(world.devices.length)
    expect(recoveryMs).toBeLessThan(recoveryMsMax() + 5_000) // what the SDK waits before it tries again
  })
})

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
