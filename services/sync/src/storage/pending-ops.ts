import { clearDoc, moveDoc, opChecksum, putDoc, removeDoc, rowKey } from '../encode/op-doc.ts'

/** An operation on its way into the log. */
export interface PendingOp {
  readonly opId: number
  readonly bucketId: number
  readonly checksum: number
  /** Present for PUT: this is the row's newest version in the bucket. */
  readonly key: Buffer | undefined
  /** The row that it is about; `undefined` for CLEAR. */
  readonly objectId: string | undefined
  readonly doc: Buffer
}

/** What a chunk of operations changes about one bucket. */
export interface BucketDelta {
  checksum: number
  count: number
  lastOpId: number
}

interface Slot {
  readonly bucketId: number
  readonly key: Buffer
  /** Position in the list of operations. */
  readonly index: number
  /** The row was not in the bucket before this chunk. */
  readonly fresh: boolean
}

/**
 * Collects the operations of one or more whole transactions, in order. Only the last version of a row within a bucket is kept: what was superseded
 * before anybody could see it never existed for devices.
 */
export interface PendingOps {
  /** @param isNew - the row was not in this bucket before (so nothing has to be superseded) */
  put(bucketId: number, objectType: string, objectId: string, data: string, isNew: boolean): void
  remove(bucketId: number, objectType: string, objectId: string): void
  /** Empties buckets: everything before it is gone, on the server too. */
  clear(bucketIds: ReadonlySet<number>): void
  readonly bytes: number
  readonly size: number
  /** Takes what was collected and starts anew. */
  take(): TakenOps
}

export interface TakenOps {
  readonly ops: readonly PendingOp[]
  /** Rows whose stored newest version is superseded by this chunk. */
  readonly superseded: readonly { readonly bucketId: number; readonly key: Buffer }[]
  /** Buckets whose stored operations are all to be deleted. */
  readonly cleared: readonly number[]
  readonly deltas: ReadonlyMap<number, BucketDelta>
  readonly lastOpId: number
}

/** @param nextOpId - hands out ids in ascending order */
export function createPendingOps(nextOpId: () => number, lastOpId: () => number): PendingOps {
  let ops: (PendingOp | undefined)[] = []
  let slots = new Map<string, Slot>()
  let superseded: { bucketId: number; key: Buffer }[] = []
  let cleared: number[] = []
  let bytes = 0
  let size = 0

  /** Drops the version that this chunk itself holds. @returns whether a stored version may exist */
  function supersede(slotName: string, bucketId: number, key: Buffer, isNew: boolean): boolean {
    const earlier = slots.get(slotName)
    if (earlier) {
      const dropped = ops[earlier.index]
      if (dropped) {
        bytes -= dropped.doc.length
        size--
        ops[earlier.index] = undefined
      }
      return !earlier.fresh
    }
    if (isNew) return false
    superseded.push({ bucketId, key })
    return true
  }

  function push(op: PendingOp): number {
    bytes += op.doc.length
    size++
    return ops.push(op) - 1
  }

  return {
    put(bucketId, objectType, objectId, data, isNew) {
      const slotName = `${bucketId}/${objectId}`
      const key = rowKey(objectId)
      const existed = supersede(slotName, bucketId, key, isNew)
      const opId = nextOpId()
      const checksum = opChecksum(opId, data)
      const index = push({
        opId,
        bucketId,
        checksum,
        key,
        objectId,
        doc: putDoc(opId, objectType, objectId, data, checksum),
      })
      slots.set(slotName, { bucketId, key, index, fresh: !existed })
    },
    remove(bucketId, objectType, objectId) {
      const slotName = `${bucketId}/${objectId}`
      const key = rowKey(objectId)
      if (!supersede(slotName, bucketId, key, false)) {
        slots.delete(slotName)
        return
      }
      const opId = nextOpId()
      const checksum = opChecksum(opId, key)
      const index = push({
        opId,
        bucketId,
        checksum,
        key: undefined,
        objectId,
        doc: removeDoc(opId, objectType, objectId, checksum),
      })
      slots.set(slotName, { bucketId, key, index, fresh: false })
    },
    clear(bucketIds) {
      for (const [name, slot] of slots) if (bucketIds.has(slot.bucketId)) slots.delete(name)
      for (let index = 0; index < ops.length; index++) {
        const op = ops[index]
        if (!op || !bucketIds.has(op.bucketId)) continue
        bytes -= op.doc.length
        size--
        ops[index] = undefined
      }
      superseded = superseded.filter((entry) => !bucketIds.has(entry.bucketId))
      for (const bucketId of bucketIds) {
        cleared.push(bucketId)
        const opId = nextOpId()
        const checksum = opChecksum(opId, '')
        push({ opId, bucketId, checksum, key: undefined, objectId: undefined, doc: clearDoc(opId, checksum) })
      }
    },
    get bytes() {
      return bytes
    },
    get size() {
      return size
    },
    take() {
      const kept = ops.filter((op) => op !== undefined)
      const deltas = new Map<number, BucketDelta>()
      for (const op of kept) {
        const delta = deltas.get(op.bucketId)
        if (delta) {
          delta.checksum = (delta.checksum + op.checksum) | 0
          delta.count++
          delta.lastOpId = op.opId
        } else {
          deltas.set(op.bucketId, { checksum: op.checksum, count: 1, lastOpId: op.opId })
        }
      }
      const taken: TakenOps = { ops: kept, superseded, cleared, deltas, lastOpId: lastOpId() }
      ops = []
      slots = new Map()
      superseded = []
      cleared = []
      bytes = 0
      size = 0
      return taken
    },
  }
}

/** The tombstone that an operation turns into when a later one supersedes it. */
export function supersededDoc(op: PendingOp): Buffer {
  return moveDoc(op.opId, op.checksum)
}
