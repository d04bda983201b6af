import { runsOf } from '@holdfast/test-support'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { StreamClient } from './stream-client.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

/*
 * Pins that the shapes that the public clients rely on around the data: refusals, resuming, write checkpoints, the end of tokens,
 * keepalives, and readers that do not read.
 */

let world: World
let nowOffsetMs = 0
const devices: StreamClient[] = []

beforeAll(async () => {
  world = await openWorld({ clock: { now: () => Date.now() + nowOffsetMs } })
  await world.run(`insert into items (owner_id, title) select '${ALICE}', 'row ' || i from generate_series(1, 30) i`)
})

afterEach(() => {
  for (const device of devices.splice(0)) device.disconnect()
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

function open(userId = ALICE, options: Parameters<World['device']>[1] = {}, extra: object = {}): StreamClient {
  const device = world.device(userId, options)
  devices.push(device)
  device.connect(extra)
  return device
}

describe('requests that are refused', () => {
  test.each([
    ['positions that are no numbers', { buckets: [{ name: 'a', after: 'x' }] }],
    ['negative positions', { buckets: [{ name: 'a', after: '-1' }] }],
    ['positions as numbers', { buckets: [{ name: 'a', after: 1 }] }],
    ['buckets without a name', { buckets: [{ after: '1' }] }],
    ['buckets that are no list', { buckets: {} }],
    ['subscriptions without parameters', { streams: { subscriptions: [{ stream: 's', override_priority: null }] } }],
    ['metadata that is no text', { app_metadata: { a: 1 } }],
    ['a client id that is no text', { client_id: 5 }],
  ])('%s', async (_, body) => {
    const device = open(ALICE, { body })
    await device.until(() => device.status !== undefined && device.refusal !== '')
    expect(device.status).toBe(400)
    const { error } = JSON.parse(device.refusal) as { error: { code: string; status: number; details: string } }
    expect(error).toMatchObject({ code: 'PSYNC_S2001', status: 400 })
    expect(JSON.parse(error.details)).not.toHaveLength(0)
  })

  test('a token without a subject', async () => {
    const device = new StreamClient({
      url: world.url,
      token: Buffer.from('{"role":"authenticated"}').toString('base64url'),
    })
    device.connect()
    await device.until(() => device.refusal !== '')
    expect(device.status).toBe(401)
    expect(device.refusal).toContain('PSYNC_S2101')
  })
})

describe('a request', () => {
  test('that is empty is enough, with nested rows', async () => {
    const response = await fetch(`${world.url}/sync/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.token(ALICE)}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    let text = ''
    while (!text.includes('checkpoint_complete')) text += Buffer.from((await reader.read()).value ?? []).toString()
    await reader.cancel()
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { data?: { data: { data: { title: string } }[] } })
    expect(lines.find((line) => line.data)?.data?.data[0]?.data.title).toMatch(/^row /)
  })

  test('that wants no defaults gets nothing', async () => {
    const device = open(ALICE, {}, { streams: { include_defaults: false, subscriptions: [] } })
    expect((await device.next()).state.size).toBe(0)
    expect(device.lines[0]?.checkpoint).toMatchObject({ buckets: [], streams: [] })
  })

  test('names buckets that are unknown, of another user, or far ahead: the device ends up right', async () => {
    const bob = open(BOB)
    await world.run(`insert into items (owner_id, title) values ('${BOB}', 'for bob')`)
    await bob.until(() => bob.ids('items').length === 1)
    const [foreign = ''] = [...bob.buckets.keys()].filter((name) => name.startsWith('items'))
    const device = open(
      ALICE,
      {},
      {
        buckets: [
          { name: foreign, after: '0' },
          { name: 'nonsense', after: '5' },
          { name: `x'); drop table sync.ops; --`, after: '1' },
        ],
      },
    )
    await device.next()
    expect(device.ids('items')).toHaveLength(30)
    expect(JSON.stringify(device.lines)).not.toContain('for bob')
    expect(device.faults).toEqual([])
  })

  test('with a position ahead of the log gets the bucket from its beginning', async () => {
    const first = open()
    await first.next()
    const [name = ''] = [...first.buckets.keys()].filter((one) => one.startsWith('items'))
    const device = open(ALICE, {}, { buckets: [{ name, after: '9223372036854775807' }] })
    await device.next()
    expect(device.ids('items')).toHaveLength(30)
  })
})

describe('coming back', () => {
  test('costs nothing when nothing happened, and only the news when something did', async () => {
    const device = open()
    await device.next()
    device.disconnect()
    const received = device.received.length
    device.connect()
    await device.next()
    expect(device.received).toHaveLength(received)
    device.disconnect()
    await world.run(
      `update items set n = 1 where title = 'row 7'; delete from items where title = 'row 8'; insert into items (owner_id, title) values ('${ALICE}', 'row 8')`,
    )
    device.connect()
    await device.next()
    expect(device.received.slice(received).length).toBe(2)
    expect(new Map(device.state)).toEqual(await world.visible(ALICE))
    expect(device.faults).toEqual([])
  })

  test.each(['bson', 'ndjson'] as const)('in the middle of a download goes on from there (%s)', async (format) => {
    await world.run(
      `insert into items (owner_id, title) select '${BOB}', repeat('x', 2000) || i from generate_series(1, 3000) i`,
    )
    const device = open(BOB, { format })
    await device.until(() => device.received.length > 300)
    device.disconnect()
    const before = device.received.length
    expect(device.completed).toHaveLength(0)
    device.connect()
    await device.next()
    expect(device.faults).toEqual([])
    expect(device.ids('items').length).toBeGreaterThanOrEqual(3000)
    expect(device.received.length).toBeLessThan(before + device.ids('items').length)
    await world.run(`delete from items where owner_id = '${BOB}'`)
  })
})

