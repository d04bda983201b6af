import { describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import type { Lsn, Relation, ReplicationEvent, Tuple } from '@holdfast/replication'
import { DATABASE_MESSAGES_WAITING_MAX } from '../limits.ts'
import { listenForBroadcasts } from './broadcast-listener.ts'
import type { DatabaseMessage } from '../bus/bus.ts'

const COLUMNS = ['id', 'topic', 'extension', 'payload', 'event', 'private', 'binary_payload']
const MESSAGES: Relation = {
  oid: 1,
  schema: 'realtime',
  name: 'messages',
  columns: COLUMNS.map((name) => ({ name, typeOid: 25, isKey: name === 'id' })),
}

const lsn = (position: number): Lsn => BigInt(position) as Lsn
const begin = (position: number): ReplicationEvent => ({
  kind: 'begin',
  xid: 1,
  commitLsn: lsn(position),
  committedAtMs: 0,
})
const commit = (position: number): ReplicationEvent => ({
  kind: 'commit',
  commitLsn: lsn(position),
  endLsn: lsn(position + 1),
})
function insert(id: string, values: Readonly<Record<string, string | null>> = {}): ReplicationEvent {
  const all: Readonly<Record<string, string | null>> = {
    id,
    topic: 'room',
    extension: 'broadcast',
    payload: '{"a": 1}',
    event: 'x',
    private: 't',
    binary_payload: null,
    ...values,
  }
  const row: Tuple = COLUMNS.map((name) => all[name] ?? null)
  return { kind: 'insert', relation: MESSAGES, row }
}

function openListener(opened: Lsn | null = lsn(10), payloadBytesMax = 1_000) {
  const published: DatabaseMessage[] = []
  const listener = listenForBroadcasts({
    publish: (message) => published.push(message),
    payloadBytesMax,
    opened: () => opened ?? undefined,
    logger: silentLogger,
  })
  return { listener, published, ids: () => published.map(({ id }) => id) }
}

describe('messages of a transaction', () => {
  test('are published when it commits, in their order', () => {
    const { listener, published, ids } = openListener()
    listener([begin(20), insert('1')])
    listener([insert('2', { binary_payload: '\\x00ff', payload: null, private: 'f' })])
    expect(published).toEqual([])
    listener([commit(20)])
    expect(ids()).toEqual(['1', '2'])
    expect(published[0]).toMatchObject({
      topic: 'room',
      isPrivate: true,
      broadcast: { encoding: 'json', meta: '{"id":"1"}' },
    })
    expect(published[1]).toMatchObject({
      isPrivate: false,
      broadcast: { encoding: 'binary', payload: Buffer.from([0, 255]) },
    })
  })

  test('are published once, also when the stream begins again before them', () => {
    const { listener, ids } = openListener()
    listener([begin(20), insert('1'), commit(20)])
    listener([begin(20), insert('1'), commit(20), begin(30), insert('2'), commit(30)])
    expect(ids()).toEqual(['1', '2'])
  })

  test('are forgotten when the connection breaks before its end', () => {
    const { listener, ids } = openListener()
    listener([begin(20), insert('1')])
    listener([begin(20), insert('1'), commit(20)])
    expect(ids()).toEqual(['1'])
  })

  test('are those since the server was started', () => {
    const { listener, ids } = openListener(lsn(10))
    listener([begin(9), insert('before'), commit(9), begin(10), insert('since'), commit(10)])
    expect(ids()).toEqual(['since'])
    const early = openListener(null)
    early.listener([begin(20), insert('1'), commit(20)])
    expect(early.ids()).toEqual([])
  })

  test.each([
    ['without a topic', { topic: null }],
    ['without an event', { event: null }],
    ['that do not say who gets them', { private: null }],
    ['of presence', { extension: 'presence' }],
    ['that are too large', { payload: `"${'x'.repeat(2_000)}"` }],
  ])('%s are left out, and the others are not', (_title, values) => {
    const { listener, ids } = openListener()
    listener([begin(20), insert('1', values), insert('2'), commit(20)])
    expect(ids()).toEqual(['2'])
  })

  test('above the limit are dropped, and the next transaction is not', async () => {
    const { listener, published, ids } = openListener()
    const many = Array.from({ length: DATABASE_MESSAGES_WAITING_MAX + 5 }, (_, number) => insert(String(number)))
    listener([begin(20), ...many, commit(20)])
    await expect.poll(() => published.length).toBe(DATABASE_MESSAGES_WAITING_MAX)
    listener([begin(30), insert('next'), commit(30)])
    expect(ids().at(-1)).toBe('next')
  })
})
