/**
 * Invariants: three servers of one database behind a load balancer without sticky sessions. Whatever is killed or hangs, one of the servers, NATS, the load
 * balancer or Postgres, every local transaction is applied exactly once, whole and in order, and within seconds each device holds what its user may select.
 * Presence of a server that dies leaves within five seconds; broadcasts and presence cross servers again when NATS returns.
 *
 * `HOLDFAST_SEED` repeats a run.
 */
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest'
import { SAMPLE_PASSWORD } from '@holdfast/test-support'
import { findClusterPrograms, openCluster, restartPostgres, type Cluster } from './cluster.ts'
import { joinChannel } from './joined-channel.ts'
import { onThisMachine, openWorld, pause, seedOfRun, whileRunning, type World } from './world.ts'

/** From the moment at which a server fails until all devices are equal, in milliseconds. A server that hangs is noticed after four seconds. */
const RECOVERY_MS_MAX = 5_000
const HUNG_RECOVERY_MS_MAX = 10_000
/** How long NATS is away, in milliseconds: longer than the silence after which presence of another server leaves. */
const NATS_AWAY_MS = process.env['HOLDFAST_NIGHT'] === undefined ? 6_000 : 30_000

const programs = findClusterPrograms()
let cluster: Cluster
let world: World

interface Fault {
  readonly title: string
  readonly recoveryMsMax: number
  /** @returns what brings back what the fault took away; it runs under load */
  strike(): Promise<() => Promise<void>>
}

const faults: readonly Fault[] = [
  {
    title: 'kill -9 of a follower',
    recoveryMsMax: RECOVERY_MS_MAX,
    async strike() {
      const node = await cluster.follower()
      await node.kill()
      return () => node.start()
    },
  },
  {
    title: 'SIGSTOP of a follower',
    recoveryMsMax: HUNG_RECOVERY_MS_MAX,
    async strike() {
      const node = await cluster.follower()
      node.signal('SIGSTOP')
      return async () => node.signal('SIGCONT')
    },
  },
  {
    title: 'kill -9 of the reader',
    recoveryMsMax: RECOVERY_MS_MAX,
    async strike() {
      const node = await cluster.reader()
      await node.kill()
      return () => node.start()
    },
  },
  {
    title: 'SIGSTOP of the reader',
    recoveryMsMax: HUNG_RECOVERY_MS_MAX,
    async strike() {
      const node = await cluster.reader()
      node.signal('SIGSTOP')
      return async () => node.signal('SIGCONT')
    },
  },
  {
    title: 'kill -9 of the load balancer',
    recoveryMsMax: RECOVERY_MS_MAX,
    async strike() {
      await cluster.balancer.kill()
      await pause(300)
      await cluster.balancer.start()
      return async () => undefined
    },
  },
  {
    title: 'a restart of Postgres',
    recoveryMsMax: HUNG_RECOVERY_MS_MAX,
    async strike() {
      await restartPostgres(world.holdfast)
      return async () => undefined
    },
  },
]

describe.skipIf(programs !== undefined)('three servers behind a load balancer', () => {
  test.skip('are not tried: no nats-server and haproxy (Debian and Ubuntu: apt-get install nats-server haproxy)', () =>
    undefined)
})

describe.skipIf(programs === undefined)('three servers behind a load balancer', () => {
  let restore = async (): Promise<void> => undefined

  beforeAll(async () => {
    world = await openWorld(seedOfRun(), async (holdfast) => {
      if (programs) cluster = await openCluster(holdfast, programs)
      return cluster.url
    })
  }, 300_000)

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  })

  /** Brings back what the last fault took away. */
  async function recover(): Promise<void> {
    await restore()
    restore = async () => undefined
    await cluster.untilComplete()
  }

  test.each(faults)('$title: nothing is lost or doubled', async ({ title, recoveryMsMax, strike }) => {
    let [began, struckMs] = [0, 0]
    onTestFailed(() => console.log(cluster.log()))
    await world.underLoad(async () => {
      await recover()
      await pause(world.random() * 700)
      began = Date.now()
      restore = await strike()
      struckMs = Date.now() - began
    })
    await world.settle()
    const tookMs = Date.now() - began
    console.log(`${title}: took ${struckMs} ms; all devices equal after ${tookMs} ms`)
    await world.expectNothingLostNothingTwice()
    expect(tookMs).toBeLessThan(onThisMachine(recoveryMsMax))
  })

  test('without NATS each server serves its own clients, and all of them after its return', async () => {
    const [one = '', other = ''] = cluster.nodes.map(({ url }) => url)
    await recover()
    const ada = await joinChannel(one, world.holdfast.anonKey, 'ada')
    const bob = await joinChannel(other, world.holdfast.anonKey, 'bob')
    const expectBroadcasts = async (event: string): Promise<void> => {
      await ada.channel.send({ type: 'broadcast', event, payload: {} })
      await expect.poll(() => bob.events.at(-1)).toBe(event)
    }
    await world.underLoad(async () => {
      for (const { present } of [ada, bob]) await expect.poll(present).toEqual(['ada', 'bob'])
      await expectBroadcasts('before')
      await cluster.nats.kill()
      const killedAt = Date.now()
      await expect.poll(bob.present).toEqual(['bob'])
      await pause(NATS_AWAY_MS - (Date.now() - killedAt))
      expect(ada.present()).toEqual(['ada'])
      await cluster.nats.start()
      for (const { present } of [ada, bob]) await expect.poll(present).toEqual(['ada', 'bob'])
      await expectBroadcasts('after')
    })
    await world.settle()
    await world.expectNothingLostNothingTwice()
    const killedAt = Date.now()
    await cluster.nodes[1]?.kill()
    restore = async () => cluster.nodes[1]?.start()
    await expect.poll(() => ada.present()).toEqual(['ada'])
    console.log(`presence of a killed server left after ${Date.now() - killedAt} ms`)
    expect(Date.now() - killedAt).toBeLessThan(onThisMachine(5_000))
    expect(ada.states).toEqual(['SUBSCRIBED'])
  })

  test('a rolling deployment fails no request', async () => {
    const { holdfast } = world
    await recover()
    const supabase = createClient(cluster.url, holdfast.anonKey, { auth: { persistSession: false } })
    await supabase.auth.signInWithPassword({ email: 'mina.kaya@northline.example', password: SAMPLE_PASSWORD })
    const failures: string[] = []
    let requests = 0

    /** One read, and one write, as an app sends them. */
    async function request(): Promise<void> {
      const { error: unread } = await supabase.from('notes').select('id').limit(1)
      const { error: unwritten } = await supabase.from('notes').insert({ title: 'online', shared: false })
      for (const error of [unread, unwritten]) if (error) failures.push(JSON.stringify(error))
      requests += 2
      await pause(20)
    }
    await world.underLoad(() =>
      whileRunning(async () => {
        for (const node of cluster.nodes) {
          await node.stop()
          await node.start()
          await cluster.untilComplete()
        }
      }, [request]),
    )
    await world.settle()
    await world.expectNothingLostNothingTwice()
    console.log(`rolling deployment: ${requests} requests, ${failures.length} failed`)
    expect(failures).toEqual([])
  })
})
