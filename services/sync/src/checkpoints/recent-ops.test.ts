import { deserialize } from 'bson'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitDocs } from '../encode/op-doc.ts'
import type { EncodedOps } from '../encode/lines.ts'
import { PendingOps } from '../storage/pending-ops.ts'
import { createRecentOps } from './recent-ops.ts'

interface ReadOp {
  readonly op_id: string
  readonly op: string
  readonly object_id?: string
  readonly data?: string | null
  readonly checksum: number
}

function opsOf(encoded: EncodedOps): ReadOp[] {
  const body = Buffer.concat(encoded.body({ kind: 'bson' }))
  const docs: Buffer[] = []
  for (let at = 0; at < body.length;) {
    at = body.indexOf(0, at) + 1 // type and key of the array's element
    const size = body.readInt32LE(at)
    docs.push(...splitDocs(body.subarray(at, at + size)))
    at += size
  }
  return docs.map((doc) => deserialize(doc) as ReadOp)
}

function createWriter(): {
  readonly recent: ReturnType<typeof createRecentOps>
  readonly opId: () => number
  batch(fill: (pending: PendingOps) => void): void
} {
  let opId = 0
  const pending = new PendingOps(
    () => ++opId,
    () => opId,
  )
  const recent = createRecentOps(100_000)
  return {
    recent,
    opId: () => opId,
    batch(fill) {
      const fromOpId = opId
      fill(pending)
      recent.add({ fromOpId, toOpId: opId, taken: pending.take() })
    },
  }
}

test('reads equal the writes of the range, whatever the range, with the content of the newest versions only', () => {
  const batches = fc.array(
    fc.array(
      fc.record({ id: fc.constantFrom('a', 'b', 'c'), put: fc.boolean(), bucket: fc.integer({ min: 1, max: 2 }) }),
      { minLength: 1, maxLength: 4 },
    ),
    { minLength: 1, maxLength: 8 },
  )
  fc.assert(
    fc.property(batches, fc.nat(40), fc.nat(8), (list, start, cut) => {
      const writer = createWriter()
      const all: { readonly opId: number; readonly checksum: number; readonly bucket: number }[] = []
      const ends: number[] = []
      const there = new Set<string>()
      for (const changes of list) {
        let pendingSeen: PendingOps | undefined
        writer.batch((pending) => {
          pendingSeen = pending
          for (const { id, put, bucket } of changes) {
            const name = `${bucket}/${id}`
            if (put) pending.put(bucket, 't', id, `{"${writer.opId()}":1}`, !there.has(name))
            else if (there.has(name)) pending.remove(bucket, 't', id)
            if (put) there.add(name)
            else there.delete(name)
          }
        })
        expect(pendingSeen?.size).toBe(0)
        ends.push(writer.opId())
      }
      const upTo = ends[cut % ends.length] as number
      const whole = writer.recent.read(1, 0, upTo)
      for (const op of whole ? opsOf(whole) : []) all.push({ opId: Number(op.op_id), checksum: op.checksum, bucket: 1 })
      const after = Math.min(start, upTo)
      const part = writer.recent.read(1, after, upTo)
      const ops = part ? opsOf(part) : []
      // The same operations, also when the device stopped in the middle of a batch.
      expect(ops.map((op) => ({ opId: Number(op.op_id), checksum: op.checksum, bucket: 1 }))).toEqual(
        all.filter((op) => op.opId > after),
      )
      expect(ops.every((op, index) => index === 0 || Number(op.op_id) > Number(ops[index - 1]?.op_id))).toBe(true)
      const named = ops.filter((op) => op.object_id !== undefined).map((op) => op.object_id)
      expect(new Set(named).size).toBe(named.length)
      if (after === 0) expect(ops.some((op) => op.op === 'REMOVE')).toBe(false)
    }),
  )
})

test('a batch that is too large empties the memory; readers from before it go to the log', () => {
  const writer = createWriter()
  writer.batch((pending) => pending.put(1, 't', 'a', '{}', true))
  const before = writer.opId()
  writer.recent.add({ fromOpId: before, toOpId: before + 10, taken: undefined })
  expect(writer.recent.read(1, 0, before + 10)).toBeUndefined()
  expect(writer.recent.read(1, before, before + 10)).toBeUndefined()
})

test('reads older than its memory go to the log', () => {
  const writer = createWriter()
  for (let i = 0; i < 40; i++)
    writer.batch((pending) => pending.put(1, 't', `id ${i}`, JSON.stringify('x'.repeat(5_000)), true))
  expect(writer.recent.read(1, 0, writer.opId())).toBeUndefined()
  expect(writer.recent.read(1, writer.opId() - 1, writer.opId())?.count).toBe(1)
})

test('what comes before CLEAR is not sent', () => {
  const writer = createWriter()
  writer.batch((pending) => pending.put(1, 't', 'a', '{"secret":1}', true))
  writer.batch((pending) => pending.clear(new Set([1])))
  writer.batch((pending) => pending.put(1, 't', 'b', '{}', true))
  const read = writer.recent.read(1, 0, writer.opId())
  expect(read && opsOf(read).map((op) => op.op)).toEqual(['CLEAR', 'PUT'])
})
