import type { CheckpointFeed, ReadBuckets } from '../checkpoints/checkpoint-feed.ts'
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

/** Wraps reading of bucket sums: a bucket may be missing because of a plan that has not been applied here yet. */
export function createFollowedBuckets(read: ReadBuckets, follower: Follower): ReadBuckets {
  return async (names) => {
    const found = await read(names)
    if (follower.isFollowing) await follower.caughtUp()
    return found
  }
}
