import type { CommonPowerSyncDatabase, SyncStatus } from '@powersync/common'
import type { IncompleteAnswer, IncompleteTable } from '@holdfast/protocol'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryStore } from '../key-value.ts'
import { createValue } from '../value.ts'
import { ASK_EVERY_MS, type IncompleteWatch, watchIncomplete } from './watch-incomplete.ts'

const FAILS: IncompleteTable = { table: 'remarks', reason: 'policy_fails' }
const BEING_READ: IncompleteTable = { table: 'jobs', reason: 'being_read' }

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }))
afterEach(() => vi.useRealTimers())

const store = memoryStore()
/** The server's response; `undefined` for none. */
let answer: IncompleteAnswer | undefined
let asked: number[] = []

interface Device {
  readonly watch: IncompleteWatch
  /** Simulates a checkpoint. */
  checkpoint(): void
  isConnected: boolean
}

/** A device whose last checkpoint time follows its simulated clock. */
async function openDevice(userId: string, omitted: readonly string[] = []): Promise<Device> {
  const listeners: ((status: SyncStatus) => void)[] = []
  const device = { isConnected: true }
  const database = {
    registerListener({ statusChanged }: { readonly statusChanged: (status: SyncStatus) => void }) {
      listeners.push(statusChanged)
      return () => undefined
    },
    get connected() {
      return device.isConnected
    },
    closed: false,
    getClientId: async () => 'a-device',
  } as unknown as CommonPowerSyncDatabase
  asked = []
  const watch = await watchIncomplete(database, {
    url: 'http://localhost',
    userId,
    store,
    omitted: createValue(omitted),
    token: async () => 'a token',
    now: () => Date.now(),
    onProblem: (error) => {
      throw error
    },
    fetch: async () => {
      asked.push(Date.now())
      return answer ? Response.json(answer) : new Response(null, { status: 503 })
    },
  })
  return Object.assign(device, {
    watch,
    checkpoint: () =>
      listeners.forEach((tell) => tell({ connected: true, lastSyncedAt: new Date() } as unknown as SyncStatus)),
  })
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

describe('tables that are not complete on a device', () => {
  test('are asked for after checkpoints, at most once in 30 s', async () => {
    answer = { known: true, tables: [FAILS] }
    const device = await openDevice('ana')
    device.checkpoint()
    await pass(1_000)
    expect(device.watch.tables.get()).toEqual([FAILS])
    answer = { known: true, tables: [] }
    for (let second = 0; second < 29; second++) {
      device.checkpoint()
      await pass(1_000)
    }
    expect([asked.length, device.watch.tables.get()]).toEqual([1, [FAILS]])
    await pass(1_000)
    expect([asked.length, device.watch.tables.get()]).toEqual([2, []])
    await pass(10 * ASK_EVERY_MS)
    expect(asked, 'without a checkpoint nothing has changed').toHaveLength(2)
    device.watch[Symbol.dispose]()
  })

  test('are asked for every 2 s while the server is still reading one', async () => {
    answer = { known: true, tables: [BEING_READ] }
    const device = await openDevice('ben')
    for (let second = 0; second < 7; second++) {
      device.checkpoint()
      await pass(1_000)
    }
    expect(asked.slice(1).map((at, index) => at - (asked[index] ?? 0))).toEqual([2_000, 2_000, 2_000])
    device.watch[Symbol.dispose]()
  })

  test.each([undefined, { known: false, tables: [] }])(
    'stay as they were known after the answer %j',
    async (nothing) => {
      answer = { known: true, tables: [FAILS] }
      const device = await openDevice('cyd')
      device.checkpoint()
      await pass(1_000)
      answer = nothing
      device.checkpoint()
      await pass(ASK_EVERY_MS)
      expect([asked.length, device.watch.tables.get()]).toEqual([2, [FAILS]])
      answer = { known: true, tables: [] }
      await pass(ASK_EVERY_MS)
      expect(device.watch.tables.get(), 'asked again without a checkpoint').toEqual([])
      device.watch[Symbol.dispose]()
    },
  )

  test('are asked for with the next connection when there is none', async () => {
    answer = { known: true, tables: [FAILS] }
    const device = await openDevice('dan')
    device.checkpoint()
    device.isConnected = false
    await pass(1_000)
    expect(asked).toEqual([])
    device.isConnected = true
    device.checkpoint()
    await pass(1_000)
    expect(device.watch.tables.get()).toEqual([FAILS])
    device.watch[Symbol.dispose]()
  })

  test('are known at the next start before the server has answered, with those that the device cannot hold', async () => {
    answer = { known: true, tables: [FAILS] }
    const before = await openDevice('eve')
    before.checkpoint()
    await pass(1_000)
    before.watch[Symbol.dispose]()
    const { watch } = await openDevice('eve', ['taken'])
    expect([asked, watch.tables.get()]).toEqual([[], [{ table: 'taken', reason: 'not_on_device' }, FAILS]])
    watch[Symbol.dispose]()
    expect((await openDevice('fay')).watch.tables.get(), 'of another user').toEqual([])
  })
})
