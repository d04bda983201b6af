import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTestDatabase, runsOf } from '@holdfast/test-support'
import { realtimeMigrations } from '../src/index.ts'
import { broadcastPush, isEvent, openRealtimeWorld } from './realtime-world.ts'

const TOPIC = 'realtime:room'

const texts = fc.oneof(
  fc.constantFrom(TOPIC, 'phoenix', 'realtime:', 'realtime:other', '', '__proto__'),
  fc.string({ unit: 'binary', maxLength: 300 }),
)
const events = fc.oneof(
  fc.constantFrom('phx_join', 'phx_leave', 'heartbeat', 'access_token', 'broadcast', 'presence', 'phx_close', 'system'),
  texts,
)
const keys = fc.constantFrom(
  'config',
  'broadcast',
  'presence',
  'private',
  'postgres_changes',
  'replay',
  'since',
  'key',
  'enabled',
  'self',
  'access_token',
  'type',
  'event',
  'payload',
  '__proto__',
  'constructor',
)
/** Protocol payloads with values of arbitrary types. */
const payloads = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 'true', 'track', 'untrack', 0, -1, 1e308, '\0', '\u{d800}', 'sb_x', 'x.y.z'),
    fc.dictionary(keys, tie('value'), { maxKeys: 5 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.jsonValue(),
  ),
})).value

const refs = fc.oneof(fc.constantFrom(null, '', '1', 7), fc.jsonValue())
const arrays = fc.tuple(refs, refs, texts, events, payloads).map((message) => JSON.stringify(message))
const objects = fc
  .tuple(refs, refs, texts, events, payloads)
  .map(([joinRef, ref, topic, event, payload]) => JSON.stringify({ join_ref: joinRef, ref, topic, event, payload }))
const cut = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(text, fc.nat(400)).map(([whole, length]) => whole.slice(0, length))
const bytes = fc.uint8Array({ maxLength: 600 }).map((given) => Buffer.from(given))
const pushes = fc
  .tuple(fc.constantFrom(0, 1, 2, 3, 4), fc.uint8Array({ minLength: 6, maxLength: 6 }), bytes)
  .map(([kind, lengths, rest]) => Buffer.concat([Buffer.from([kind, ...lengths]), rest]))
const wholePushes = fc
  .tuple(fc.constantFrom<0 | 1>(0, 1), bytes)
  .map(([encoding, payload]) => broadcastPush(TOPIC, 'x', payload, encoding))

const frames = fc.oneof(
  arrays,
  objects,
  cut(arrays),
  cut(objects),
  fc.string({ unit: 'binary' }),
  bytes,
  pushes,
  wholePushes,
)

describe.each(['1.0.0', '2.0.0'])('any frames in protocol %s', (version) => {
  test('leave the connection alive, and harm no other client', async () => {
    const world = await openRealtimeWorld({
      realtimeMessagesPerSecondMax: 0,
      realtimeJoinsPerSecondMax: 100_000,
      realtimePresenceCallsMax: 100_000,
    })
    onTestFinished(() => world[Symbol.asyncDispose]())
    const [one, other, hostile] = [
      await world.connect(),
      await world.connect(),
      await world.connect(`apikey=anon&vsn=${version}`),
    ]
    for (const client of [one, other]) await client.join('realtime:others')
    await fc.assert(
      fc.asyncProperty(fc.array(frames, { minLength: 1, maxLength: 40 }), async (sent) => {
        hostile.send('1', '1', TOPIC, 'phx_join', {})
        for (const frame of sent) hostile.socket.send(frame)
        await hostile.beat()
        hostile.received.length = 0
        one.socket.send(broadcastPush('realtime:others', 'hello', Buffer.from('{}'), 1))
        await other.next(Buffer.isBuffer)
      }),
      { numRuns: runsOf(60) },
    )
    for (const client of [one, other]) expect(client.received.filter(isEvent('phx_close'))).toEqual([])
  })
})

const names = fc.oneof(
  fc.constantFrom('public', 'posts', 'id', 'auth', 'pg_catalog', '*', '', '"', "'", '\0', 'a"; drop table posts; --'),
  fc.string({ unit: 'binary', maxLength: 80 }),
)
const filters = fc
  .tuple(names, fc.constantFrom('=eq.', '=in.(', '=not.match.', '=is.', '=', ','), names)
  .map((parts) => parts.join(''))
const entries = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ event: fc.constantFrom('*', 'INSERT'), schema: names, table: names, filter: filters }),
  },
  { weight: 2, arbitrary: fc.record({ event: names, schema: names, table: names, select: fc.array(names) }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('event', 'schema', 'table', 'filter', 'select'), payloads) },
)

test('any subscriptions to Postgres changes, and any private topics, are answered, and leave the connection alive', async () => {
  await using database = await openTestDatabase({ migrations: [realtimeMigrations] })
  const run = (text: string) => database.pool.withClient((client) => client.query(text))
  await run(`create table public.posts (id int primary key, body text); grant select on public.posts to anon;
    alter publication supabase_realtime add table public.posts`)
  const world = await openRealtimeWorld(
    { realtimeMessagesPerSecondMax: 0, realtimeJoinsPerSecondMax: 100_000 },
    database,
  )
  onTestFinished(() => world[Symbol.asyncDispose]())
  const hostile = await world.connect()
  const joins = fc.record({
    name: names,
    isPrivate: fc.boolean(),
    entries: fc.array(entries, { maxLength: 3 }),
    key: payloads,
    replay: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, payloads),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(joins, { minLength: 1, maxLength: 5 }), async (wanted) => {
      const answers = await Promise.all(
        wanted.map(({ name, isPrivate, entries: changes, key, replay }, number) =>
          hostile.join(`realtime:${number}${name}`, {
            config: { private: isPrivate, postgres_changes: changes, presence: { key }, broadcast: { replay } },
          }),
        ),
      )
      for (const answer of answers) expect(answer).toMatchObject({ status: expect.stringMatching(/^(ok|error)$/) })
      for (const [number, { name }] of wanted.entries())
        hostile.send(null, 'l', `realtime:${number}${name}`, 'phx_leave', {})
      await hostile.beat()
      hostile.received.length = 0
    }),
    { numRuns: runsOf(12) },
  )
  const { rows } = await run('select count(*)::int as there from public.posts')
  expect(rows).toEqual([{ there: 0 }])
})
