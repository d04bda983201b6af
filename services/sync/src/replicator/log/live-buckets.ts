import type { Pool } from '@holdfast/postgres'
import type { AppliedBatch, CheckpointFeed } from '../../checkpoints/checkpoint-feed.ts'
import { TOTALS_BUCKETS_MAX } from '../../limits.ts'
import { readBuckets } from '../../storage/bucket-storage.ts'
import type { BucketDelta } from '../../storage/pending-ops.ts'

/** Reads from the log the buckets that streams have, after a batch whose sums were not all in memory, as if the batch had created them. */
export async function readLiveBuckets(
  pool: Pool,
  feed: CheckpointFeed,
): Promise<Pick<AppliedBatch, 'deltas' | 'cleared' | 'fresh'>> {
  const deltas = new Map<number, BucketDelta>()
  const fresh = new Map<number, { readonly name: string }>()
  const asked = new Set<string>()
  for (;;) {
    // Streams that connect during the query may have read the previous state of their buckets.
    const names = feed.liveNames().filter((name) => !asked.has(name))
    if (names.length === 0) return { deltas, cleared: new Set(deltas.keys()), fresh }
    for (let at = 0; at < names.length; at += TOTALS_BUCKETS_MAX) {
      const some = names.slice(at, at + TOTALS_BUCKETS_MAX)
      for (const { id, name, checksum, count, lastOpId, floor } of (await readBuckets(pool, some)).buckets) {
        if (lastOpId <= feed.opId) continue
        deltas.set(id, { checksum, count, lastOpId })
        if (floor > feed.opId) fresh.set(id, { name }) // it begins with this batch
      }
    }
    for (const name of names) asked.add(name)
  }
}
