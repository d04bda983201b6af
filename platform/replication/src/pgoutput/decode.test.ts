import { HoldfastError } from '@holdfast/foundation'
import { runsOf } from '@holdfast/test-support/runs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Relation, ReplicationEvent, Tuple } from '../events.ts'
import type { Lsn } from '../lsn.ts'
import { Decoder } from './decode.ts'

// This encoder follows the manual ("Logical Replication Message Formats") independently of the decoder: the decoder must read its output for any names, values
// and mixtures of NULL, text and unchanged TOAST.

const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)
const UNCHANGED = Symbol('unchanged TOAST value')
type Wire = readonly (string | null | typeof UNCHANGED)[]

const int = (bytes: 1 | 2 | 4, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}
const int64 = (value: bigint): Buffer => {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64BE(BigInt.asUintN(64, value))
  return buffer
}
const letter = (value: string): Buffer => Buffer.from(value, 'latin1')
const zeroEnded = (value: string): Buffer => Buffer.from(`${value}\0`)
const micros = (ms: number): bigint => BigInt(ms - POSTGRES_EPOCH_MS) * 1000n

function encodeTuple(values: Wire): Buffer {
  const parts = [int(2, values.length)]
  for (const value of values) {
    if (value === null) parts.push(letter('n'))
    else if (value === UNCHANGED) parts.push(letter('u'))
    else parts.push(letter('t'), int(4, Buffer.byteLength(value)), Buffer.from(value))
  }
  return Buffer.concat(parts)
}

function encodeRelation(relation: Relation, identity = 'f'): Buffer {
  const columns = relation.columns.flatMap((column) => [
    int(1, column.isKey ? 1 : 0),
    zeroEnded(column.name),
    int(4, column.typeOid),
    int(4, 0xffffffff),
  ])
  const head = [
    letter('R'),
    int(4, relation.oid),
    zeroEnded(relation.schema),
    zeroEnded(relation.name),
    letter(identity),
  ]
  return Buffer.concat([...head, int(2, relation.columns.length), ...columns])
}

/** @param unchanged - values of an update sent as unchanged */
function encode(event: ReplicationEvent, unchanged: readonly boolean[] = []): Buffer {
  switch (event.kind) {
    case 'begin':
      return Buffer.concat([letter('B'), int64(event.commitLsn), int64(micros(event.committedAtMs)), int(4, event.xid)])
    case 'commit':
      return Buffer.concat([letter('C'), int(1, 0), int64(event.commitLsn), int64(event.endLsn), int64(0n)])
    case 'insert':
      return Buffer.concat([letter('I'), int(4, event.relation.oid), letter('N'), encodeTuple(event.row)])
    case 'update': {
      const row = event.row.map((value, index) => (unchanged[index] === true ? UNCHANGED : value))
      const old = [letter('O'), encodeTuple(event.old)]
      return Buffer.concat([letter('U'), int(4, event.relation.oid), ...old, letter('N'), encodeTuple(row)])
    }
    case 'delete':
      return Buffer.concat([letter('D'), int(4, event.relation.oid), letter('O'), encodeTuple(event.old)])
    case 'truncate': {
      const oids = event.relations.map((relation) => int(4, relation.oid))
      return Buffer.concat([letter('T'), int(4, event.relations.length), int(1, 1), ...oids])
    }
    case 'message': {
      const head = [letter('M'), int(1, event.transactional ? 1 : 0), int64(event.lsn), zeroEnded(event.prefix)]
      return Buffer.concat([...head, int(4, Buffer.byteLength(event.content)), Buffer.from(event.content)])
    }
    case 'incomplete':
    case 'progress':
      throw new Error('not a message of pgoutput')
  }
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((value) => value.toWellFormed().replaceAll('\0', ''))
const name = text.filter((value) => value !== '')
const lsn = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => value as Lsn)
const uint32 = fc.integer({ min: 0, max: 0xffffffff })
const relation: fc.Arbitrary<Relation> = fc.record({
  oid: uint32,
  schema: name,
  name,
  columns: fc.array(fc.record({ name, typeOid: uint32, isKey: fc.boolean() }), { maxLength: 6 }),
})

const change = (of: Relation): fc.Arbitrary<{ event: ReplicationEvent; unchanged: readonly boolean[] }> => {
  const width = of.columns.length
  const row: fc.Arbitrary<Tuple> = fc.array(fc.option(text), { minLength: width, maxLength: width })
  const flags = fc.array(fc.boolean(), { minLength: width, maxLength: width })
  const only = (
    event: fc.Arbitrary<ReplicationEvent>,
  ): fc.Arbitrary<{ event: ReplicationEvent; unchanged: boolean[] }> =>
    event.map((value) => ({ event: value, unchanged: [] }))
  return fc.oneof(
    only(row.map((values) => ({ kind: 'insert', relation: of, row: values }))),
    only(row.map((values) => ({ kind: 'delete', relation: of, old: values }))),
    only(fc.constant({ kind: 'truncate', relations: [of] })),
    only(fc.record({ kind: fc.constant('commit' as const), commitLsn: lsn, endLsn: lsn })),
    only(
      fc.record({
        kind: fc.constant('begin' as const),
        xid: uint32,
        commitLsn: lsn,
        committedAtMs: fc.integer({ min: POSTGRES_EPOCH_MS - 1e9, max: POSTGRES_EPOCH_MS + 2e12 }),
      }),
    ),
    only(
      fc.record({
        kind: fc.constant('message' as const),
        transactional: fc.boolean(),
        prefix: text,
        content: text,
        lsn,
      }),
    ),
    fc.tuple(row, row, flags).map(([old, values, unchanged]) => ({
      event: {
        kind: 'update' as const,
        relation: of,
        old,
        row: values.map((value, index) => (unchanged[index] === true ? (old[index] ?? null) : value)),
      },
      unchanged,
    })),
  )
}

