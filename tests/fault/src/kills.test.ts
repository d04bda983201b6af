/**
 * Invariants: whatever dies in the middle of uploads and of replication, every local transaction is applied exactly once, whole and in order, and
 * soon after the server is ready again each device holds what its person may select.
 *
 * `HOLDFAST_SEED` repeats a run, `HOLDFAST_FAULTS` (default 1) strikes more often.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, pause, recoveryMsMax, REPEATS, seedOfRun, type World } from './world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld(seedOfRun())
})

afterAll(() => world?.[Symbol.asyncDispose]())

/** 200: the server is there, and so is its Postgres. 503: Postgres is not. */
async function waitForHealth(status: 200 | 503): Promise<void> {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const response = await fetch(`${world.holdfast.url}/health`).catch(() => undefined)
    if (response?.status === status) return
    await pause(2)
  }
  throw new Error(`the server does not say ${status}: ${world.holdfast.log()}`)
}

interface Fault {
  readonly title: string
  /** Strikes, and brings the server back. */
  strike(): Promise<void>
}

const faults: readonly Fault[] = [
  {
    title: 'kill -9 of the server',
    async strike() {
      await world.holdfast.kill9()
      await pause(world.random() * 500)
      await world.holdfast.restart()
    },
  },
  {
    title: 'kill -9 of Postgres',
    async strike() {
      await world.holdfast.killPostgres9()
      await waitForHealth(503) // it has noticed
      await waitForHealth(200)
    },
  },
  {
    title: 'kill -9 of the server and of Postgres',
    async strike() {
      await world.holdfast.killAll9()
      await world.holdfast.restart()
    },
  },
  {
    title: 'kill -9 of Postgres, then of the server while it brings Postgres back',
    async strike() {
      await world.holdfast.killPostgres9()
      await pause(world.random() * 300)
      await world.holdfast.kill9()
      await world.holdfast.restart()
    },
  },
  {
    title: 'a stop of half a second (SIGSTOP)',
    async strike() {
      process.kill(world.holdfast.pid(), 'SIGSTOP')
      await pause(500)
      process.kill(world.holdfast.pid(), 'SIGCONT')
      await waitForHealth(200)
    },
  },
  {
    title: 'a lease that is lost',
    async strike() {
      await world.holdfast.internal.withClient((client) => client.query('update sync.state set epoch = epoch + 1'))
    },
  },
  {
    title: 'a publication that is dropped',
    async strike() {
      await world.holdfast.internal.withClient((client) => client.query('drop publication if exists holdfast'))
    },
  },
  {
    title: 'a second server that comes and goes',
    async strike() {
      const other = await world.holdfast.another()
      await other.kill('SIGKILL')
    },
  },
  {
    title: 'the end of all connections to Postgres',
    async strike() {
      await world.holdfast.internal.withClient((client) =>
        client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type in ('client backend', 'walsender')`,
        ),
      )
      await waitForHealth(200)
    },
  },
]

describe.each(faults)('$title', ({ title, strike }) => {
  test.each(Array.from({ length: REPEATS }, (_, index) => index + 1))(
    'loses nothing and does nothing twice (%i)',
    async () => {
      let strikeMs = 0
      await world.underLoad(async () => {
        await pause(300 + world.random() * 1_200)
        const began = Date.now()
        await strike()
        strikeMs = Date.now() - began
      })
      const recoveryMs = await world.settle()
      console.log(`${title}: away for ${strikeMs} ms; all equal ${recoveryMs} ms after it was ready`)
      await world.expectNothingLostNothingTwice()
      expect(recoveryMs).toBeLessThan(recoveryMsMax())
    },
  )
})
