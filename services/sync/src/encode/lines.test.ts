import { deserialize } from 'bson'
import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ControlLine } from '@holdfast/protocol'
import { encodeBson, type BsonValue } from './bson.ts'
import { dataLine, encodeControlLine, encodedOps, type LineFormat } from './lines.ts'
import { moveDoc, putDocBytes, removeDoc, writePutDoc } from './op-doc.ts'

const BSON: LineFormat = { kind: 'bson' }
const NDJSON: LineFormat = { kind: 'ndjson', nestedData: false }

const values = fc.letrec<{ value: BsonValue; object: { readonly [key: string]: BsonValue } }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 12 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.string().filter((key) => !key.includes('\0') && key !== '__proto__'),
    tie('value'),
    { noNullPrototype: true },
  ),
})).object

function putDoc(opId: number, objectType: string, objectId: string, data: string): Buffer {
  const into = Buffer.alloc(putDocBytes(objectType, Buffer.byteLength(objectId) + Buffer.byteLength(data)))
  return into.subarray(0, writePutDoc(into, 0, opId, objectType, objectId, data).end)
}

describe('encodeBson', () => {
  test('is read by the public decoder as what it was', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(deserialize(encodeBson(value), { promoteLongs: true })).toEqual(value)
      }),
    )
  })

  test('writes numbers as int32 or int64, never as double', () => {
    const types = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER].map(
      (n) => encodeBson({ n })[4],
    )
    expect(types).toEqual([0x10, 0x10, 0x10, 0x10, 0x10, 0x12, 0x12, 0x12])
  })

  test('leaves out undefined values', () => {
    expect(deserialize(encodeBson({ a: 1, b: undefined as unknown as null }))).toEqual({ a: 1 })
  })
})

describe('lines', () => {
  const lines: ControlLine[] = [
    { checkpoint: { last_op_id: '21', write_checkpoint: '7', buckets: [{ bucket: 'a["ü"]', checksum: -5, count: 3_000_000_000, priority: 3, subscriptions: [{ default: 0 }] }], streams: [{ name: 'everything', is_default: true, errors: [] }] } },
    { checkpoint_diff: { last_op_id: '9007199254740991', removed_buckets: ['x', 'y'], updated_buckets: [] } },
    { checkpoint_complete: { last_op_id: '0' } },
    { token_expires_in: 0 },
  ] // prettier-ignore

  test.each(lines)('say the same in both forms: %j', (line) => {
    expect(deserialize(encodeControlLine(BSON, line))).toEqual(line)
    const text = encodeControlLine(NDJSON, line).toString()
    expect(text.indexOf('\n')).toBe(text.length - 1)
    expect(JSON.parse(text)).toEqual(line)
  })

  const docs = fc.array(
    fc
      .tuple(
        fc.integer({ min: 1, max: 1e9 }),
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.integer({ min: 0, max: 2 }),
      )
      .map(([id, text, kind]) =>
        kind === 0
          ? moveDoc(id, -id)
          : kind === 1
            ? removeDoc(id, 't', text, id)
            : putDoc(id, 't', text, JSON.stringify({ text })),
      ),
    { minLength: 1, maxLength: 130 },
  )

  test('of data say the same in both forms, with array keys 0, 1, 2, …', () => {
    fc.assert(
      fc.property(docs, fc.string({ unit: 'grapheme' }), fc.boolean(), (list, bucket, hasMore) => {
        const line = { bucket, after: '17', hasMore, ops: encodedOps(list, 99) }
        const bytes = Buffer.concat(dataLine(BSON, line))
        const bson = deserialize(bytes) as { data: { data: { checksum: number }[] } }
        const json = JSON.parse(Buffer.concat(dataLine(NDJSON, line)).toString()) as {
          data: { data: { checksum: number }[] }
        }
        for (const op of bson.data.data) op.checksum >>>= 0
        expect(json).toEqual(bson)
        expect(bson).toMatchObject({ data: { bucket, after: '17', next_after: '99', has_more: hasMore } })
        // As an array the decoder ignores keys, so examine it as an embedded document.
        const at = bytes.indexOf('\x04data\0', 0, 'latin1')
        const array = bytes.subarray(at + 6, at + 6 + bytes.readInt32LE(at + 6))
        expect(Object.keys(deserialize(array))).toEqual(list.map((_, index) => String(index)))
        expect(bytes.length).toBe(bytes.readInt32LE(0))
      }),
      { numRuns: runsOf(60) },
    )
  })

  test('of data are the same bytes whether operations among them are large or not', () => {
    const sizes = fc.array(fc.constantFrom(0, 100, 16_300, 16_400, 40_000), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(sizes, (list) => {
        const rows = list.map((size, index) => putDoc(index + 1, 't', `row ${index}`, 'x'.repeat(size)))
        const bytes = Buffer.concat(
          dataLine(BSON, { bucket: 'b', after: '0', hasMore: false, ops: encodedOps(rows, 9) }),
        )
        const { data } = deserialize(bytes) as { data: { data: { object_id: string; data: string }[] } }
        expect(data.data.map((op) => [op.object_id, op.data.length])).toEqual(
          list.map((size, index) => [`row ${index}`, size]),
        )
        expect(bytes.length).toBe(bytes.readInt32LE(0))
      }),
      { numRuns: runsOf(30) },
    )
  })

  test('are split by count and by bytes, and one large operation goes alone', () => {
    fc.assert(
      fc.property(
        docs,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 50, max: 2_000 }),
        (list, opsMax, bytesMax) => {
          const parts = encodedOps(list, 1e9).split(opsMax, bytesMax)
          expect(parts.reduce((sum, part) => sum + part.count, 0)).toBe(list.length)
          expect(
            Buffer.concat(parts.map((part) => Buffer.from(Buffer.concat(part.body(NDJSON)).toString() + ','))),
          ).toEqual(Buffer.from(`${Buffer.concat(encodedOps(list, 1e9).body(NDJSON)).toString()},`))
          for (const part of parts) {
            expect(part.count).toBeLessThanOrEqual(opsMax)
            if (part.count > 1) expect(part.bytes).toBeLessThanOrEqual(bytesMax)
          }
          expect(parts.at(-1)?.lastOpId).toBe(1e9)
        },
      ),
    )
  })
})
