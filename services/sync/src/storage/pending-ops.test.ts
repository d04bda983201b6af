import { deserialize } from 'bson'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { moveDoc } from '../encode/op-doc.ts'
import { type TakenOps, PendingOps } from './pending-ops.ts'

/*
 * Pins that whatever rows do within and across batches, a device that begins anywhere ends up with the rows that are there, the sums of
 * buckets agree with the operations, and no version is left with content once another has taken its place.
 */

interface StoredOp {
  opId: number
  checksum: number
  key: string | undefined
  doc: Buffer
}

interface StoredBucket {
  ops: StoredOp[]
  checksum: number
  count: number
}

/** The log as the statements that write it make it. */
function createLog(): { readonly buckets: Map<number, StoredBucket>; write(taken: TakenOps): void } {
  const buckets = new Map<number, StoredBucket>()
  const bucketOf = (id: number): StoredBucket => {
    const bucket = buckets.get(id) ?? { ops: [], checksum: 0, count: 0 }
    buckets.set(id, bucket)
    return bucket
  }
  return {
    buckets,
    write(taken) {
      for (const id of taken.cleared) buckets.set(id, { ops: [], checksum: 0, count: 0 })
      for (const { bucketId, key } of taken.superseded) {
        for (const op of bucketOf(bucketId).ops) {
          if (op.key !== key.toString('hex')) continue
          op.key = undefined
          op.doc = moveDoc(op.opId, op.checksum)
        }
      }
      for (const op of taken.ops) {
        const key = op.key?.toString('hex')
        const bucket = bucketOf(op.bucketId)
        // The unique index over the newest versions.
        expect(key !== undefined && bucket.ops.some((other) => other.key === key)).toBe(false)
        bucket.ops.push({ opId: op.opId, checksum: op.checksum, key, doc: op.doc })
      }
      for (const [id, delta] of taken.deltas) {
        const bucket = bucketOf(id)
        bucket.checksum = (bucket.checksum + delta.checksum) | 0
        bucket.count += delta.count
        expect(bucket.ops.at(-1)?.opId).toBe(delta.lastOpId)
      }
    },
  }
}

/** A device's state of one bucket, following the public client's rules. */
interface Device {
  readonly rows: Map<string, { readonly data: string; readonly checksum: number }>
  rest: number
  position: number
}

function read(device: Device, ops: readonly StoredOp[]): void {
  for (const { doc, opId } of ops) {
    if (opId <= device.position) continue
    device.position = opId
    const op = deserialize(doc) as { op: string; object_id?: string; data?: string; checksum: number }
    if (op.op === 'CLEAR') {
      device.rows.clear()
      device.rest = op.checksum
      continue
    }
    const id = op.object_id
    const old = id === undefined ? undefined : device.rows.get(id)
    if (id !== undefined && old) {
      device.rest = (device.rest + old.checksum) | 0
      device.rows.delete(id)
    }
    if (op.op === 'PUT' && id !== undefined && op.data !== undefined)
      device.rows.set(id, { data: op.data, checksum: op.checksum })
    else device.rest = (device.rest + op.checksum) | 0
  }
}

function sum(device: Device): number {
  return [...device.rows.values()].reduce((total, row) => (total + row.checksum) | 0, device.rest)
}

type Step =
  | { readonly kind: 'put' | 'remove'; readonly bucket: number; readonly id: string }
  | { readonly kind: 'clear'; readonly buckets: readonly number[] }
  | { readonly kind: 'flush' }

const bucketIds = fc.integer({ min: 1, max: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('put' as const), bucket: bucketIds, id: fc.constantFrom('a', 'b', 'c') }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      bucket: bucketIds,
      id: fc.constantFrom('a', 'b', 'c'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), buckets: fc.uniqueArray(bucketIds) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
)

describe('batches of operations', () => {
  test('lead every device to the rows that are there, and leave no content of what they replace', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let opId = 0
        const pending = new PendingOps(
          () => ++opId,
          () => opId,
        )
        const log = createLog()
        const rows = new Map<number, Map<string, string>>([1, 2, 3].map((id) => [id, new Map()]))
        const devices: { readonly bucket: number; readonly device: Device }[] = []
        let version = 0

        const check = (): void => {
          log.write(pending.take())
          expect([pending.size, pending.bytes]).toEqual([0, 0])
          for (const [id, bucket] of log.buckets) {
            expect(bucket.ops.reduce((total, op) => (total + op.checksum) | 0, 0)).toBe(bucket.checksum)
            expect(bucket.ops).toHaveLength(bucket.count)
            const contents = bucket.ops.flatMap((op) => (deserialize(op.doc) as { data?: string }).data ?? [])
            expect(contents.toSorted()).toEqual([...(rows.get(id) ?? new Map<string, string>()).values()].toSorted())
          }
          // Devices that began at each earlier checkpoint, and one that begins now.
          for (const bucket of [1, 2, 3]) devices.push({ bucket, device: { rows: new Map(), rest: 0, position: 0 } })
          for (const { bucket, device } of devices) {
            read(device, log.buckets.get(bucket)?.ops ?? [])
            expect(new Map([...device.rows].map(([id, row]) => [id, row.data]))).toEqual(rows.get(bucket))
            expect(sum(device)).toBe(log.buckets.get(bucket)?.checksum ?? 0)
          }
        }

        for (const one of steps) {
          if (one.kind === 'flush') check()
          else if (one.kind === 'clear') {
            pending.clear(new Set(one.buckets))
            for (const id of one.buckets) rows.get(id)?.clear()
          } else if (one.kind === 'put') {
            const there = rows.get(one.bucket) as Map<string, string>
            const data = `{"v":${++version}}`
            pending.put(one.bucket, 't', one.id, data, !there.has(one.id))
            there.set(one.id, data)
          } else if (rows.get(one.bucket)?.delete(one.id)) pending.remove(one.bucket, 't', one.id)
        }
        check()
      }),
    )
  })

  test('say nothing of a row that comes and goes at once', () => {
    let opId = 0
    const pending = new PendingOps(
      () => ++opId,
      () => opId,
    )
    pending.put(1, 't', 'a', '{}', true)
    pending.remove(1, 't', 'a')
    expect(pending.take()).toMatchObject({ ops: [], superseded: [], cleared: [] })
  })
})
