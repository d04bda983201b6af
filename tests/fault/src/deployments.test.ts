/**
 * Invariants: while one server after another is replaced as a deployment does it, the next one started before the last one is stopped, devices keep working through
 * one address; every local transaction is applied exactly once, and each device has what its person may select.
 *
 * `HOLDFAST_SEED` repeats a run, `HOLDFAST_FAULTS` (default 1) makes it longer.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ServerProcess } from '@holdfast/test-support'
import { openProxyToServers, type ProxyToServers } from './proxy-to-servers.ts'
import { openWorld, pause, REPEATS, seedOfRun, type World } from './world.ts'

let proxy: ProxyToServers
let world: World
let present: ServerProcess | undefined

beforeAll(async () => {
  world = await openWorld(seedOfRun(), async ({ url }) => {
    proxy = await openProxyToServers([url])
    return proxy.url
  })
}, 300_000)

afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await present?.kill('SIGKILL')
  await proxy?.[Symbol.asyncDispose]()
})

async function untilReady(url: string): Promise<void> {
  const sync = async (): Promise<unknown> =>
    ((await (await fetch(`${url}/health`)).json()) as { readonly sync: string }).sync
  await expect.poll(() => sync().catch(String), { timeout: 120_000 }).toBe('ready')
}

test('deployments that overlap lose nothing and do nothing twice', async () => {
  const { holdfast } = world
  await world.underLoad(async () => {
    for (let deployment = 0; deployment <= 1 + REPEATS; deployment++) {
      await pause(300 + world.random() * 1_200)
      const next = await holdfast.another()
      const last = present
      proxy.use([last?.ready.base ?? holdfast.url, next.ready.base])
      await pause(world.random() * 500)
      // The first is killed, which leaves its Postgres to the others; these end in order.
      await (last ? last.kill('SIGTERM') : holdfast.kill9())
      present = next
      proxy.use([next.ready.base])
      await untilReady(next.ready.base)
    }
  })
  await world.settle()
  await world.expectNothingLostNothingTwice()
})
