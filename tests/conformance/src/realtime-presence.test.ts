import type { RealtimeChannel } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { openClient, subscribe, VERSIONS, type ClientOptions } from './realtime-world.ts'

let holdfast: Holdfast

beforeAll(async () => {
  holdfast = await openHoldfast()
})

afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]()
})

/** Joins a channel and records joins and leaves. */
async function enter(name: string, key: string, options: ClientOptions = {}) {
  const client = openClient(holdfast, options)
  const channel = client.channel(name, { config: { presence: { key } } })
  const seen: string[] = []
  channel.on('presence', { event: 'join' }, ({ key: who }) => void seen.push(`${who} came`))
  channel.on('presence', { event: 'leave' }, ({ key: who }) => void seen.push(`${who} went`))
  channel.on('presence', { event: 'sync' }, () => undefined)
  await subscribe(channel)
  return { client, channel, seen }
}

/** Returns the presence state by key. */
function present(channel: RealtimeChannel): Record<string, unknown[]> {
  const entries = Object.entries(channel.presenceState<{ at?: string }>())
  return Object.fromEntries(entries.map(([key, shown]) => [key, shown.map(({ at }) => at)]))
}

describe.each(VERSIONS)('presence, protocol %s', (version) => {
  test('reports joins, updates and leaves', async () => {
    const name = `room ${version}`
    const [ada, bob] = [await enter(name, 'ada', { version }), await enter(name, 'bob', { version })]
    expect(await ada.channel.track({ at: 'home' })).toBe('ok')
    await expect.poll(() => present(bob.channel)).toEqual({ ada: ['home'] })
    await ada.channel.track({ at: 'work' })
    await expect.poll(() => present(bob.channel)).toEqual({ ada: ['work'] })
    await bob.channel.track({ at: 'here' })
    const late = await enter(name, 'late', { version })
    await expect.poll(() => present(late.channel)).toEqual({ ada: ['work'], bob: ['here'] })
    await ada.client.realtime.disconnect()
    await expect.poll(() => present(late.channel)).toEqual({ bob: ['here'] })
    await expect.poll(() => late.seen.at(-1)).toBe('ada went')
  })
})

describe('channel.track', () => {
  test('is visible to the sender', async () => {
    const { channel } = await enter('own', 'me')
    expect(await channel.track({ at: 'x' })).toBe('ok')
    await expect.poll(() => present(channel)).toEqual({ me: ['x'] })
  })
})

describe('channel.untrack', () => {
  test('removes the presence', async () => {
    const [{ channel }, other] = [await enter('untrack', 'me'), await enter('untrack', 'other')]
    await channel.track({ at: 'x' })
    await expect.poll(() => present(other.channel)).toEqual({ me: ['x'] })
    expect(await channel.untrack()).toBe('ok')
    await expect.poll(() => present(other.channel)).toEqual({})
  })
})

describe('channel.presenceState', () => {
  test('has an entry per connection under one key', async () => {
    const [one, two] = [await enter('devices', 'ada'), await enter('devices', 'ada')]
    await one.channel.track({ at: 'phone' })
    await expect.poll(() => present(two.channel)).toEqual({ ada: ['phone'] })
    await two.channel.track({ at: 'desk' })
    await expect.poll(() => present(one.channel)).toEqual({ ada: ['phone', 'desk'] })
    await two.channel.unsubscribe()
    await expect.poll(() => present(one.channel)).toEqual({ ada: ['phone'] })
  })

  test('is empty after a server crash, until clients track again', async () => {
    const [one, two] = [await enter('killed', 'one'), await enter('killed', 'two')]
    await one.channel.track({ at: 'x' })
    await expect.poll(() => present(two.channel)).toEqual({ one: ['x'] })
    await holdfast.kill9()
    await holdfast.restart()
    await expect.poll(() => present(two.channel)).toEqual({})
    await expect.poll(async () => await one.channel.track({ at: 'again' })).toBe('ok')
    await expect.poll(() => present(two.channel)).toEqual({ one: ['again'] })
  })
})
