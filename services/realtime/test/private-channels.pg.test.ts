import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { realtimeMigrations } from '../src/index.ts'
import {
  ALICE,
  broadcastPush,
  isEvent,
  openRealtimeWorld,
  type RealtimeWorld,
  type TestSocket,
} from './realtime-world.ts'

let database: TestDatabase
let world: RealtimeWorld

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [realtimeMigrations] })
})

beforeEach(async () => {
  world = await openRealtimeWorld({ realtimePresenceCallsMax: 1_000 }, database)
})

afterEach(async () => {
  await world[Symbol.asyncDispose]()
  await run(`do $$ declare one text; begin
    for one in select polname from pg_policy where polrelid = 'realtime.messages'::regclass loop
      execute format('drop policy %I on realtime.messages', one);
    end loop; end $$`)
})

afterAll(() => database[Symbol.asyncDispose]())

const run = (text: string) => database.pool.withClient((client) => client.query(text))

const PRIVATE = { config: { private: true, broadcast: { ack: true }, presence: { enabled: true, key: 'k' } } }

async function join(token: string, name = 'room'): Promise<{ client: TestSocket; reply: unknown }> {
  const client = await world.connect()
  return { client, reply: await client.join(`realtime:${name}`, { ...PRIVATE, access_token: token }) }
}

const unauthorized = (name: string) => ({
  status: 'error',
  response: { reason: `Unauthorized: You do not have permissions to read from this Channel topic: ${name}` },
})

/** The reference: the statements a policy governs, run as the user. */
const readPolicy = (extension: string): string =>
  `create policy "read ${extension}" on realtime.messages for select to authenticated
     using (realtime.topic() = 'room' and extension = '${extension}' and (current_setting('request.jwt.claims')::json ->> 'sub') = '${ALICE}')`
const writePolicy = (extension: string): string =>
  `create policy "write ${extension}" on realtime.messages for insert to authenticated
     with check (realtime.topic() = 'room' and extension = '${extension}' and (current_setting('request.jwt.claims')::json ->> 'sub') = '${ALICE}')`

describe('each set of policies', () => {
  const sets = Array.from({ length: 16 }, (_, bits) => ({
    readBroadcast: (bits & 1) > 0,
    readPresence: (bits & 2) > 0,
    writeBroadcast: (bits & 4) > 0,
    writePresence: (bits & 8) > 0,
  }))

  test.each(sets)('lets a person do just that: %o', async (allowed) => {
    if (allowed.readBroadcast) await run(readPolicy('broadcast'))
    if (allowed.readPresence) await run(readPolicy('presence'))
    if (allowed.writeBroadcast) await run(writePolicy('broadcast'))
    if (allowed.writePresence) await run(writePolicy('presence'))
    const service = await world.connect()
    await service.join('realtime:room', { ...PRIVATE, access_token: 'service' })
    const { client, reply } = await join('alice')
    if (!allowed.readBroadcast && !allowed.readPresence) {
      expect(reply).toEqual(unauthorized('room'))
      return
    }
    expect(reply).toMatchObject({ status: 'ok' })
    client.socket.send(broadcastPush('realtime:room', 'from alice', Buffer.from('{}'), 1, 'b'))
    client.send(null, 'p', 'realtime:room', 'presence', { event: 'track', payload: { by: 'alice' } })
    await client.next((message) => !Buffer.isBuffer(message) && message[1] === 'p')
    service.socket.send(broadcastPush('realtime:room', 'from service', Buffer.from('{}'), 1, 'b'))
    service.send(null, 'p', 'realtime:room', 'presence', { event: 'track', payload: { by: 'service' } })
    await service.next((message) => !Buffer.isBuffer(message) && message[1] === 'p')
    await service.beat()
    await client.beat()
    expect({
      readBroadcast: client.received.some(Buffer.isBuffer),
      readPresence:
        client.received.some(isEvent('presence_state')) && JSON.stringify(client.received).includes('"by":"service"'),
      writeBroadcast: service.received.some(Buffer.isBuffer),
      writePresence: JSON.stringify(service.received).includes('"by":"alice"'),
    }).toEqual(allowed)
    // A denied sender gets no reply.
    expect(client.received.some((message) => !Buffer.isBuffer(message) && message[1] === 'b')).toBe(
      allowed.writeBroadcast,
    )
  })
})

