import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dataLine, encodedOps, type LineFormat } from './lines.ts'
import { moveDoc, putDocBytes, removeDoc, writePutDoc } from './op-doc.ts'
import { packedOps } from './packed-ops.ts'

const FORMATS: readonly LineFormat[] = [
  { kind: 'bson' },
  { kind: 'ndjson', nestedData: false },
  { kind: 'ndjson', nestedData: true },
]

function putDoc(opId: number, data: string): Buffer {
  const into = Buffer.alloc(putDocBytes('t', 3 + Buffer.byteLength(data)))
  return into.subarray(0, writePutDoc(into, 0, opId, 't', 'row', data).end)
}

/** Documents of all sizes, those around the one from which they are not copied among them. */
const docs = fc
  .array(
    fc.oneof(
      fc.constant('move'),
      fc.constant('remove'),
      fc.constantFrom(0, 10, 500, 16_280, 16_384, 40_000).map((size) => JSON.stringify({ text: 'ü'.repeat(size / 2) })),
    ),
    { minLength: 1, maxLength: 40 },
  )
  .map((list) =>
    list.map((content, index) => {
      const opId = (index + 1) * 7
      if (content === 'move') return moveDoc(opId, -opId)
      return content === 'remove' ? removeDoc(opId, 't', 'row', opId) : putDoc(opId, content)
    }),
  )

describe('operations that stand back to back', () => {
  test('make the same lines as single ones', () => {
    fc.assert(
      fc.property(docs, (list) => {
        const packed = packedOps(Buffer.concat(list), list.length, 999)
        const single = encodedOps(list, 999)
        expect([packed.count, packed.bytes, packed.lastOpId]).toEqual([single.count, single.bytes, 999])
        for (const format of FORMATS) {
          const line = (ops: typeof packed): Buffer =>
            Buffer.concat(dataLine(format, { bucket: 'b', after: '0', hasMore: true, ops }))
          expect(line(packed).equals(line(single))).toBe(true)
        }
      }),
      { numRuns: runsOf(40) },
    )
  })

  test('are split where single ones are', () => {
    const bytesMax = fc.integer({ min: 50, max: 60_000 })
    fc.assert(
      fc.property(docs, fc.integer({ min: 1, max: 20 }), bytesMax, (list, opsMax, bytesMax) => {
        const packed = packedOps(Buffer.concat(list), list.length, 999).split(opsMax, bytesMax)
        const single = encodedOps(list, 999).split(opsMax, bytesMax)
        const facts = (parts: typeof packed) => parts.map(({ count, bytes, lastOpId }) => [count, bytes, lastOpId])
        expect(facts(packed)).toEqual(facts(single))
        for (const [index, part] of packed.entries()) {
          const [one, other] = [part, single[index]].map((ops) => Buffer.concat(ops?.body({ kind: 'bson' }) ?? []))
          expect(one?.equals(other as Buffer)).toBe(true)
        }
      }),
      { numRuns: runsOf(40) },
    )
  })
})
