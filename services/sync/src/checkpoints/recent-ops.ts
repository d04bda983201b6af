import { encodedOps, type EncodedOps } from '../encode/lines.ts'
import { RECENT_BYTES_MAX } from '../limits.ts'
import { supersededDoc } from '../storage/pending-ops.ts'
import type { AppliedBatch, RecentOp } from './live-bucket.ts'

/** The operations of one bucket in one batch. */
interface Segment {
  readonly ops: readonly RecentOp[]
  readonly encoded: EncodedOps
  readonly hasRemovals: boolean
}

interface RecentBatch {
  /** The log's last operation before and after the batch. */
  readonly fromOpId: number
  readonly toOpId: number
  readonly bytes: number
  readonly segments: ReadonlyMap<number, Segment>
}

/** The newest batches in memory, from which live changes are sent without reading the log. */
export interface RecentOps {
  /** @param ops - `undefined` for a batch too large to keep, which readers have to read from the log */
  add(batch: Pick<AppliedBatch, 'fromOpId' | 'toOpId' | 'taken'>): void
  /**
   * Returns a bucket's operations in `(after, upTo]`; `undefined` if not all are in memory. Versions superseded within the range have no content. From 0,
   * removals name no row, because the device has none.
   */
  read(bucketId: number, after: number, upTo: number): EncodedOps | undefined
}

export function createRecentOps(bytesMax = RECENT_BYTES_MAX): RecentOps {
  const batches: RecentBatch[] = []
  let bytes = 0

  function evict(): void {
    let dropped = 0
    while (bytes > bytesMax && dropped < batches.length) bytes -= (batches[dropped++] as RecentBatch).bytes
    if (dropped > 0) batches.splice(0, dropped)
  }

  return {
    add({ fromOpId, toOpId, taken }) {
      if (!taken) {
        batches.length = 0
        bytes = 0
        return
      }
      const byBucket = new Map<number, RecentOp[]>()
      let size = 200
      for (const op of taken.ops) {
        const list = byBucket.get(op.bucketId)
        if (list) list.push(op)
        else byBucket.set(op.bucketId, [op])
        size += op.doc.length + 150
      }
      const segments = new Map<number, Segment>()
      for (const [bucketId, ops] of byBucket) {
        segments.set(bucketId, {
          ops,
          encoded: encodedOps(
            ops.map((op) => op.doc),
            (ops.at(-1) as RecentOp).opId,
          ),
          hasRemovals: ops.some(isRemoval),
        })
      }
      batches.push({ fromOpId, toOpId, bytes: size, segments })
      bytes += size
      evict()
    },
    read(bucketId, after, upTo) {
      const first = batches[0]
      if (!first || first.fromOpId > after) return undefined
      const found: Segment[] = []
      let isWhole = true
      // The range is nearly always the last one or two batches, so search from the end.
      for (let index = batches.length - 1; index >= 0; index--) {
        const batch = batches[index] as RecentBatch
        if (batch.toOpId <= after) break
        if (batch.toOpId > upTo) continue
        const segment = batch.segments.get(bucketId)
        if (!segment) continue
        found.unshift(segment)
        if (batch.fromOpId < after) isWhole = false // a device that disconnected in the middle of the batch
      }
      const [only] = found
      if (!only) return undefined
      const fromStart = after === 0
      if (found.length === 1 && isWhole && !(fromStart && only.hasRemovals)) return only.encoded
      const ops = found.flatMap((segment) => segment.ops)
      return merge(isWhole ? ops : ops.filter((op) => op.opId > after), fromStart)
    },
  }
}

function isRemoval(op: RecentOp): boolean {
  return !op.isPut && op.objectId !== undefined
}

/** Joins batches, keeping only the newest content of each row. */
function merge(ops: readonly RecentOp[], fromStart: boolean): EncodedOps | undefined {
  const last = ops.at(-1)
  if (!last) return undefined
  const newest = new Set<string>()
  const docs: Buffer[] = []
  for (const op of ops.toReversed()) {
    const key = op.objectId
    if (key === undefined) {
      docs.push(op.doc) // CLEAR: what precedes it is obsolete
      break
    }
    const isOld = newest.has(key)
    newest.add(key)
    docs.push(isOld || (fromStart && isRemoval(op)) ? supersededDoc(op) : op.doc)
  }
  return encodedOps(docs.toReversed(), last.opId)
}
