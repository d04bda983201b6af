import { COMPACTED_BUCKETS_MAX, COMPACTED_STEPS_MAX } from '../limits.ts'

/** A step that merged superseded operations of one bucket in `[low, high]` into one at `high`. */
interface Step {
  readonly number: number
  readonly low: number
  readonly high: number
}

/**
 * Recent compaction steps, so that a running download need not restart after each: a step affects only a device that has some, but not all, of the merged
 * operations.
 */
export interface Compactions {
  /** Call before committing the step. */
  note(bucketId: number, step: Step): void
  /** Whether a step in `(since, upTo]` affects, or may affect, a device at `position`. */
  matters(bucketId: number, since: number, upTo: number, position: number): boolean
}

export function createCompactions(): Compactions {
  const buckets = new Map<number, Step[]>()
  return {
    note(bucketId, step) {
      // A step that failed to commit is repeated with the same number.
      const steps = (buckets.get(bucketId) ?? []).filter((other) => other.number < step.number)
      buckets.delete(bucketId) // moves the bucket to the end of the order
      buckets.set(bucketId, [...steps, step].slice(-COMPACTED_STEPS_MAX))
      if (buckets.size <= COMPACTED_BUCKETS_MAX) return
      const [oldest] = buckets.keys()
      if (oldest !== undefined) buckets.delete(oldest)
    },
    matters(bucketId, since, upTo, position) {
      if (since === upTo) return false
      const steps = (buckets.get(bucketId) ?? []).filter((step) => step.number > since && step.number <= upTo)
      if (steps.length < upTo - since) return true // some steps have been forgotten
      return steps.some((step) => step.low <= position && position < step.high)
    },
  }
}
