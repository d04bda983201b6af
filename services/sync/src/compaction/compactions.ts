import { COMPACTED_BUCKETS_MAX, COMPACTED_STEPS_MAX } from '../limits.ts'

/** Superseded operations of one bucket in `[low, high]` that became one, at `high`. */
interface Step {
  readonly number: number
  readonly low: number
  readonly high: number
}

/**
 * What compaction has done to buckets lately, so that a download from the start that is under way need not begin again for each step: a step matters
 * only to a device that has some but not all of the operations that became one.
 */
export interface Compactions {
  /** Called before the step is committed. */
  note(bucketId: number, step: Step): void
  /** Whether a step in `(since, upTo]` matters to a device that stands at `position`, or may. */
  matters(bucketId: number, since: number, upTo: number, position: number): boolean
}

export function createCompactions(): Compactions {
  const buckets = new Map<number, Step[]>()
  return {
    note(bucketId, step) {
      // A step that was not committed is made again under the same number.
      const steps = (buckets.get(bucketId) ?? []).filter((other) => other.number < step.number)
      buckets.delete(bucketId) // to the end of the order
      buckets.set(bucketId, [...steps, step].slice(-COMPACTED_STEPS_MAX))
      if (buckets.size <= COMPACTED_BUCKETS_MAX) return
      const [oldest] = buckets.keys()
      if (oldest !== undefined) buckets.delete(oldest)
    },
    matters(bucketId, since, upTo, position) {
      if (since === upTo) return false
      const steps = (buckets.get(bucketId) ?? []).filter((step) => step.number > since && step.number <= upTo)
      if (steps.length < upTo - since) return true // not known any more
      return steps.some((step) => step.low <= position && position < step.high)
    },
  }
}
