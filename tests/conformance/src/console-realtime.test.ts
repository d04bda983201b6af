import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChannelDetails, ChannelList, StoredMessage } from '@holdfast/protocol'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { type ConsoleBrowser, openConsoleBrowser, openOperator, openOwner } from './console-world.ts'
import { collect, openClient, signUp, subscribe } from './realtime-world.ts'

// Channels in the console: who is in them, what policies show of stored messages, and broadcasts in the audit log.

let holdfast: Holdfast
let owner: ConsoleBrowser
let developer: ConsoleBrowser
let viewer: ConsoleBrowser

const POLICIES = `
  create policy "read" on realtime.messages for select to authenticated using (realtime.topic() = 'team');
  create policy "write" on realtime.messages for insert to authenticated with check (realtime.topic() = 'team');
`

beforeAll(async () => {
  holdfast = await openHoldfast()
  owner = await openOwner(holdfast)
  developer = await openOperator(holdfast, owner, 'developer')
  viewer = await openOperator(holdfast, owner, 'viewer')
  await holdfast.admin.withClient((client) => client.query(POLICIES))
})
afterAll(() => holdfast[Symbol.asyncDispose]())

const channels = (search: string, browser = developer): Promise<ChannelList> =>
  browser.ask(`GET /realtime/channels?search=${encodeURIComponent(search)}`)

const channel = (topic: string, isPrivate: boolean): Promise<ChannelDetails> =>
  developer.ask(`GET /realtime/channel?topic=${topic}&isPrivate=${isPrivate}`)

describe('channels', () => {
  test('are listed with their members and presence keys while a client is in them', async () => {
    const [client, visitor] = [openClient(holdfast), openClient(holdfast)]
    await signUp(client, 'ada')
    const { data } = await client.auth.getUser()
    const config = { private: true, presence: { key: '<b>ada</b>' } }
    const { channel: team, statuses } = await subscribe(client.channel('team', { config }))
    expect(statuses).toEqual(['SUBSCRIBED'])
    await team.track({ at: 'desk' })
    const lobby = await subscribe(visitor.channel('lobby'))
    const summary = { topic: 'team', isPrivate: true, members: 1, present: 1 }
    expect(await channels('TEA')).toEqual({ channels: [summary], count: 1 })
    expect(await channel('team', true)).toEqual({
      ...summary,
      users: [{ role: 'authenticated', userId: data.user?.id, email: data.user?.email }],
      presence: [{ key: '<b>ada</b>', entries: 1 }],
    })
    expect(await channel('lobby', false)).toMatchObject({ members: 1, users: [{ role: 'anon' }], presence: [] })
    expect(await channel('team', false)).toMatchObject({ members: 0, users: [], present: 0, presence: [] })
    await lobby.channel.unsubscribe()
    await expect.poll(async () => (await channels('lobby')).count).toBe(0)
  })

  test('show viewers no addresses, and are not found by them', async () => {
    await subscribe(openClient(holdfast).channel('desk:mina@example.org'))
    expect(await channels('desk', viewer)).toMatchObject({ channels: [{ topic: 'desk:m•••@e•••' }], count: 1 })
    expect((await channels('mina@', viewer)).count).toBe(0)
    expect((await channels('mina@')).count).toBe(1)
  })

  test('are listed up to the limit, those with the most members first', async () => {
    for (const topic of ['page:1', 'page:2', 'page:2']) await subscribe(openClient(holdfast).channel(topic))
    const page = await developer.ask<ChannelList>('GET /realtime/channels?search=page&limit=1')
    expect(page).toMatchObject({ channels: [{ topic: 'page:2', members: 2 }], count: 2 })
  })
})

describe('stored messages', () => {
  test('are those that policies show to the reader, newest first, and reading is logged', async () => {
    const { user } = await owner.ask<{ user: { id: string } }>('POST /users', {
      email: 'mina@example.org',
      email_confirm: true,
    })
    await holdfast.admin.withClient(async (client) => {
      await client.query(`select realtime.send('{"n": 1}', 'first', 'team', true)`)
      await client.query(`select realtime.send('{"n": 2}', 'second', 'team', true)`)
      await client.query(`select realtime.send('{"n": 3}', 'hidden', 'board', true)`)
    })
    const read = async (topic: string, as: object): Promise<readonly (string | null)[]> => {
      const { messages } = await developer.ask<{ messages: readonly StoredMessage[] }>('POST /realtime/messages', {
        topic,
        as,
      })
      return messages.map(({ event }) => event)
    }
    const mina = { kind: 'user', id: user.id }
    expect(await read('team', mina)).toEqual(['second', 'first'])
    expect(await read('board', mina)).toEqual([])
    expect(await read('team', { kind: 'anon' })).toEqual([])
    expect(await read('board', { kind: 'postgres' })).toEqual(['hidden'])
    const { entries } = await owner.ask<{ entries: readonly object[] }>('GET /audit?action=read_messages&limit=1')
    expect(entries[0]).toMatchObject({ operator: 'developer@ops.example', target: 'topic board as postgres' })
  })
})

describe('a test broadcast', () => {
  test('reaches the members of its channel only, and is logged', async () => {
    const client = openClient(holdfast)
    const [open, other] = [client.channel('open'), client.channel('other')]
    const [got, missed] = [collect(open, 'ping'), collect(other, 'ping')]
    await subscribe(open)
    await subscribe(other)
    const sent = { topic: 'open', isPrivate: false, event: 'ping', payload: '{"n":1}' }
    await developer.ask('POST /realtime/broadcast', sent)
    await expect.poll(() => got).toMatchObject([{ payload: { n: 1 } }])
    expect(missed).toEqual([])
    const { entries } = await owner.ask<{ entries: readonly object[] }>('GET /audit?action=send_broadcast&limit=1')
    expect(entries[0]).toMatchObject({ target: 'topic open', after: { event: 'ping', payload: '{"n":1}' } })
  })

  test('needs a JSON object as payload', async () => {
    for (const payload of ['', '[1]', 'null', '{'])
      expect(
        await developer.refusal('POST /realtime/broadcast', { topic: 'x', isPrivate: false, event: 'y', payload }),
        payload,
      ).toBe('400 invalid_request')
  })
})

test('viewers neither see members nor read or send messages, and others reach nothing', async () => {
  const bodies: readonly [string, object?][] = [
    ['GET /realtime/channel?topic=team&isPrivate=true'],
    ['POST /realtime/messages', { topic: 'team', as: { kind: 'anon' } }],
    ['POST /realtime/broadcast', { topic: 'team', isPrivate: true, event: 'x', payload: '{}' }],
  ]
  const nobody = openConsoleBrowser(holdfast)
  for (const [target, body] of bodies) {
    expect(await viewer.refusal(target, body), target).toBe('403 role_too_low')
    expect(await nobody.refusal(target, body), target).toBe('401 not_signed_in')
  }
  expect(await nobody.refusal('GET /realtime/channels')).toBe('401 not_signed_in')
})
