import { describe, expect, onTestFinished, test } from 'vitest'
import { isEvent, openRealtimeWorld, type RealtimeWorld, type TestSocket } from './realtime-world.ts'

async function open(options: Parameters<typeof openRealtimeWorld>[0] = {}): Promise<RealtimeWorld> {
  const world = await openRealtimeWorld(options)
  onTestFinished(() => world[Symbol.asyncDispose]())
  return world
}

type Metas = Readonly<Record<string, { readonly metas: readonly Readonly<Record<string, unknown>>[] }>>

async function join(world: RealtimeWorld, key: string, enabled = true): Promise<TestSocket> {
  const client = await world.connect()
  await client.join('realtime:room', { config: { presence: { key, enabled } } })
  return client
}

const payloadOf = async <T>(client: TestSocket, event: string): Promise<T> =>
  ((await client.next(isEvent(event))) as readonly unknown[])[4] as T
const state = (client: TestSocket): Promise<Metas> => payloadOf(client, 'presence_state')
const diff = (client: TestSocket): Promise<{ joins: Metas; leaves: Metas }> => payloadOf(client, 'presence_diff')
const track = (client: TestSocket, payload: unknown, event = 'track'): void =>
  client.send(null, null, 'realtime:room', 'presence', { type: 'presence', event, payload })

