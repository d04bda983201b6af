import type { BucketDescription, ControlLine } from '@holdfast/protocol'
import type { HeldBucket } from './send-ops.ts'
import type { ChosenStreams } from './wanted-streams.ts'

/** A checkpoint, and the buckets whose operations have to follow it. */
export interface NextCheckpoint {
  readonly line: ControlLine
  /** What has to be sent, first things first. After each but the last the device may show what it has. */
  readonly groups: readonly PriorityGroup[]
  readonly opId: number
}

export interface PriorityGroup {
  readonly priority: number
  readonly buckets: readonly HeldBucket[]
}

/** Whether the device knows why, and how urgently, it has the bucket. */
export function isDescribed({ grant, described }: HeldBucket): boolean {
  return grant.text === described?.text
}

/** A bucket in a checkpoint line. */
export function describeBucket({ bucket, grant }: HeldBucket): BucketDescription {
  return {
    bucket: bucket.name,
    checksum: bucket.checksum,
    count: bucket.count,
    priority: grant.priority,
    subscriptions: grant.subscriptions,
  }
}

/** @param isFull - also the priorities at which there is nothing to send: the device waits for each of them */
export function groupByPriority(
  buckets: readonly HeldBucket[],
  isFull: boolean,
  { wants }: ChosenStreams,
): readonly PriorityGroup[] {
  const groups = Map.groupBy(buckets, (entry) => entry.grant.priority)
  const wanted = isFull ? wants.flatMap(({ reasons }) => reasons.map(({ priority }) => priority)) : []
  return [...new Set([...groups.keys(), ...wanted])]
    .toSorted((one, other) => one - other)
    .map((priority) => ({ priority, buckets: groups.get(priority) ?? [] }))
}

/** Whether a line tells no more than what buckets have changed. */
export function isPlainDiff(line: ControlLine): boolean {
  return 'checkpoint_diff' in line && line.checkpoint_diff.removed_buckets.length === 0
}