describe('write checkpoints', () => {
  async function ask(userId: string, clientId: string): Promise<string> {
    const response = await fetch(`${world.url}/write-checkpoint2.json?client_id=${clientId}`, {
      headers: { authorization: `Token ${world.token(userId)}` },
    })
    const body = (await response.json()) as { data: { write_checkpoint: string } }
    return body.data.write_checkpoint
  }

  test('count up for each device and come in a later checkpoint, written to or not', async () => {
    const device = open(ALICE, { clientId: 'one' })
    const other = open(ALICE, { clientId: 'two' })
    for (const one of [device, other]) await one.until(() => one.completed.length > 0)
    const first = await ask(ALICE, 'one')
    await device.until(() => device.completed.at(-1)?.writeCheckpoint === first, 'the first write checkpoint')
    await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'written')`)
    const second = await ask(ALICE, 'one')
    expect(BigInt(second)).toBeGreaterThan(BigInt(first))
    await device.until(() => device.completed.at(-1)?.writeCheckpoint === second, 'the second write checkpoint')
    expect(device.completed.find((one) => one.writeCheckpoint === second)?.state.size).toBe(31)
    // Only the write checkpoint from the start of the server, not the one that another device requested.
    expect(new Set(other.completed.map((one) => one.writeCheckpoint)).size).toBe(1)
    expect(other.completed.some((one) => one.writeCheckpoint === first)).toBe(false)

    // Every later checkpoint of this device carries it, on this stream and on later ones.
    await world.run(`update items set n = n + 1 where title = 'written'`)
    expect((await device.next()).writeCheckpoint).toBe(second)
    const later = open(ALICE, { clientId: 'one' })
    expect((await later.next()).writeCheckpoint).toBe(second)
    expect(await ask(BOB, 'one')).not.toBe(second)
    await world.run(`delete from items where title = 'written'`)
  })

  test('reach a stream that is being opened at the same time', async () => {
    for (let round = 0; round < runsOf(20); round++) {
      const clientId = `racing ${round}`
      const device = open(ALICE, { clientId })
      const id = await ask(ALICE, clientId)
      await device.until(() => device.completed.at(-1)?.writeCheckpoint === id, `write checkpoint ${id} of ${clientId}`)
      device.disconnect()
    }
  })
})

describe('time', () => {
  afterEach(() => {
    nowOffsetMs = 0
  })

  test('keepalives say how long the token lives', async () => {
    const device = open(ALICE, { expiresInS: 3000 })
    await device.next()
    nowOffsetMs = 25_000
    await device.until(() => device.lines.some((line) => line.token_expires_in !== undefined))
    expect(device.lines.at(-1)?.token_expires_in).toBeGreaterThan(2900)
    expect(Number.isInteger(device.lines.at(-1)?.token_expires_in)).toBe(true)
  })

  test('a stream warns before its token ends and ends with it', async () => {
    const device = open(ALICE, { expiresInS: 100, format: 'bson' })
    await device.next()
    nowOffsetMs = 85_000
    await device.until(() => (device.lines.at(-1)?.token_expires_in ?? 99) <= 20)
    expect(device.isOpen).toBe(true)
    nowOffsetMs = 101_000
    await device.until(() => !device.isOpen, 'the end')
    expect(device.lines.at(-1)).toEqual({ token_expires_in: 0 })
    expect(device.faults).toEqual([])
  })

  test('a token that has ended already gets the line and the end, and nothing else stays', async () => {
    const device = open(ALICE, { expiresInS: -5 })
    await device.until(() => !device.isOpen, 'the end')
    expect(device.lines.at(-1)).toEqual({ token_expires_in: 0 })
  })
})

test('a reader that does not read makes the server hold a line or two, and gets everything when it does', async () => {
  await world.run(
    `insert into items (owner_id, title) select '${BOB}', repeat(md5(i::text), 1000) from generate_series(1, 2500) i`,
  )
  const device = open(BOB, { format: 'bson' })
  await device.until(() => device.received.length > 0, 'a line')
  device.pause()
  let most = 0
  for (let look = 0; look < 30; look++) {
    await new Promise((resolve) => setTimeout(resolve, 30))
    most = Math.max(most, world.waitingBytes())
  }
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThan(3 * 1024 * 1024)
  expect(device.received.length).toBeLessThan(2500)
  device.resume()
  await device.until(() => device.completed.at(-1)?.state.size === 2500, 'all rows')
  expect(device.faults).toEqual([])
  await world.run(`delete from items where owner_id = '${BOB}'`)
})

test('rows of several megabytes among small ones are read a few at a time', async () => {
  await world.run(`insert into items (owner_id, title) select '${BOB}', repeat(md5(i::text), 100000) from generate_series(1, 12) i;
    insert into items (owner_id, title) select '${BOB}', 'small ' || i from generate_series(1, 2000) i`)
  const device = open(BOB, { format: 'bson' })
  let most = 0
  const timer = setInterval(() => (most = Math.max(most, world.waitingBytes())), 1)
  await device.until(() => device.completed.at(-1)?.state.size === 2012, 'all rows')
  clearInterval(timer)
  expect(device.faults).toEqual([])
  expect(most).toBeLessThan(8 * 1024 * 1024)
})