describe('a private channel', () => {
  test('is refused to other people, to other topics and without a person', async () => {
    await run(readPolicy('broadcast'))
    expect((await join('alice')).reply).toMatchObject({ status: 'ok' })
    expect((await join('bob')).reply).toEqual(unauthorized('room'))
    expect((await join('anon')).reply).toEqual(unauthorized('room'))
    expect((await join('alice', 'elsewhere')).reply).toEqual(unauthorized('elsewhere'))
  })

  test('is refused when a policy fails, with names that Postgres cannot take, and to roles that are not there', async () => {
    await run(`create policy fails on realtime.messages for select to authenticated using (1 / length(topic) = 1 / 0)`)
    expect((await join('alice')).reply).toEqual(unauthorized('room'))
    expect((await join('alice', 'a\0b')).reply).toEqual(unauthorized('a\0b'))
  })

  test('never mixes with the public one of its name', async () => {
    const { client } = await join('service')
    const open = await world.connect()
    await open.join('realtime:room')
    open.socket.send(broadcastPush('realtime:room', 'public', Buffer.from('{}'), 1))
    client.socket.send(broadcastPush('realtime:room', 'private', Buffer.from('{}'), 1))
    await open.beat()
    await client.beat()
    expect([...open.received, ...client.received].filter(Buffer.isBuffer)).toEqual([])
  })

  test('is closed when the next token may not read it', async () => {
    await run(readPolicy('broadcast'))
    const { client } = await join('alice')
    client.send(null, null, 'realtime:room', 'access_token', { access_token: 'bob' })
    expect(await client.next(isEvent('system'))).toMatchObject({
      4: { message: 'You no longer have permission to read from this Channel topic: room' },
    })
    await client.next(isEvent('phx_close'))
  })

  test('asks for the right to send again with the next token', async () => {
    await run(readPolicy('broadcast'))
    const [{ client }, { client: other }] = [await join('alice'), await join('service')]
    const send = (): void => client.socket.send(broadcastPush('realtime:room', 'x', Buffer.from('{}'), 1))
    send()
    await client.beat()
    await run(writePolicy('broadcast'))
    client.send(null, null, 'realtime:room', 'access_token', { access_token: 'alice again' })
    send()
    await other.next(Buffer.isBuffer)
    expect(other.received.filter(Buffer.isBuffer)).toEqual([])
  })

  test('is sent to over HTTP by who may', async () => {
    await run(writePolicy('broadcast'))
    const { client } = await join('service')
    const post = (who: string, path: string, body: unknown) =>
      fetch(`${world.url}/api/broadcast${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-who': who },
        body: JSON.stringify(body),
      })
    expect((await post('bob', '/room/events/x?private=true', {})).status).toBe(403)
    const messages = [{ topic: 'room', event: 'x', payload: {}, private: true }]
    expect((await post('bob', '', { messages })).status).toBe(202)
    expect((await post('alice', '/room/events/y?private=true', {})).status).toBe(202)
    expect(String(await client.next(Buffer.isBuffer))).toContain('realtime:roomy')
  })

  test('leaves no row behind', async () => {
    await run(readPolicy('broadcast'))
    await run(writePolicy('broadcast'))
    const { client } = await join('alice')
    client.socket.send(broadcastPush('realtime:room', 'x', Buffer.from('{}'), 1, 'b'))
    await client.next(isEvent('phx_reply'))
    expect((await run('select from realtime.messages')).rows).toEqual([])
  })
})

describe('the table of messages', () => {
  const partitions = async (): Promise<readonly string[]> =>
    (
      await run(`select inhrelid::regclass::text as one from pg_inherits
                  where inhparent = 'realtime.messages'::regclass order by 1`)
    ).rows.map((row) => (row as { one: string }).one)

  test('has partitions around today, and loses those that are too old', async () => {
    const [{ today }] = (await run(`select to_char(now() at time zone 'utc', 'YYYY_MM_DD') as today`)).rows as [
      { today: string },
    ]
    // In one transaction, because the service also drops old partitions.
    await run(`create table realtime.messages_2020_01_01 partition of realtime.messages
                 for values from ('2020-01-01') to ('2020-01-02');
               select realtime.keep_partitions(72)`)
    const names = await partitions()
    expect(names).toContain(`realtime.messages_${today}`)
    expect(names).not.toContain('realtime.messages_2020_01_01')
    expect(names.length).toBeGreaterThanOrEqual(5)
  })

  test('lets people read and write as policies say, and its partitions not at all', async () => {
    const [name] = await partitions()
    const asAlice = (statement: string) =>
      database.requestPool.transaction(async ({ client }) => {
        await client.query(`set local role authenticated`)
        return await client.query(statement)
      })
    expect((await asAlice('select from realtime.messages')).rows).toEqual([])
    await expect(asAlice(`select from ${name}`)).rejects.toMatchObject({ code: '42501' })
    await expect(asAlice(`select realtime.keep_partitions(0)`)).rejects.toMatchObject({ code: '42501' })
    await expect(
      asAlice(`insert into realtime.messages (topic, extension) values ('a', 'broadcast')`),
    ).rejects.toMatchObject({
      code: '42501',
    })
  })
})
