import type { CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import type { Lookups } from '../checkpoints/lookups.ts'
import type { LogReader } from '../storage/log-reader.ts'
import type { Follower } from './follower.ts'

/**
 * Wraps a log reader for a process that may follow: the log may be ahead of what has been applied here, so operations that were read may lack versions
 * superseded since. Waits until it is known which, and passes on the floors of compaction.
 */
export function createFollowedLog(
  log: LogReader,
  { follower, feed }: { readonly follower: Follower; readonly feed: Pick<CheckpointFeed, 'compact'> },
): LogReader {
  return {
    async read(input) {
      const slices = await log.read(input)
      if (!follower.isFollowing) return slices
      await follower.caughtUp()
      for (const { bucketId, floor } of slices) if (floor > 0) feed.compact(bucketId, floor)
      return slices
    },
    [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
  }
}

/**
 * Wraps lookups of starting streams. A bucket may be missing because of a plan that has not been applied here yet, and a device that comes from another server
 * may have more than what has been applied here.
 */
export function createFollowedLookups({ readBuckets, readWriteCheckpoint }: Lookups, follower: Follower): Lookups {
  return {
    async readBuckets(names) {
      const found = await readBuckets(names)
      await follower.caughtUp()
      return found
    },
    async readWriteCheckpoint(device) {
      const found = await readWriteCheckpoint(device)
      await follower.caughtUp()
      return found
    },
  }
}
