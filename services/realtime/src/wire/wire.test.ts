import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeFrame } from './decode.ts'
import { encodeBroadcast, encodeMessage, FanOut } from './encode.ts'
import { parseVersion, type Encoding, type UserBroadcast, type Version } from './frames.ts'

const versions: readonly Version[] = ['1.0.0', '2.0.0']

/** A text limited in bytes. */
const text = (bytesMax: number) => fc.string({ unit: 'binary' }).filter((one) => isWellFormed(one, bytesMax))
const ref = fc.oneof(fc.constant(null), text(20), fc.integer())

/** Lone surrogates cannot be encoded in UTF-8. */
function isWellFormed(one: string, bytesMax: number): boolean {
  return one.isWellFormed() && Buffer.byteLength(one) <= bytesMax
}

/** Encodes a broadcast as 2.0.0 clients do. */
function broadcastPush(texts: readonly string[], encoding: Encoding, payload: Uint8Array): Buffer {
  const bytes = texts.map((one) => Buffer.from(one))
  const header = Buffer.from([3, ...bytes.map(({ length }) => length), encoding === 'json' ? 1 : 0])
  return Buffer.concat([header, ...bytes, payload])
}

/** Decodes a broadcast as realtime-js does. */
function readBroadcast(data: Buffer) {
  const [kind, topicBytes = 0, eventBytes = 0, metaBytes = 0, encoding] = data
  let offset = 5
  const take = (bytes: number): string => data.toString('utf8', offset, (offset += bytes))
  const [topic, event, meta] = [take(topicBytes), take(eventBytes), take(metaBytes)]
  return { kind, topic, event, meta, encoding, payload: data.subarray(offset) }
}

describe.each(versions)('a message of %s', (version) => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(
        ref,
        ref,
        text(50),
        text(50),
        fc.jsonValue({ maxDepth: 3 }),
        (joinRef, own, topic, event, payload) => {
          const message = { joinRef, ref: own, topic, event, payload }
          const { data, isBinary } = encodeMessage(version, message)
          const expected = version === '2.0.0' ? message : { ...message, joinRef: null }
          expect(decodeFrame(version, data, isBinary)).toEqual({
            kind: 'push',
            ...expected,
            payload: payload === null ? {} : (JSON.parse(JSON.stringify(payload)) as unknown),
          })
        },
      ),
    )
  })

  test('is read, or dropped, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), fc.boolean(), (bytes, isBinary) => {
        const frame = decodeFrame(version, Buffer.from(bytes), isBinary)
        expect(['undefined', 'string']).toContain(typeof frame?.topic)
      }),
    )
  })

  test.each([
    '',
    'null',
    '1',
    '"phx_join"',
    '[]',
    '{}',
    '[null,null,"t"]',
    '[null,null,1,"e",{}]',
    '[{},null,"t","e",{}]',
    '{"topic":"t"}',
    '{"topic":"t","event":1}',
    '{"topic":["t"],"event":"e"}',
    '[[[[[[[[',
  ])('is dropped if it is %s', (text) => {
    expect(decodeFrame(version, Buffer.from(text), false)).toBeUndefined()
  })
})

describe('a broadcast of a client of 2.0.0', () => {
  test('is read with its payload as it came', () => {
    const payloads = fc.oneof(
      fc.uint8Array().map((bytes) => ['binary', bytes] as const),
      fc.jsonValue().map((value) => ['json', new Uint8Array(Buffer.from(JSON.stringify(value)))] as const),
    )
    fc.assert(
      fc.property(
        text(255),
        text(255),
        text(255),
        text(255),
        text(255),
        payloads,
        (joinRef, own, topic, event, meta, [encoding, payload]) => {
          const data = broadcastPush([joinRef, own, topic, event, meta], encoding, payload)
          expect(decodeFrame('2.0.0', data, true)).toEqual({
            kind: 'broadcast',
            joinRef: joinRef || null,
            ref: own || null,
            topic,
            event,
            encoding,
            payload: Buffer.from(payload),
          })
          expect(decodeFrame('1.0.0', data, true)).toBeUndefined()
        },
      ),
    )
  })

  test.each([
    ['cut in its header', Buffer.from([3, 0, 0])],
    ['cut in its texts', Buffer.from([3, 0, 0, 255, 0, 0, 0, 65])],
    ['of another kind', Buffer.from([9, 0, 0, 0, 0, 0, 0])],
    ['of an unknown encoding', Buffer.from([3, 0, 0, 0, 0, 0, 7])],
    ['said to be JSON that is none', broadcastPush(['', '', 't', 'e', ''], 'json', Buffer.from('{"a":'))],
    ['said to be JSON and empty', broadcastPush(['', '', 't', 'e', ''], 'json', Buffer.alloc(0))],
  ])('is dropped if it is %s', (_title, data) => {
    expect(decodeFrame('2.0.0', data, true)).toBeUndefined()
  })
})

describe('a broadcast to members', () => {
  const json = (value: unknown): UserBroadcast => ({
    event: 'é',
    encoding: 'json',
    payload: Buffer.from(JSON.stringify(value)),
    meta: '{"id":"1"}',
  })

  test('has the binary form in 2.0.0', () => {
    const frame = encodeBroadcast('2.0.0', 'realtime:room', json({ a: 1 }))
    expect(frame?.isBinary).toBe(true)
    expect(readBroadcast(frame?.data as Buffer)).toEqual({
      kind: 4,
      topic: 'realtime:room',
      event: 'é',
      meta: '{"id":"1"}',
      encoding: 1,
      payload: Buffer.from('{"a":1}'),
    })
  })

  test('has the text form in 1.0.0, and in 2.0.0 when a text is too long for the binary one', () => {
    const payload = { type: 'broadcast', event: 'é', payload: { a: 1 }, meta: { id: '1' } }
    expect(JSON.parse(String(encodeBroadcast('1.0.0', 't', json({ a: 1 }))?.data))).toEqual({
      topic: 't',
      event: 'broadcast',
      payload,
      ref: null,
    })
    const topic = 'x'.repeat(256)
    expect(JSON.parse(String(encodeBroadcast('2.0.0', topic, json({ a: 1 }))?.data))).toEqual([
      null,
      null,
      topic,
      'broadcast',
      payload,
    ])
  })

  test('has no form in 1.0.0 when it is bytes', () => {
    expect(encodeBroadcast('1.0.0', 't', { event: 'e', encoding: 'binary', payload: Buffer.from([1]) })).toBeUndefined()
  })

  test('is encoded once for all of one protocol', () => {
    const fanOut = FanOut.ofBroadcast('t', json(1))
    expect(fanOut.frame('2.0.0')).toBe(fanOut.frame('2.0.0'))
    expect(fanOut.frame('1.0.0')).toBe(fanOut.frame('1.0.0'))
  })
})

test.each([
  [undefined, '1.0.0'],
  ['1.0.0', '1.0.0'],
  ['2.0.0', '2.0.0'],
  ['', undefined],
  ['2.0', undefined],
])('the version %j is %j', (given, version) => {
  expect(parseVersion(given)).toBe(version)
})
