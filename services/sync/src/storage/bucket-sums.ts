import type { BucketDelta, TakenOps } from './pending-ops.ts'

/** Changes of a batch to its buckets, accumulated until written. */
export interface BucketSums {
  add(taken: TakenOps): void
  /** Number of buckets. */
  readonly size: number
  take(): TakenSums
}

export interface TakenSums {
  readonly deltas: ReadonlyMap<number, BucketDelta>
  /** Buckets whose earlier operations are all deleted. */
  readonly cleared: ReadonlySet<number>
}

export function createBucketSums(): BucketSums {
  let deltas = new Map<number, BucketDelta>()
  let cleared = new Set<number>()
  return {
    add(taken) {
      for (const id of taken.cleared) {
        cleared.add(id)
        deltas.delete(id)
      }
      for (const [id, delta] of taken.deltas) {
        const sum = deltas.get(id)
        if (sum) {
          sum.checksum = (sum.checksum + delta.checksum) | 0
          sum.count += delta.count
          sum.lastOpId = delta.lastOpId
        } else {
          deltas.set(id, { ...delta })
        }
      }
    },
    get size() {
      return deltas.size
    },
    take() {
      const taken = { deltas, cleared }
      deltas = new Map()
      cleared = new Set()
      return taken
    },
  }
}