describe('presence', () => {
  test('is told to who joins, and its changes to all members with presence, the tracker included', async () => {
    const world = await open()
    const ada = await join(world, 'ada')
    const blind = await join(world, 'blind', false)
    expect(await state(ada)).toEqual({})
    track(ada, { at: 'home' })
    expect((await diff(ada)).joins).toEqual({
      ada: { metas: [{ at: 'home', phx_ref: expect.any(String) as unknown }] },
    })
    const bob = await join(world, 'bob')
    expect(await state(bob)).toEqual({ ada: { metas: [{ at: 'home', phx_ref: expect.any(String) as unknown }] } })
    track(ada, { at: 'work' }, 'TRACK')
    const change = await diff(bob)
    expect(change.joins['ada']?.metas[0]).toMatchObject({
      at: 'work',
      phx_ref_prev: change.leaves['ada']?.metas[0]?.['phx_ref'],
    })
    track(ada, undefined, 'untrack')
    expect(await diff(bob)).toMatchObject({ joins: {}, leaves: { ada: { metas: [{ at: 'work' }] } } })
    await blind.beat()
    expect(blind.received).toEqual([])
  })

  test('is turned on by who shows itself, who is told of the others then', async () => {
    const world = await open()
    const ada = await join(world, 'ada')
    track(ada, { n: 1 })
    await ada.beat()
    const late = await join(world, 'late', false)
    track(late, { n: 2 })
    expect(await state(late)).toMatchObject({ ada: { metas: [{ n: 1 }] }, late: { metas: [{ n: 2 }] } })
    track(ada, { n: 3 })
    expect(await diff(late)).toMatchObject({ joins: { ada: { metas: [{ n: 3 }] } } })
  })

  test('that is equal is no change', async () => {
    const world = await open()
    const ada = await join(world, 'ada')
    await state(ada)
    for (const payload of [{ a: [1] }, { a: [1] }]) track(ada, payload)
    await ada.beat()
    expect(ada.received.filter(isEvent('presence_diff'))).toHaveLength(1)
  })

  test('of several sockets under one key has several metas', async () => {
    const world = await open()
    const [one, two] = [await join(world, 'ada'), await join(world, 'ada')]
    track(one, { n: 1 })
    await one.beat()
    track(two, { n: 2 })
    await two.beat()
    const third = await join(world, '')
    expect((await state(third))['ada']?.metas.map(({ n }) => n)).toEqual([1, 2])
    one.socket.terminate()
    expect((await diff(third)).leaves).toMatchObject({ ada: { metas: [{ n: 1 }] } })
  })

  const ends: readonly (readonly [string, (client: TestSocket, world: RealtimeWorld) => unknown])[] = [
    ['leaves', (client) => client.send(null, null, 'realtime:room', 'phx_leave', {})],
    ['closes its connection', (client) => client.socket.close()],
    ['breaks off', (client) => client.socket.terminate()],
    ['joins again', (client) => client.join('realtime:room')],
    ['loses its session', (_client, world) => world.endSession('alice')],
  ]
  test.each(ends)('ends when its member %s', async (_title, end) => {
    const world = await open()
    const watcher = await join(world, 'watcher')
    const member = await world.connect()
    await member.join('realtime:room', { access_token: 'alice', config: { presence: { key: 'alice' } } })
    track(member, { here: true })
    await diff(watcher)
    await end(member, world)
    expect(await diff(watcher)).toMatchObject({ joins: {}, leaves: { alice: { metas: [{ here: true }] } } })
  })

  test('of a client that says nothing any more ends', async () => {
    const world = await open({ realtimeSilenceSeconds: 2 })
    const member = await join(world, 'gone')
    track(member, {})
    await diff(member)
    await expect.poll(async () => await state(await join(world, 'later'))).toEqual({})
  })

  test.each([
    ['no map', { event: 'track', payload: [1] }, 'Presence track payload must be a map'],
    [
      'what nobody who joins could be sent',
      { event: 'track', payload: { a: JSON.parse(`${'['.repeat(101)}${']'.repeat(101)}`) as unknown } },
      'Presence track payload is nested too deeply',
    ],
    ['another event', { event: 'dance', payload: {} }, 'A presence event must be track or untrack'],
  ])('is refused with %s', async (_title, payload, reason) => {
    const client = await join(await open(), 'ada')
    client.send(null, 'r', 'realtime:room', 'presence', payload)
    expect(await client.next((message) => !Buffer.isBuffer(message) && message[1] === 'r')).toMatchObject({
      4: { status: 'error', response: { reason } },
    })
  })

  test('of a topic is refused to whom there is no room for, and who joins can still read all of it', async () => {
    const world = await open({ realtimeUnsentSizeMax: 64 })
    const shows: TestSocket[] = []
    const answers: unknown[] = []
    for (let number = 0; number < 5; number++) {
      const client = await join(world, `member ${number}`)
      shows.push(client)
      client.send(null, 'r', 'realtime:room', 'presence', { event: 'track', payload: { text: 'ü'.repeat(5_000) } })
      const reply = await client.next((message) => !Buffer.isBuffer(message) && message[1] === 'r')
      answers.push((reply as readonly unknown[])[4])
    }
    const ok = { status: 'ok', response: {} }
    const reason = 'PresenceFull: The presence state of this Channel topic, or of the server, is full'
    const full = { status: 'error', response: { reason } }
    expect(answers).toEqual([ok, ok, ok, full, full])
    expect(Object.keys(await state(await join(world, 'later')))).toEqual(['member 0', 'member 1', 'member 2'])
    // A member may replace its state, and leaving makes room.
    const [first, second, , fourth] = shows as [TestSocket, TestSocket, TestSocket, TestSocket]
    track(first, { text: 'x'.repeat(10_000) })
    await first.next((message) => isEvent('presence_diff')(message) && JSON.stringify(message).includes('xxx'))
    second.socket.terminate()
    await fourth.next((message) => isEvent('presence_diff')(message) && JSON.stringify(message).includes('"joins":{}'))
    track(fourth, { text: 'y'.repeat(10_000) })
    await first.next((message) => isEvent('presence_diff')(message) && JSON.stringify(message).includes('yyy'))
  })

  test.each([
    ['called too often', { realtimePresenceCallsMax: 2 }, {}, 3, 'Client presence rate limit exceeded'],
    ['too large', {}, { text: 'x'.repeat(70_000) }, 1, 'Track message size exceeded'],
  ])('that is %s closes the channel', async (_title, options, payload, times, message) => {
    const client = await join(await open(options), 'ada')
    for (let time = 0; time < times; time++) track(client, { ...payload, time })
    expect(await client.next(isEvent('system'))).toMatchObject({ 4: { status: 'error', message } })
    await client.next(isEvent('phx_close'))
  })
})