describe('the decoder', () => {
  test('reads what the encoder wrote, for any relation and changes', () => {
    const stream = relation.chain((of) => fc.tuple(fc.constant(of), fc.array(change(of), { maxLength: 10 })))
    fc.assert(
      fc.property(stream, ([of, changes]) => {
        const decoder = new Decoder()
        const out: ReplicationEvent[] = []
        const messages = [encodeRelation(of), ...changes.map(({ event, unchanged }) => encode(event, unchanged))]
        for (const message of messages) {
          const inside = Buffer.concat([Buffer.from('..'), message, Buffer.from('...')])
          decoder.decode(inside, 2, 2 + message.length, out)
        }
        expect(out).toEqual(changes.map(({ event }) => event))
      }),
      { numRuns: runsOf(300) },
    )
  })

  const items: Relation = {
    oid: 7,
    schema: 'public',
    name: 'items',
    columns: [{ name: 'id', typeOid: 23, isKey: true }],
  }
  const insert: ReplicationEvent = { kind: 'insert', relation: items, row: ['1'] }

  function run(messages: readonly Buffer[]): ReplicationEvent[] {
    const decoder = new Decoder()
    const out: ReplicationEvent[] = []
    for (const message of messages) decoder.decode(message, 0, message.length, out)
    return out
  }

  test('keeps the relation object while a repeated description says the same, and replaces it when it does not', () => {
    const wider: Relation = { ...items, columns: [...items.columns, { name: 'at', typeOid: 1184, isKey: false }] }
    const widerInsert: ReplicationEvent = { kind: 'insert', relation: wider, row: ['1', null] }
    const [first, again, changed] = run([
      encodeRelation(items),
      encode(insert),
      encodeRelation(items),
      encode(insert),
      encodeRelation(wider),
      encode(widerInsert),
    ]) as { relation: Relation }[]
    expect(again?.relation).toBe(first?.relation)
    expect(changed?.relation).toEqual(wider)
  })

  test('knows when it is between begin and commit', () => {
    const decoder = new Decoder()
    const begin = encode({ kind: 'begin', xid: 1, commitLsn: 5n as Lsn, committedAtMs: POSTGRES_EPOCH_MS })
    const commit = encode({ kind: 'commit', commitLsn: 5n as Lsn, endLsn: 6n as Lsn })
    expect(decoder.isInTransaction()).toBe(false)
    decoder.decode(begin, 0, begin.length, [])
    expect(decoder.isInTransaction()).toBe(true)
    decoder.decode(commit, 0, commit.length, [])
    expect(decoder.isInTransaction()).toBe(false)
  })

  test('descriptions of types and origins mean nothing to the reader', () => {
    const type = Buffer.concat([letter('Y'), int(4, 1), zeroEnded('public'), zeroEnded('mood')])
    const origin = Buffer.concat([letter('O'), int64(1n), zeroEnded('elsewhere')])
    expect(run([type, origin])).toEqual([])
  })

  test('an empty schema name is pg_catalog', () => {
    const [event] = run([encodeRelation({ ...items, schema: '' }), encode(insert)]) as { relation: Relation }[]
    expect(event?.relation.schema).toBe('pg_catalog')
  })

  const oid = int(4, 7)
  test.each<[string, string, Buffer]>([
    ['a deleted row of which only the key came', 'd', encode({ kind: 'delete', relation: items, old: ['1'] })],
    [
      'a deleted row of a partition of which only the key came',
      'f',
      Buffer.concat([letter('D'), oid, letter('K'), encodeTuple(['1'])]),
    ],
    ['an update without its old row', 'f', Buffer.concat([letter('U'), oid, letter('N'), encodeTuple(['12'])])],
    [
      'an update with the key of its old row',
      'd',
      Buffer.concat([letter('U'), oid, letter('K'), encodeTuple(['1']), letter('N'), encodeTuple([null])]),
    ],
  ])('tells of %s that it is incomplete', (_, identity, message) => {
    expect(run([encodeRelation(items, identity), message])).toEqual([{ kind: 'incomplete', relation: items }])
  })

  test.each<[string, Buffer[], string]>([
    ['a change of an unknown relation', [encode(insert)], 'replication_protocol'],
    ['an unknown kind of message', [Buffer.from('?')], 'replication_protocol'],
    [
      'bytes left over',
      [encodeRelation(items), Buffer.concat([encode(insert), Buffer.from('.')])],
      'replication_protocol',
    ],
    [
      'a row of another width',
      [encodeRelation(items), encode({ kind: 'insert', relation: items, row: ['1', '2'] })],
      'replication_protocol',
    ],
  ])('refuses %s', (_, messages, code) => {
    expect(() => run(messages)).toThrow(expect.objectContaining({ code }) as HoldfastError)
  })
})
