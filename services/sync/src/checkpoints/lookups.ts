import { createBatcher } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { LOOKED_UP_TOGETHER_MAX } from '../limits.ts'
import { readBuckets, type BucketState } from '../storage/bucket-storage.ts'
import type { ReadBuckets } from './checkpoint-feed.ts'
import { readWriteCheckpoints, type Device, type WriteCheckpoint } from './write-checkpoints.ts'

/** Log lookups of starting streams, coalesced for concurrent devices. */
export interface Lookups {
  readonly readBuckets: ReadBuckets
  readonly readWriteCheckpoint: (device: Device) => Promise<WriteCheckpoint | undefined>
}

export function createLookups(pool: Pool): Lookups {
  const options = { concurrency: 2, batchMax: LOOKED_UP_TOGETHER_MAX }
  return {
    readBuckets: createBatcher({
      ...options,
      async run(questions: readonly (readonly string[])[]) {
        const { atOpId, buckets } = await readBuckets(pool, [...new Set(questions.flat())])
        if (questions.length === 1) return [{ atOpId, buckets }]
        const byName = new Map(buckets.map((bucket) => [bucket.name, bucket]))
        const pick = (name: string): readonly BucketState[] => {
          const bucket = byName.get(name)
          return bucket ? [bucket] : []
        }
        return questions.map((names) => ({ atOpId, buckets: names.flatMap(pick) }))
      },
    }),
    readWriteCheckpoint: createBatcher({
      ...options,
      run: (devices: readonly Device[]) => readWriteCheckpoints(pool, devices),
    }),
  }
}
