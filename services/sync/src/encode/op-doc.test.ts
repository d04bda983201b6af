import { deserialize } from 'bson'
import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ROW_KEY_BYTES_MAX,
  clearDoc,
  docOpId,
  docToJson,
  moveDoc,
  opChecksum,
  putDocBytes,
  removeDoc,
  rowKey,
  splitDocs,
  withoutRemoved,
  withoutRemovedUpTo,
  writePutDoc,
  writeRowKey,
} from './op-doc.ts'

const ids = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const checksums = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const texts = fc.string({ unit: 'grapheme' })
const rows = fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant(null)))

function putDoc(opId: number, objectType: string, objectId: string, data: string): Buffer {
  const bytes = putDocBytes(objectType, Buffer.byteLength(objectId) + Buffer.byteLength(data))
  // Behind something else, and with room to spare.
  const into = Buffer.alloc(3 + bytes, 0xff)
  return into.subarray(3, writePutDoc(into, 3, opId, objectType, objectId, data).end)
}

/** Any operation: its document, and what a client should read. */
const operations = fc.oneof(
  fc.tuple(ids, texts, texts, rows).map(([id, type, objectId, row]) => ({
    doc: putDoc(id, type, objectId, JSON.stringify(row)),
    op: {
      op_id: String(id),
      op: 'PUT',
      object_type: type,
      object_id: objectId,
      checksum: opChecksum(id, JSON.stringify(row)),
      data: JSON.stringify(row) as string | null,
    },
  })),
  fc.tuple(ids, texts, texts, checksums).map(([id, type, objectId, checksum]) => ({
    doc: removeDoc(id, type, objectId, checksum),
    op: { op_id: String(id), op: 'REMOVE', object_type: type, object_id: objectId, checksum, data: null },
  })),
  fc
    .tuple(ids, checksums)
    .map(([id, checksum]) => ({ doc: moveDoc(id, checksum), op: { op_id: String(id), op: 'MOVE', checksum } })),
  fc
    .tuple(ids, checksums)
    .map(([id, checksum]) => ({ doc: clearDoc(id, checksum), op: { op_id: String(id), op: 'CLEAR', checksum } })),
)

describe('the document of an operation', () => {
  test('is BSON that says what the operation says', () => {
    fc.assert(
      fc.property(operations, ({ doc, op }) => {
        expect(doc.readInt32LE(0)).toBe(doc.length)
        expect(deserialize(doc)).toEqual(op)
        expect(docOpId(doc)).toBe(Number(op.op_id))
      }),
    )
  })

  test('is the same as JSON, with an unsigned checksum', () => {
    fc.assert(
      fc.property(operations, ({ doc, op }) => {
        expect(JSON.parse(docToJson(doc, false))).toEqual({ ...op, checksum: op.checksum >>> 0 })
        const data = 'data' in op && op.data !== null ? { data: JSON.parse(op.data) as unknown } : {}
        expect(JSON.parse(docToJson(doc, true))).toEqual({ ...op, checksum: op.checksum >>> 0, ...data })
      }),
    )
  })

  test('stands back to back with others and is found again', () => {
    fc.assert(
      fc.property(fc.array(operations), (list) => {
        const docs = list.map(({ doc }) => doc)
        expect(splitDocs(Buffer.concat(docs))).toEqual(docs)
      }),
    )
  })

  test('names no row when the device never had one', () => {
    fc.assert(
      fc.property(operations, ({ doc, op }) => {
        const shown = withoutRemoved(doc)
        if (op.op === 'REMOVE')
          expect(deserialize(shown)).toEqual({ op_id: op.op_id, op: 'MOVE', checksum: op.checksum })
        else expect(shown).toBe(doc)
      }),
    )
  })

  test('names no row among others up to a position either', () => {
    fc.assert(
      fc.property(fc.array(operations), ids, (list, upTo) => {
        const docs = Buffer.concat(list.map(({ doc }) => doc))
        const shown = list.map(({ doc, op }) => (Number(op.op_id) <= upTo ? withoutRemoved(doc) : doc))
        expect(splitDocs(withoutRemovedUpTo(docs, upTo))).toEqual(shown)
        if (!list.some(({ op }) => op.op === 'REMOVE')) expect(withoutRemovedUpTo(docs, upTo)).toBe(docs)
      }),
    )
  })
})

describe('the key of a row', () => {
  test('differs when ids differ', () => {
    const uuid = fc.uuid()
    const id = fc.oneof(
      uuid,
      uuid.map((one) => one.toUpperCase()),
      fc.string({ minLength: 16, maxLength: 16 }),
      uuid.map((one) => Buffer.from(one.replaceAll('-', ''), 'hex').toString('latin1')),
      fc.string({ minLength: 200, maxLength: 300 }),
      fc.string(),
    )
    const pair = fc.tuple(id, id).filter((both) => !both.join('').includes('\0')) // no text of Postgres has it
    fc.assert(
      fc.property(pair, ([left, right]) => {
        expect(rowKey(left).equals(rowKey(right))).toBe(left === right)
        const written = Buffer.alloc(3 + ROW_KEY_BYTES_MAX)
        expect(written.subarray(3, writeRowKey(written, 3, left))).toEqual(rowKey(left))
      }),
    )
    expect(rowKey('61626364-6566-6768-696a-6b6c6d6e6f70')).not.toEqual(rowKey('abcdefghijklmnop'))
  })

  test('fits into an index however long the id is', () => {
    expect(rowKey('x'.repeat(100_000)).length).toBeLessThan(300)
    expect(rowKey('x'.repeat(100_000))).not.toEqual(rowKey('x'.repeat(100_001)))
  })
})

describe('the checksum of an operation', () => {
  test('changes with its content and with its place', () => {
    const seen = new Set<number>()
    for (let opId = 1; opId <= 2_000; opId++) seen.add(opChecksum(opId, 'same'))
    expect(seen.size).toBe(2_000)
    expect(opChecksum(1, 'a')).not.toBe(opChecksum(1, 'b'))
    expect(opChecksum(5, 'a')).not.toBe(opChecksum(5 + 2 ** 32, 'a'))
  })

  test('does not cancel out when neighbours swap their content', () => {
    fc.assert(
      fc.property(ids, texts, texts, (opId, one, other) => {
        fc.pre(one !== other && opId < Number.MAX_SAFE_INTEGER)
        const sum = (first: string, second: string): number =>
          (opChecksum(opId, first) + opChecksum(opId + 1, second)) | 0
        // Equal sums are possible, once in some billions.
        expect(sum(one, other)).not.toBe(sum(other, one))
      }),
      { numRuns: runsOf(10_000) },
    )
  })
})
