import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '@holdfast/test-support'
import { realtimeMigrations } from '../src/index.ts'
import { broadcastPush, isEvent, openRealtimeWorld, type RealtimeWorld, type TestSocket } from './realtime-world.ts'

async function open(...given: Parameters<typeof openRealtimeWorld>): Promise<RealtimeWorld> {
  const world = await openRealtimeWorld(...given)
  onTestFinished(() => world[Symbol.asyncDispose]())
  return world
}

/** Two clients can exchange messages on a channel. */
async function expectUnharmed(world: RealtimeWorld): Promise<void> {
  const [one, two] = [await world.connect(), await world.connect()]
  await one.join('realtime:others')
  await two.join('realtime:others')
  one.socket.send(broadcastPush('realtime:others', 'hello', Buffer.from('{}'), 1))
  await two.next(Buffer.isBuffer)
}

describe('a client', () => {
  test('that sends a frame that is no message goes on being served', async () => {
    const world = await open()
    const client = await world.connect()
    await client.join('realtime:room')
    const deep = `[null,null,"realtime:room","broadcast",{"payload":${'['.repeat(200_000)}${']'.repeat(200_000)}}]`
    for (const text of ['', 'null', '[', '{"topic":1}', '[1,2,3,4,5]', '["","","realtime:room",{},{}]', deep])
      client.socket.send(text)
    for (const bytes of [[], [3], [3, 255, 255, 255, 255, 255, 0], [4, 0, 0, 0, 0], [0, 1, 2]])
      client.socket.send(Buffer.from(bytes))
    client.socket.send(broadcastPush('realtime:room', 'x', Buffer.from('not JSON'), 1))
    await client.beat()
    await expectUnharmed(world)
  })

  test('that sends wrong types to a channel is answered or ignored', async () => {
    const world = await open()
    const client = await world.connect()
    await client.join('realtime:room')
    for (const payload of [null, 1, 'x', [], { access_token: 7 }, { access_token: { a: 1 } }])
      for (const event of ['broadcast', 'access_token', 'presence', 'nothing', 'phx_error'])
        client.send(null, 'r', 'realtime:room', event, payload)
    await client.beat()
    expect(client.received.filter(isEvent('phx_close'))).toEqual([])
  })

  test('with a frame above 5 MB is cut, and no other client is', async () => {
    const world = await open()
    const client = await world.connect()
    client.socket.send(Buffer.alloc(5_000_001))
    expect(await client.closed).toBe(1009)
    await expectUnharmed(world)
  })

  test('that sends invalid WebSocket frames, or breaks the line, is cut', async () => {
    const world = await open()
    for (const bytes of [Buffer.from([0xff, 0xff, 0, 0]), Buffer.from([0x81, 0x05, 1, 2]), Buffer.alloc(0)]) {
      const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(
        'GET /realtime/v1/websocket?apikey=anon HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
          'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      )
      await once(socket, 'data')
      socket.write(bytes)
      if (bytes.length === 0) socket.resetAndDestroy()
      else await once(socket, 'close')
    }
    await expectUnharmed(world)
  })

  test('that joins 10,000 channels gets the first hundred', async () => {
    const world = await open({ realtimeMessagesPerSecondMax: 0, realtimeJoinsPerSecondMax: 100_000 })
    const client = await world.connect()
    for (let number = 1; number <= 10_000; number++)
      client.send(String(number), String(number), `realtime:${number}`, 'phx_join', {})
    await expectUnharmed(world)
    await expect.poll(() => client.received.filter(isEvent('phx_reply')).length).toBe(10_000)
    const accepted = client.received.filter(
      (message) => !Buffer.isBuffer(message) && JSON.stringify(message[4]).includes('"ok"'),
    )
    expect(accepted).toHaveLength(100)
  })

  test('that joins more than the server keeps is refused, and what it leaves makes room', async () => {
    const world = await open({ realtimeKeptTotalMax: 1_024 })
    const client = await world.connect()
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, number) => client.join(`realtime:${number}`, { config: {} })),
    )
    const refused = { status: 'error', response: { reason: 'ChannelRateLimitReached: Too many channels' } }
    const accepted = answers.filter((answer) => JSON.stringify(answer) !== JSON.stringify(refused))
    // One address gets half.
    expect(accepted.length).toBeGreaterThan(50)
    expect(accepted.length).toBeLessThan(100)
    client.send(null, 'l', 'realtime:0', 'phx_leave', {})
    expect(await client.join('realtime:again')).toMatchObject({ status: 'ok' })
    const long = { config: { presence: { key: 'x'.repeat(400_000) } } }
    expect(await client.join('realtime:long', long)).toEqual(refused)
    client.socket.terminate()
    const next = await world.connect()
    await expect.poll(() => next.join('realtime:room', { config: {} })).toMatchObject({ status: 'ok' })
  })

  test('that shows more on its channels than the server keeps is refused, and what it takes back makes room', async () => {
    const world = await open({ realtimeKeptTotalMax: 1_024 })
    const client = await world.connect()
    const show = async (number: number, event: string): Promise<unknown> => {
      client.send(null, `${event} ${number}`, `realtime:${number}`, 'presence', {
        event,
        payload: { x: 'x'.repeat(60_000) },
      })
      const reply = await client.next((message) => !Buffer.isBuffer(message) && message[1] === `${event} ${number}`)
      return (reply as readonly unknown[])[4]
    }
    const answers: unknown[] = []
    for (let number = 0; number < 10; number++)
      await client.join(`realtime:${number}`, { config: { presence: { enabled: true } } })
    for (let number = 0; number < 10; number++) answers.push(await show(number, 'track'))
    const full = {
      status: 'error',
      response: { reason: 'PresenceFull: The presence state of this Channel topic, or of the server, is full' },
    }
    expect(answers[0]).toMatchObject({ status: 'ok' })
    expect(answers[9]).toEqual(full)
    expect(await show(0, 'untrack')).toMatchObject({ status: 'ok' })
    expect(await show(9, 'track')).toMatchObject({ status: 'ok' })
    expect(await show(9, 'track')).toMatchObject({ status: 'ok' })
  })

  test('that begins large messages and does not end them loses connections, and no other client does', async () => {
    const world = await open({ realtimeArrivingTotalMax: 8_192 })
    const [sender, member] = [await world.connect(), await world.connect()]
    await sender.join('realtime:room')
    await member.join('realtime:room')
    // A masked frame of 5 MB, of which 3 MB are sent.
    const head = Buffer.alloc(14)
    head.set([0x82, 0xff])
    head.writeBigUInt64BE(5_000_000n, 2)
    const begin = async (): Promise<{ readonly isClosed: () => boolean }> => {
      const { socket } = await world.connect()
      const line = (socket as unknown as { readonly _socket: Socket })._socket
      line.write(Buffer.concat([head, Buffer.alloc(3_000_000)]))
      return { isClosed: () => socket.readyState === socket.CLOSED }
    }
    const hostile: Awaited<ReturnType<typeof begin>>[] = []
    for (let number = 0; number < 5; number++) hostile.push(await begin())
    await expect.poll(() => hostile.filter(({ isClosed }) => isClosed()).length).toBe(3)
    sender.socket.send(broadcastPush('realtime:room', 'x', Buffer.alloc(2_000_000), 0))
    await member.next(Buffer.isBuffer)
    await expectUnharmed(world)
  })

  test('that sends large messages before its join is answered is cut when too many wait', async () => {
    await using database = await openTestDatabase({ migrations: [realtimeMigrations] })
    const world = await open({ realtimeArrivingTotalMax: 8_192 }, database)
    const client = await world.connect()
    await database.pool.transaction(async ({ client: locking }) => {
      await locking.query('lock table realtime.messages in access exclusive mode')
      client.send('1', '1', 'realtime:room', 'phx_join', { config: { private: true }, access_token: 'alice' })
      for (let number = 0; number < 4; number++)
        client.socket.send(broadcastPush('realtime:room', 'x', Buffer.alloc(2_500_000), 0))
      await client.closed
      await expectUnharmed(world)
    })
  })

  test('that joins faster than the rate is told so', async () => {
    const world = await open({ realtimeJoinsPerSecondMax: 1, realtimeChannelsPerClientMax: 2 })
    const client = await world.connect()
    for (const number of [1, 2, 3]) client.send(null, String(number), 'realtime:room', 'phx_join', {})
    await client.next((message) =>
      JSON.stringify(message).includes('ClientJoinRateLimitReached: Too many joins per second'),
    )
  })

  test('that sends faster than the rate loses the channel, and only it', async () => {
    const world = await open({ realtimeMessagesPerSecondMax: 20 })
    const client = await world.connect()
    await client.join('realtime:room')
    for (let number = 0; number < 100; number++)
      client.socket.send(broadcastPush('realtime:room', 'x', Buffer.from('{}'), 1))
    expect(await client.next(isEvent('system'))).toMatchObject({ 4: { message: 'Too many messages per second' } })
    await client.next(isEvent('phx_close'))
    await expectUnharmed(world)
  })

  test('that sends more bytes than the rate is read later, and nothing is lost', async () => {
    const world = await open({ realtimeBytesPerSecondMax: 1_000_000 })
    const [sender, member] = [await world.connect(), await world.connect()]
    await sender.join('realtime:room')
    await member.join('realtime:room')
    for (let number = 0; number < 4; number++)
      sender.socket.send(broadcastPush('realtime:room', 'x', Buffer.alloc(500_000), 0))
    await expectUnharmed(world)
    for (let number = 0; number < 4; number++) await member.next(Buffer.isBuffer)
  })

  test('that does not read is closed, and the others get everything', async () => {
    const world = await open({ realtimeUnsentSizeMax: 256 })
    const [sender, member, stopped] = [await world.connect(), await world.connect(), await world.connect()]
    for (const client of [sender, member, stopped]) await client.join('realtime:room')
    stopped.socket.pause()
    const isCut = async (): Promise<boolean> => {
      sender.socket.send(broadcastPush('realtime:room', 'x', Buffer.alloc(200_000), 0))
      await member.next(Buffer.isBuffer)
      const answer = await fetch(`${world.url}/websocket`)
      expect(answer.status).toBe(426)
      return isGone(stopped)
    }
    await expect.poll(isCut).toBe(true)
    await expectUnharmed(world)
  })
})

/** Whether the server has disconnected, so that writing fails. */
function isGone({ socket }: TestSocket): boolean {
  socket.ping()
  return socket.readyState !== socket.OPEN
}
