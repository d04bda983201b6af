import { clearDoc, moveDoc, opChecksum, removeDoc, rowKey } from '../encode/op-doc.ts'
import { createOpRows, docOf, keyOf, type OpRow } from './op-row.ts'

/** An operation to be written to the log. */
export interface PendingOp {
  readonly row: OpRow
  readonly opId: number
  readonly bucketId: number
  readonly checksum: number
  /** The affected row; `undefined` for CLEAR. */
  readonly objectId: string | undefined
  /** Whether this is a PUT, the row's newest version in the bucket. */
  readonly isPut: boolean
  /** For a PUT, the row's identity within the bucket. */
  readonly key: Buffer | undefined
  readonly doc: Buffer
}

/** Changes of an operation chunk to one bucket. */
export interface BucketDelta {
  checksum: number
  count: number
  lastOpId: number
}

export interface TakenOps {
  readonly ops: readonly PendingOp[]
  /** Rows whose stored newest version is superseded. */
  readonly superseded: readonly { readonly bucketId: number; readonly key: Buffer }[]
  /** Buckets whose stored operations are all deleted. */
  readonly cleared: readonly number[]
  readonly deltas: ReadonlyMap<number, BucketDelta>
  readonly lastOpId: number
}

/** A class because of its getters: a large transaction has millions of operations, and most are never asked for derived values. */
class Op implements PendingOp {
  readonly row: OpRow
  readonly opId: number
  readonly bucketId: number
  readonly objectId: string | undefined
  readonly isPut: boolean
  /** Whether the row was not in the bucket before this chunk. */
  readonly isFresh: boolean
  /** Whether a later operation in the same chunk replaced it. */
  isDropped = false
  /** The operation of a row with the same id in another bucket. */
  next: Op | undefined

  constructor(
    row: OpRow,
    opId: number,
    bucketId: number,
    objectId: string | undefined,
    isPut: boolean,
    isFresh: boolean,
    next: Op | undefined,
  ) {
    this.row = row
    this.opId = opId
    this.bucketId = bucketId
    this.objectId = objectId
    this.isPut = isPut
    this.isFresh = isFresh
    this.next = next
  }
  get checksum(): number {
    return this.row.checksum
  }
  get key(): Buffer | undefined {
    return this.isPut ? keyOf(this.row) : undefined
  }
  get doc(): Buffer {
    return docOf(this.row)
  }
}

/**
 * Collects operations of whole transactions, in order. Keeps only the last version of a row per bucket: versions superseded before they were visible never
 * existed for devices.
 * A class because its methods run for every row, and a large transaction has millions.
 *
 * @param nextOpId - returns ids in ascending order
 */
export class PendingOps {
  readonly #nextOpId: () => number
  readonly #lastOpId: () => number
  readonly #rows = createOpRows()
  #ops: Op[] = []
  /** The newest operation of each row by row id, chained across buckets. */
  #newest = new Map<string, Op>()
  #superseded: { bucketId: number; key: Buffer }[] = []
  #cleared: number[] = []
  #bytes = 0
  #size = 0

  constructor(nextOpId: () => number, lastOpId: () => number) {
    this.#nextOpId = nextOpId
    this.#lastOpId = lastOpId
  }

  get bytes(): number {
    return this.#bytes
  }
  get size(): number {
    return this.#size
  }

  /** @param isNew - the row was not in this bucket before, so nothing is superseded */
  put(bucketId: number, objectType: string, objectId: string, data: string, isNew: boolean): void {
    this.#add(bucketId, objectType, objectId, data, isNew)
  }

  remove(bucketId: number, objectType: string, objectId: string): void {
    this.#add(bucketId, objectType, objectId, undefined, false)
  }

  /** Empties buckets: all earlier operations are deleted, including stored ones. */
  clear(bucketIds: ReadonlySet<number>): void {
    for (const op of this.#ops) {
      if (op.isDropped || !bucketIds.has(op.bucketId)) continue
      this.#drop(op)
      if (op.objectId !== undefined) this.#setNewest(op.objectId, without(this.#newest.get(op.objectId), op.bucketId))
    }
    this.#superseded = this.#superseded.filter((entry) => !bucketIds.has(entry.bucketId))
    for (const bucketId of bucketIds) {
      this.#cleared.push(bucketId)
      const opId = this.#nextOpId()
      const checksum = opChecksum(opId, '')
      const row = this.#rows.bare(opId, bucketId, checksum, clearDoc(opId, checksum))
      this.#push(new Op(row, opId, bucketId, undefined, false, false, undefined))
    }
  }

