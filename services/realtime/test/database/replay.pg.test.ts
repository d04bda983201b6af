import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createChangeTap, type Lsn, type ReplicationEvent } from '@holdfast/replication'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { realtimeMigrations } from '../../src/index.ts'
import { isEvent, openRealtimeWorld, type Received } from '../realtime-world.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [realtimeMigrations] })
  await run(`create policy "read" on realtime.messages for select to authenticated
               using (realtime.topic() <> 'secret' and coalesce(event, '') <> 'hidden')`)
})
afterAll(() => database[Symbol.asyncDispose]())

const run = (text: string) => database.pool.withClient((client) => client.query(text))

const COLUMNS = ['id', 'topic', 'extension', 'payload', 'event', 'private', 'binary_payload']

let commits = 0xffff_ffff_ffffn

/** A transaction with one message, as in the replication stream. */
function transactionOf(row: readonly (string | null)[]): readonly ReplicationEvent[] {
  const lsn = ++commits as Lsn
  const columns = COLUMNS.map((name) => ({ name, typeOid: 25, isKey: name === 'id' }))
  return [
    { kind: 'begin', xid: 1, commitLsn: lsn, committedAtMs: 0 },
    { kind: 'insert', relation: { oid: 1, schema: 'realtime', name: 'messages', columns }, row },
    { kind: 'commit', commitLsn: lsn, endLsn: lsn },
  ]
}

async function open(version = '2.0.0') {
  const tap = createChangeTap(silentLogger)
  const world = await openRealtimeWorld({}, database, tap)
  onTestFinished(() => world[Symbol.asyncDispose]())
  const client = await world.connect(`apikey=anon&vsn=${version}`)
  const join = (name: string, replay: unknown, isPrivate = true) =>
    client.join(`realtime:${name}`, {
      config: { private: isPrivate, broadcast: { replay }, presence: { enabled: false } },
      access_token: 'alice',
    })
  return { tap, client, join }
}

/** Inserts messages one millisecond apart, the first an hour ago. */
async function insertMessages(topic: string, events: readonly string[]): Promise<void> {
  for (const [position, event] of events.entries())
    await run(`insert into realtime.messages (topic, extension, payload, event, private, inserted_at)
               values ('${topic}', 'broadcast', '{"n": ${position}}', '${event}', true,
                       (now() at time zone 'utc') - interval '1 hour' + ${position} * interval '1 millisecond')`)
}

const HOURS_AGO_2 = (): number => Date.now() - 2 * 60 * 60 * 1_000

/** Decodes a binary server frame. */
function readFrame(message: Received) {
  const data = message as Buffer
  const [, topicBytes = 0, eventBytes = 0, metaBytes = 0] = data
  const text = data.toString('utf8', 5)
  return {
    event: text.slice(topicBytes, topicBytes + eventBytes),
    meta: JSON.parse(text.slice(topicBytes + eventBytes, topicBytes + eventBytes + metaBytes)) as { id: string },
    payload: JSON.parse(text.slice(topicBytes + eventBytes + metaBytes)) as unknown,
  }
}

describe('a replay', () => {
  test('brings the newest messages that the caller may read, the oldest first', async () => {
    await insertMessages('room', ['a', 'b', 'hidden', 'c'])
    await insertMessages('other', ['z'])
    const { client, join } = await open()
    expect(await join('room', { since: HOURS_AGO_2(), limit: 3 })).toMatchObject({ status: 'ok' })
    await client.beat()
    const frames = client.received.filter(Buffer.isBuffer).map(readFrame)
    expect(frames).toMatchObject([
      { event: 'a', payload: { n: 0 }, meta: { replayed: true } },
      { event: 'b', payload: { n: 1 } },
      { event: 'c', payload: { n: 3 } },
    ])
  })

  test('keeps the order of messages that one transaction has sent', async () => {
    const { client, join } = await open('1.0.0')
    await run(`select realtime.send('{}', 'event ' || n, 'together') from generate_series(1, 9) n`)
    await join('together', { since: HOURS_AGO_2(), limit: 5 })
    const events: unknown[] = []
    for (let number = 0; number < 5; number++) {
      const message = (await client.next(isEvent('broadcast'))) as readonly unknown[]
      events.push((message[4] as { readonly event: string }).event)
    }
    expect(events).toEqual([5, 6, 7, 8, 9].map((number) => `event ${number}`))
  })

  test('begins at the time that was asked for', async () => {
    await insertMessages('late', ['a'])
    const { client, join } = await open()
    expect(await join('late', { since: Date.now() })).toMatchObject({ status: 'ok' })
    await client.beat()
    expect(client.received.filter(Buffer.isBuffer)).toEqual([])
  })

  test('is text in protocol 1.0.0, which has no form for bytes', async () => {
    await insertMessages('old', ['a'])
    await run(`insert into realtime.messages (topic, extension, binary_payload, event, private)
               values ('old', 'broadcast', '\\x00ff', 'bytes', true)`)
    const { client, join } = await open('1.0.0')
    await join('old', { since: HOURS_AGO_2() })
    await client.beat()
    expect(client.received.filter(isEvent('broadcast'))).toMatchObject([
      { 4: { type: 'broadcast', event: 'a', payload: { n: 0 }, meta: { replayed: true } } },
    ])
  })

  test('brings nothing twice that comes live, too', async () => {
    await insertMessages('twice', ['a'])
    const { tap, client, join } = await open()
    await join('twice', { since: HOURS_AGO_2() })
    const { meta } = readFrame(await client.next(Buffer.isBuffer))
    let live: Received | undefined
    void client.next(Buffer.isBuffer).then((message) => (live = message))
    // Repeated: until the server knows the log position at its start, it treats nothing as new.
    await expect
      .poll(() => {
        tap.deliver(transactionOf([meta.id, 'twice', 'broadcast', '{}', 'a', 't', null]))
        tap.deliver(transactionOf([crypto.randomUUID(), 'twice', 'broadcast', '{}', 'next', 't', null]))
        return live
      })
      .toBeDefined()
    expect(readFrame(live as unknown as Received)).toMatchObject({ event: 'next' })
  })

  test.each([
    ['of a public channel', { since: 1 }, false, 'Replay is not allowed for public channels'],
    ['without a time', { limit: 3 }, true, 'Replay params are not valid'],
    ['of more than 25 messages', { since: 1, limit: 26 }, true, 'Replay params are not valid'],
    ['of a wrong type', 'yes', true, 'Replay params are not valid'],
  ])('%s is refused', async (_title, replay, isPrivate, reason) => {
    const { join } = await open()
    expect(await join('room', replay, isPrivate)).toEqual({
      status: 'error',
      response: { reason: `UnableToReplayMessages: ${reason}` },
    })
  })
})
