import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import type { Bus, BusMessage } from '../src/bus/bus.ts'
import { openBus } from '../src/bus/open-bus.ts'
import { createEntry } from '../src/bus/presence.ts'
import { BUS_CHECK_MS, BUS_WAITING_BYTES_MAX } from '../src/limits.ts'
import { realtimeMigrations } from '../src/index.ts'
import { describeBus } from './bus-suite.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [realtimeMigrations] })
})
afterAll(() => database[Symbol.asyncDispose]())

const open = (): Promise<Bus> =>
  openBus({ shared: { url: database.url, pool: database.pool, natsUrl: undefined }, logger: silentLogger })

async function openTwo(): Promise<readonly [Bus, Bus]> {
  const nodes = [await open(), await open()] as const
  onTestFinished(async () => {
    for (const node of nodes) await node[Symbol.asyncDispose]()
  })
  return nodes
}

const message = (payload: string): BusMessage => ({ kind: 'text', from: undefined, payload })
const run = (text: string, values: readonly unknown[] = []) =>
  database.pool.withClient((client) => client.query(text, [...values]))

/** Presence of a channel as its changes tell it. */
function presenceOn(bus: Bus, channel: string): Set<string> {
  const present = new Set<string>()
  const subscription = bus.subscribe(channel, (got) => {
    if (got.kind !== 'presence') return
    for (const { ref } of got.change.leaves) present.delete(ref)
    for (const { ref } of got.change.joins) present.add(ref)
  })
  onTestFinished(() => subscription[Symbol.dispose]())
  return present
}

const show = (bus: Bus, channel: string, ref: string): void =>
  bus.publish(channel, {
    kind: 'presence',
    change: { joins: [createEntry('ada', ref, '{}', undefined)], leaves: [] },
  })

/** Ends the connections on which the nodes listen. */
const cut = () =>
  run(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'holdfast bus'`)

describeBus('two servers on Postgres', async () => [await open(), await open()])

describe('servers on one Postgres', () => {
  test('tell apart names that look like SQL, channels and other names', async () => {
    const [one, other] = await openTwo()
    const names = [`'; drop table realtime.bus_key; --`, 'a\0b', '\u{1F600}', '\ud800', '#'.repeat(246), '', ' ']
    const seen: string[] = []
    for (const name of names) other.subscribe(name, (got) => void (got.kind === 'text' && seen.push(got.payload)))
    for (const [position] of names.entries()) one.publish(names[position] ?? '', message(String(position)))
    await expect.poll(() => seen).toEqual(names.map((_, position) => String(position)))
  })

  test('read nothing from a role without the key, and show it nothing', async () => {
    const [one, other] = await openTwo()
    const seen: string[] = []
    other.subscribe('a', (got) => void (got.kind === 'text' && seen.push(got.payload)))
    const heard: string[] = []
    await database.pool.withClient(async (client) => {
      client.on('notification', ({ payload = '' }) => heard.push(payload))
      await client.query('listen holdfast_bus')
      one.publish('a', message('a secret'))
      await expect.poll(() => seen).toEqual(['a secret'])
      await client.query('unlisten *')
      client.removeAllListeners('notification')
    })
    expect(heard.map((text) => Buffer.from(text, 'base64').toString('latin1')).join()).not.toContain('a secret')
    // Forged, garbled, repeated, and about frames that are not there.
    const garbled = Buffer.from(heard.at(-1) ?? '', 'base64')
    garbled[garbled.length - 1] = (garbled.at(-1) ?? 0) ^ 1
    const payloads = [
      ...heard,
      garbled.toString('base64'),
      '',
      'x',
      '#',
      '#no-uuid',
      randomBytes(99).toString('base64'),
    ]
    for (const payload of payloads) await run(`select pg_notify('holdfast_bus', $1)`, [payload])
    one.publish('a', message('next'))
    await expect.poll(() => seen).toEqual(['a secret', 'next'])
    for (const role of ['anon', 'authenticated', 'service_role'])
      for (const table of ['bus_key', 'bus_frames'])
        await database.pool.withClient(async (client) => {
          await client.query('begin')
          await client.query(`set local role ${role}`)
          await expect(client.query(`select from realtime.${table}`)).rejects.toThrow('permission denied')
          await client.query('rollback')
        })
  })

  test('drop what there is no room for, and go on', async () => {
    const [one, other] = await openTwo()
    const seen: number[] = []
    other.subscribe('a', (got) => void (got.kind === 'text' && seen.push(got.payload.length)))
    const large = 4_000_000
    for (let sent = 0; sent <= (3 * BUS_WAITING_BYTES_MAX) / large; sent++) one.publish('a', message('x'.repeat(large)))
    one.publish('b', message('x'))
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBeGreaterThan(2)
    await expect
      .poll(
        () => {
          one.publish('a', message('end'))
          return seen.includes(3)
        },
        { timeout: 20_000 },
      )
      .toBe(true)
    const whole = seen.filter((length) => length !== 3)
    expect(whole).toEqual(whole.map(() => large))
    expect(whole.length * large).toBeLessThan(2 * BUS_WAITING_BYTES_MAX)
  })

  test('tell a new subscriber who is present, and go on after their connections are cut', async () => {
    const [one, other] = await openTwo()
    show(one, 'room', '1')
    const present = presenceOn(other, 'room')
    await expect.poll(() => [...present]).toEqual(['1'])
    await cut()
    // While nobody listens: whatever is missed is read again.
    show(one, 'room', '2')
    await expect.poll(() => [...present], { timeout: 10_000 }).toEqual(['1', '2'])
    const seen: string[] = []
    one.subscribe('a', (got) => void (got.kind === 'text' && seen.push(got.payload)))
    await expect
      .poll(
        () => {
          other.publish('a', message('again'))
          return seen.length
        },
        { timeout: 10_000 },
      )
      .toBeGreaterThan(0)
  })

  test('show the presence of a closed server no longer, and that of a silent one for five seconds at most', async () => {
    const [one, other] = await openTwo()
    const present = presenceOn(one, 'room')
    show(other, 'room', 'closed')
    await expect.poll(() => [...present]).toEqual(['closed'])
    await other[Symbol.asyncDispose]()
    await expect.poll(() => [...present]).toEqual([])
    let isSilent = false
    const execute: Pool['execute'] = async (statement) => {
      if (isSilent) throw new Error('no network')
      return await database.pool.execute(statement)
    }
    const shared = { url: database.url, pool: { ...database.pool, execute }, natsUrl: undefined }
    const silent = await openBus({ shared, logger: silentLogger })
    show(silent, 'room', 'silent')
    await expect.poll(() => [...present]).toEqual(['silent'])
    isSilent = true
    const began = performance.now()
    await expect.poll(() => [...present], { timeout: 10_000 }).toEqual([])
    expect(performance.now() - began).toBeLessThan(5_000 + BUS_CHECK_MS)
    // It answers again.
    isSilent = false
    await expect.poll(() => [...present], { timeout: 10_000 }).toEqual(['silent'])
    await silent[Symbol.asyncDispose]()
  })

  test('delete stored messages after a minute', async () => {
    await run('delete from realtime.bus_frames')
    await run(`insert into realtime.bus_frames
               select gen_random_uuid(), '', now() - make_interval(secs => age) from unnest(array[0, 120]) age`)
    await using _later = await open()
    await expect.poll(async () => (await run('select from realtime.bus_frames')).rowCount).toBe(1)
  })
})