  /** Whether a bucket contains a row according to the collected operations; `undefined` if only the log can tell. */
  holds(bucketId: number, objectId: string): boolean | undefined {
    const op = find(this.#newest.get(objectId), bucketId)
    return op?.isPut ?? (this.#cleared.includes(bucketId) ? false : undefined)
  }

  /** Returns the collected operations and starts over. */
  take(): TakenOps {
    const ops = this.#size === this.#ops.length ? this.#ops : this.#ops.filter((op) => !op.isDropped)
    const taken: TakenOps = {
      ops,
      superseded: this.#superseded,
      cleared: this.#cleared,
      deltas: sums(ops),
      lastOpId: this.#lastOpId(),
    }
    this.#ops = []
    this.#newest = new Map()
    this.#superseded = []
    this.#cleared = []
    this.#bytes = 0
    this.#size = 0
    return taken
  }

  #add(bucketId: number, objectType: string, objectId: string, data: string | undefined, isNew: boolean): void {
    let chain = this.#newest.get(objectId)
    const earlier = find(chain, bucketId)
    const isFresh = earlier ? earlier.isFresh : isNew
    if (earlier) {
      this.#drop(earlier) // the version from this chunk
      chain = without(chain, bucketId)
    } else if (!isNew) this.#superseded.push({ bucketId, key: rowKey(objectId) })
    if (data === undefined && isFresh) {
      // It was inserted and deleted within the chunk.
      this.#setNewest(objectId, chain)
      return
    }
    const opId = this.#nextOpId()
    const row =
      data === undefined
        ? this.#removal(opId, bucketId, objectType, objectId)
        : this.#rows.put(opId, bucketId, objectType, objectId, data)
    const op = new Op(row, opId, bucketId, objectId, data !== undefined, isFresh, chain)
    this.#push(op)
    this.#newest.set(objectId, op)
  }

  #removal(opId: number, bucketId: number, objectType: string, objectId: string): OpRow {
    const checksum = opChecksum(opId, rowKey(objectId))
    return this.#rows.bare(opId, bucketId, checksum, removeDoc(opId, objectType, objectId, checksum))
  }

  #push(op: Op): void {
    this.#bytes += op.row.end - op.row.docStart
    this.#size++
    this.#ops.push(op)
  }

  #drop(op: Op): void {
    op.isDropped = true
    this.#bytes -= op.row.end - op.row.docStart
    this.#size--
  }

  #setNewest(objectId: string, chain: Op | undefined): void {
    if (chain) this.#newest.set(objectId, chain)
    else this.#newest.delete(objectId)
  }
}

/** @returns the operation of one bucket in a chain */
function find(chain: Op | undefined, bucketId: number): Op | undefined {
  let op = chain
  while (op && op.bucketId !== bucketId) op = op.next
  return op
}

/** @returns the chain without the operation of one bucket */
function without(first: Op | undefined, bucketId: number): Op | undefined {
  if (first?.bucketId === bucketId) return first.next
  let before = first
  while (before?.next && before.next.bucketId !== bucketId) before = before.next
  if (before?.next) before.next = before.next.next
  return first
}

function sums(ops: readonly Op[]): Map<number, BucketDelta> {
  const deltas = new Map<number, BucketDelta>()
  let bucketId: number | undefined
  let delta: BucketDelta = { checksum: 0, count: 0, lastOpId: 0 }
  for (const op of ops) {
    if (op.bucketId !== bucketId) {
      bucketId = op.bucketId
      const known = deltas.get(bucketId)
      delta = known ?? { checksum: 0, count: 0, lastOpId: 0 }
      if (!known) deltas.set(bucketId, delta)
    }
    delta.checksum = (delta.checksum + op.checksum) | 0
    delta.count++
    delta.lastOpId = op.opId
  }
  return deltas
}

/** Returns the document of a superseded operation, which replaces its content. */
export function supersededDoc(op: Pick<PendingOp, 'opId' | 'checksum'>): Buffer {
  return moveDoc(op.opId, op.checksum)
}
