import { clearDoc, moveDoc, opChecksum, removeDoc, rowKey } from '../encode/op-doc.ts'
import { createOpRows, docOf, keyOf, type OpRow } from './op-row.ts'

/** An operation on its way into the log. */
export interface PendingOp {
  readonly row: OpRow
  readonly opId: number
  readonly bucketId: number
  readonly checksum: number
  /** The row that it is about; `undefined` for CLEAR. */
  readonly objectId: string | undefined
  /** A PUT: this is the row's newest version in the bucket. */
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
  /** Rows whose stored newest version is superseded by this chunk. */
  readonly superseded: readonly { readonly bucketId: number; readonly key: Buffer }[]
  /** Buckets whose stored operations are all to be deleted. */
  readonly cleared: readonly number[]
  readonly deltas: ReadonlyMap<number, BucketDelta>
  readonly lastOpId: number
}

/** A class for its getters: a large transaction has millions, and most are never asked for what they would make. */
class Op implements PendingOp {
  readonly row: OpRow
  readonly opId: number
  readonly bucketId: number
  readonly objectId: string | undefined
  readonly isPut: boolean
  /** The row was not in the bucket before this chunk. */
  readonly isFresh: boolean
  /** A later one of the same chunk has taken its place. */
  isDropped = false
  /** The operation of the same row, or another of the same id, in another bucket. */
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
 * Collects the operations of one or more whole transactions, in order. Only the last version of a row within a bucket is kept: what was superseded
 * before anybody could see it never existed for devices.
 *
 * A class: its methods run for every row, and a large transaction has millions.
 *
 * @param nextOpId - hands out ids in ascending order
 */
export class PendingOps {
  readonly #nextOpId: () => number
  readonly #lastOpId: () => number
  readonly #rows = createOpRows()
  #ops: Op[] = []
  /** The newest operation of each row, by its id; those in several buckets in a chain. */
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

  /** @param isNew - the row was not in this bucket before (so nothing has to be superseded) */
  put(bucketId: number, objectType: string, objectId: string, data: string, isNew: boolean): void {
    this.#add(bucketId, objectType, objectId, data, isNew)
  }

  remove(bucketId: number, objectType: string, objectId: string): void {
    this.#add(bucketId, objectType, objectId, undefined, false)
  }

  /** Empties buckets: everything before it is gone, on the server too. */
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

  /** Whether a bucket has a row, as far as what was collected tells; `undefined`: as the log has it. */
  holds(bucketId: number, objectId: string): boolean | undefined {
    const op = find(this.#newest.get(objectId), bucketId)
    return op?.isPut ?? (this.#cleared.includes(bucketId) ? false : undefined)
  }

  /** Takes what was collected and starts from scratch. */
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
      this.#drop(earlier) // the version that this chunk itself holds
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

/** The tombstone that an operation turns into when a later one supersedes it. */
export function supersededDoc(op: PendingOp): Buffer {
  return moveDoc(op.opId, op.checksum)
}
