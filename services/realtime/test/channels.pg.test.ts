import { describe, expect, onTestFinished, test } from 'vitest'
import {
  broadcastPush,
  expiredToken,
  FOREIGN_TOKEN,
  isEvent,
  openRealtimeWorld,
  type RealtimeWorld,
  type TestSocket,
} from './realtime-world.ts'

async function open(options: Parameters<typeof openRealtimeWorld>[0] = {}): Promise<RealtimeWorld> {
  const world = await openRealtimeWorld(options)
  onTestFinished(() => world[Symbol.asyncDispose]())
  return world
}

/** Received messages, without those of joins. */
const events = ({ received }: TestSocket): readonly unknown[] =>
  received
    .map((message) => (Buffer.isBuffer(message) ? 'bytes' : message[3]))
    .filter((event) => event !== 'presence_state')

describe('connecting', () => {
  test.each([
    ['without a key', '', 401, 'API key is missing'],
    ['with a key that is no token', 'apikey=nonsense', 401, 'The token provided is not a valid JWT'],
    ['with a token that others have signed', `apikey=${FOREIGN_TOKEN}`, 401, 'Failed to validate JWT signature'],
    ['with a person’s token without an end', 'apikey=endless', 401, 'Fields `role` and `exp` are required in JWT'],
    [
      'with a protocol that is not spoken',
      'apikey=anon&vsn=3.0.0',
      403,
      'The supported protocol versions are 1.0.0 and 2.0.0',
    ],
  ])('%s is refused', async (_title, query, status, error) => {
    const world = await open()
    const answer = await refusedHandshake(world, query)
    expect(answer).toEqual({ status, body: { error } })
  })

  test('with a token that has expired is refused', async () => {
    const world = await open()
    const { status, body } = await refusedHandshake(world, `apikey=${expiredToken()}`)
    expect(status).toBe(401)
    expect(body).toEqual({ error: expect.stringMatching(/^Token has expired/) })
  })

  test('above the number of clients is refused, and their places come free', async () => {
    const world = await open({ realtimeClientsMax: 2 })
    const first = await world.connect()
    expect(await refusedHandshake(world, 'apikey=anon')).toEqual({
      status: 429,
      body: { error: 'Too many connected users' },
    })
    first.socket.terminate()
    await expect
      .poll(
        async () =>
          await world.connect().then(
            ({ socket }) => socket.readyState,
            () => 0,
          ),
      )
      .toBe(1)
  })

  test('needs an upgrade', async () => {
    const world = await open()
    const answer = await fetch(`${world.url}/websocket?apikey=anon`)
    expect(answer.status).toBe(426)
  })

  test('as for HTTP/2 is answered as a usual request', async () => {
    const world = await open()
    const { request } = await import('node:http')
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${world.url}/api/broadcast`, {
        method: 'POST',
        headers: { connection: 'upgrade', upgrade: 'h2c' },
      })
      sent.on('response', (answer) => resolve(answer.statusCode))
      sent.on('error', reject)
      sent.end()
    })
    expect(status).toBe(422)
  })

  test('is answered by the end of the connection with 1012 when the server stops', async () => {
    const world = await open()
    const { closed } = await world.connect()
    await world.stop()
    expect(await closed).toBe(1012)
  })

  test('a client that says nothing for too long is closed', async () => {
    const world = await open({ realtimeSilenceSeconds: 1 })
    const { closed } = await world.connect()
    expect(await closed).toBe(1001)
  })

  test('a client whose heartbeat waits while the server hangs is not', async () => {
    const world = await open({ realtimeSilenceSeconds: 2 })
    const client = await world.connect()
    await client.beat()
    client.send(null, 'late', 'phoenix', 'heartbeat', {})
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500)
    await client.next((message) => !Buffer.isBuffer(message) && message[1] === 'late')
    await client.beat()
  })
})

describe.each(['1.0.0', '2.0.0'])('protocol %s', (version) => {
  const query = `apikey=anon&vsn=${version}`
  const send = (client: TestSocket, ref: string, topic: string, event: string, payload: unknown): void =>
    client.send('1', ref, topic, event, payload)

  test('answers heartbeats', async () => {
    const client = await (await open()).connect(query)
    send(client, '7', 'phoenix', 'heartbeat', {})
    const reply = await client.next(isEvent('phx_reply'))
    expect(reply).toEqual([null, '7', 'phoenix', 'phx_reply', { status: 'ok', response: {} }])
  })

  test('joins, gets its own broadcast if it asked for it, leaves', async () => {
    const client = await (await open()).connect(query)
    send(client, '1', 'realtime:room', 'phx_join', { config: { broadcast: { self: true, ack: true } } })
    expect(await client.next(isEvent('phx_reply'))).toMatchObject({
      4: { status: 'ok', response: { postgres_changes: [] } },
    })
    send(client, '2', 'realtime:room', 'broadcast', { type: 'broadcast', event: 'x', payload: { a: 1 } })
    expect(await client.next(isEvent('broadcast'))).toMatchObject({
      4: { type: 'broadcast', event: 'x', payload: { a: 1 } },
    })
    expect(await client.next(isEvent('phx_reply'))).toMatchObject({ 1: '2', 4: { status: 'ok' } })
    send(client, '3', 'realtime:room', 'phx_leave', {})
    expect(await client.next(isEvent('phx_reply'))).toMatchObject({ 1: '3', 4: { status: 'ok' } })
    await client.next(isEvent('phx_close'))
    send(client, '4', 'realtime:room', 'broadcast', {})
    expect(await client.next(isEvent('phx_reply'))).toMatchObject({
      4: { status: 'error', response: { reason: 'unmatched topic' } },
    })
  })
})

describe('a join', () => {
  const refused = async (topic: string, payload: unknown, options = {}): Promise<unknown> => {
    const client = await (await open(options)).connect()
    return await client.join(topic, payload)
  }
  const reason = (text: string) => ({ status: 'error', response: { reason: text } })

  test.each([
    ['without a name', 'realtime:', {}, 'TopicNameRequired: You must provide a topic name'],
    ['of another kind of topic', 'elsewhere:room', {}, 'unmatched topic'],
    [
      'with a key that is no token',
      'realtime:room',
      { access_token: 'no' },
      'MalformedJWT: The token provided is not a valid JWT',
    ],
    [
      'with a token of others',
      'realtime:room',
      { access_token: FOREIGN_TOKEN },
      'JwtSignatureError: Failed to validate JWT signature',
    ],
    [
      'with the older name of a token',
      'realtime:room',
      { user_token: 'endless' },
      'InvalidJWTToken: Fields `role` and `exp` are required in JWT',
    ],
  ])('%s is refused', async (_title, topic, payload, text) => {
    expect(await refused(topic, payload)).toEqual(reason(text))
  })

  test('with a token that has expired says since when', async () => {
    expect(await refused('realtime:room', { access_token: expiredToken() })).toEqual(
      reason(expect.stringMatching(/^InvalidJWTToken: Token has expired \d+ seconds ago$/) as string),
    )
  })

  test('of a public channel is refused where only private ones may be joined', async () => {
    expect(await refused('realtime:room', {}, { realtimePrivateOnly: true })).toEqual(
      reason('PrivateOnly: This project only allows private channels'),
    )
  })

  test('with parts of wrong types takes their defaults', async () => {
    const client = await (await open()).connect()
    const config = { broadcast: 'yes', presence: [1], postgres_changes: { no: 1 }, private: 'maybe' }
    expect(await client.join('realtime:room', { config })).toMatchObject({ status: 'ok' })
  })

  test('above the number of channels is refused, and one that is left makes room', async () => {
    const client = await (await open({ realtimeChannelsPerClientMax: 1 })).connect()
    await client.join('realtime:one')
    expect(await client.join('realtime:two')).toEqual(reason('ChannelRateLimitReached: Too many channels'))
    client.send(null, 'l', 'realtime:one', 'phx_leave', {})
    await client.next(isEvent('phx_close'))
    expect(await client.join('realtime:two')).toMatchObject({ status: 'ok' })
  })

  test('of a topic that was joined replaces the older one', async () => {
    const client = await (await open()).connect()
    await client.join('realtime:room')
    expect(await client.join('realtime:room')).toMatchObject({ status: 'ok' })
    expect(await client.next(isEvent('phx_close'))).toMatchObject({ 0: 'j1' })
    expect(events(client)).toEqual([])
  })

  test('that asks for changes of tables gets an id for each, and is told why none come', async () => {
    const client = await (await open()).connect()
    const wanted = { event: '*', schema: 'public', table: 'notes', filter: 'id=eq.1' }
    expect(await client.join('realtime:room', { config: { postgres_changes: [wanted] } })).toEqual({
      status: 'ok',
      response: { postgres_changes: [{ ...wanted, id: 1 }] },
    })
    expect(await client.next(isEvent('system'))).toMatchObject({
      4: { extension: 'postgres_changes', status: 'error', channel: 'room' },
    })
  })
})

describe('a token', () => {
  const join = async (world: RealtimeWorld, token: string): Promise<TestSocket> => {
    const client = await world.connect()
    expect(await client.join('realtime:room', { access_token: token })).toMatchObject({ status: 'ok' })
    return client
  }

  test('whose session ends, ends the channel', async () => {
    const world = await open()
    const client = await join(world, 'alice')
    const other = await join(world, 'bob')
    world.endSession('alice')
    expect(await client.next(isEvent('system'))).toMatchObject({
      4: { extension: 'system', status: 'error', message: 'Session does not exist', channel: 'room' },
    })
    await client.next(isEvent('phx_close'))
    expect(await client.join('realtime:room', { access_token: 'alice' })).toMatchObject({ status: 'error' })
    await other.beat()
    expect(events(other)).toEqual([])
  })

  test('that runs out ends the channel', async () => {
    const world = await open()
    const client = await join(world, `brief ${Math.ceil(Date.now() / 1_000) + 1}`)
    expect(await client.next(isEvent('system'))).toMatchObject({
      4: { message: expect.stringMatching(/^Token has expired/) as unknown },
    })
    await client.next(isEvent('phx_close'))
  })

  test('that is replaced in time does not', async () => {
    const world = await open()
    const client = await join(world, `brief ${Math.ceil(Date.now() / 1_000) + 600}`)
    client.send(null, null, 'realtime:room', 'access_token', { access_token: 'bob' })
    await client.beat()
    world.endSession('brief')
    await client.beat()
    expect(events(client)).toEqual([])
  })

  test.each([null, 'sb_publishable_x', 'alice'])('%j in its place changes nothing', async (token) => {
    const client = await join(await open(), 'alice')
    client.send(null, null, 'realtime:room', 'access_token', { access_token: token })
    await client.beat()
    expect(events(client)).toEqual([])
  })

  test('that is bad in its place ends the channel', async () => {
    const client = await join(await open(), 'alice')
    client.send(null, null, 'realtime:room', 'access_token', { access_token: 'nonsense' })
    expect(await client.next(isEvent('system'))).toMatchObject({
      4: { message: 'The token provided is not a valid JWT' },
    })
    await client.next(isEvent('phx_close'))
  })
})

describe('a broadcast', () => {
  const bytes = Buffer.from([0, 255, 1, 128])

  test('of bytes reaches members of 2.0.0 as they are, and none of 1.0.0', async () => {
    const world = await open()
    const [sender, member, old] = [await world.connect(), await world.connect(), await world.connect('apikey=anon')]
    for (const client of [sender, member, old]) await client.join('realtime:room')
    sender.socket.send(broadcastPush('realtime:room', 'pix', bytes, 0))
    sender.socket.send(broadcastPush('realtime:room', 'note', Buffer.from('{"a":"ü"}'), 1))
    expect(await member.next(Buffer.isBuffer)).toEqual(
      Buffer.concat([Buffer.from([4, 13, 3, 0, 0]), Buffer.from('realtime:roompix'), bytes]),
    )
    expect(await old.next(isEvent('broadcast'))).toMatchObject({
      4: { type: 'broadcast', event: 'note', payload: { a: 'ü' } },
    })
    await sender.beat()
    expect(events(sender)).toEqual([])
  })

  test('of one channel never reaches the private one of that name, nor another topic', async () => {
    const world = await open()
    const [sender, other] = [await world.connect(), await world.connect()]
    await sender.join('realtime:room')
    await other.join('realtime:room2')
    sender.socket.send(broadcastPush('realtime:room', 'x', Buffer.from('{}'), 1))
    await sender.beat()
    await other.beat()
    expect(events(other)).toEqual([])
  })

  test('that is too large is refused when acknowledgements are asked for', async () => {
    const world = await open({ realtimePayloadSizeMax: 1 })
    const client = await world.connect()
    await client.join('realtime:room', { config: { broadcast: { ack: true } } })
    client.socket.send(broadcastPush('realtime:room', 'x', Buffer.alloc(2_000), 0, '9'))
    expect(await client.next(isEvent('phx_reply'))).toMatchObject({ 1: '9', 4: { status: 'error' } })
  })
})

describe('the REST API', () => {
  const post = async (world: RealtimeWorld, path: string, body: BodyInit, type = 'application/json') =>
    await fetch(`${world.url}/api/broadcast${path}`, { method: 'POST', body, headers: { 'content-type': type } })

  test('sends messages to topics', async () => {
    const world = await open()
    const client = await world.connect('apikey=anon')
    await client.join('realtime:room')
    const messages = [
      { topic: 'room', event: 'a', payload: { n: 1 } },
      { topic: 'room', event: 'c', payload: { n: 3 } },
    ]
    const answer = await post(world, '', JSON.stringify({ messages }))
    expect([answer.status, await answer.text()]).toEqual([202, ''])
    await client.next(isEvent('broadcast'))
    expect(await client.next(isEvent('broadcast'))).toMatchObject({ 4: { event: 'c', payload: { n: 3 } } })
  })

  test('names the problem of each message', async () => {
    const world = await open()
    const messages = [
      { topic: 'room', event: 'a', payload: {} },
      { event: 'x', payload: 1 },
    ]
    const answer = await post(world, '', JSON.stringify({ messages }))
    expect(answer.status).toBe(422)
    expect(await answer.json()).toEqual({
      errors: { messages: [{}, { topic: ["can't be blank"], payload: ['is invalid'] }] },
    })
    expect((await post(world, '', '{}')).status).toBe(422)
  })

  test('sends one message of any JSON value, or of bytes', async () => {
    const world = await open()
    const client = await world.connect()
    await client.join('realtime:a/b')
    expect((await post(world, '/a%2Fb/events/x', '[1]')).status).toBe(202)
    expect((await post(world, '/a%2Fb/events/y', bytesOf(7), 'application/octet-stream')).status).toBe(202)
    expect(String(await client.next(Buffer.isBuffer))).toContain('realtime:a/bx[1]')
    expect(await client.next(Buffer.isBuffer)).toEqual(
      Buffer.concat([Buffer.from([4, 12, 1, 0, 0]), Buffer.from('realtime:a/by'), Buffer.from([7])]),
    )
  })

  test.each([
    ['of another media type', '/room/events/x', '<a/>', 'text/xml', 415],
    ['that is no JSON', '/room/events/x', '{', 'application/json', 400],
    ['with too long a name', `/${'x'.repeat(300)}/events/x`, '{}', 'application/json', 422],
  ])('refuses a message %s', async (_title, path, body, type, status) => {
    expect((await post(await open(), path, body, type)).status).toBe(status)
  })
})

function bytesOf(...values: number[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(values)
}

async function refusedHandshake(world: RealtimeWorld, query: string): Promise<{ status: number; body: unknown }> {
  const { request } = await import('node:http')
  return await new Promise((resolve, reject) => {
    const sent = request(`${world.url}/websocket?${query}`, {
      headers: {
        connection: 'upgrade',
        upgrade: 'websocket',
        'sec-websocket-key': Buffer.alloc(16).toString('base64'),
        'sec-websocket-version': '13',
      },
    })
    sent.on('response', (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) as unknown }))
    })
    sent.on('upgrade', () => reject(new Error('was let in')))
    sent.on('error', reject)
    sent.end()
  })
}
