import type { BucketDescription, ControlLine, StreamDescription } from '@holdfast/protocol'
import type { HeldBucket } from './send-ops.ts'
import type { ChosenStreams } from './wanted-streams.ts'

/** A checkpoint, and the buckets whose operations have to follow it. */
export interface NextCheckpoint {
  readonly line: ControlLine
  /** What has to be sent, first things first. After each but the last the device may show what it has. */
  readonly groups: readonly PriorityGroup[]
  readonly opId: number
  /** The write checkpoint that it carries. */
  readonly writeCheckpoint: bigint | undefined
}

export interface PriorityGroup {
  readonly priority: number
  readonly buckets: readonly HeldBucket[]
}

/** What the device was told by the checkpoints before. */
export interface ToldState {
  /** `undefined`: no checkpoint was sent. */
  readonly streams: readonly StreamDescription[] | undefined
  readonly writeCheckpoint: bigint | undefined
}

// Shared by all sessions that have sent nothing.
export const NOTHING_TOLD: ToldState = { streams: undefined, writeCheckpoint: undefined }

/** What the device has to be told at the newest checkpoint. */
export interface Untold {
  readonly opId: number
  readonly chosen: ChosenStreams
  readonly streams: readonly StreamDescription[]
  readonly writeCheckpoint: bigint | undefined
  /** Buckets that are new to the device or have changed. */
  readonly changed: readonly HeldBucket[]
  /** Names of buckets that it has no more. */
  readonly removed: readonly string[]
  /** Whether the checkpoint before could not be completed, so that this one has to follow in any case. */
  readonly isPending: boolean
  /** All buckets that the device knows of. */
  announced(): readonly HeldBucket[]
}

/**
 * Makes the checkpoint that leads from what the device was told to what there is to tell.
 *
 * @returns `undefined` when there is nothing new
 */
export function nextCheckpoint(
  told: ToldState,
  untold: Untold,
): { readonly checkpoint: NextCheckpoint; readonly told: ToldState } | undefined {
  const { opId, chosen, streams, writeCheckpoint, changed, removed } = untold
  // A diff cannot tell of other streams.
  const isFull = told.streams !== streams && JSON.stringify(told.streams) !== JSON.stringify(streams)
  const isNews = changed.length > 0 || removed.length > 0 || writeCheckpoint !== told.writeCheckpoint
  if (!isFull && !isNews && !untold.isPending) return undefined
  const common = {
    last_op_id: String(opId),
    ...(writeCheckpoint === undefined ? {} : { write_checkpoint: String(writeCheckpoint) }),
  }
  const line: ControlLine = isFull
    ? { checkpoint: { ...common, buckets: untold.announced().map(describeBucket), streams } }
    : { checkpoint_diff: { ...common, removed_buckets: removed, updated_buckets: changed.map(describeBucket) } }
  return {
    checkpoint: { line, groups: groupByPriority(changed, isFull, chosen), opId, writeCheckpoint },
    told: { streams, writeCheckpoint },
  }
}

/** Whether the device knows why, and how urgently, it has the bucket. */
export function isDescribed({ grant, described }: HeldBucket): boolean {
  return grant.text === described?.text
}

/** A bucket in a checkpoint line. */
function describeBucket({ bucket, grant }: HeldBucket): BucketDescription {
  return {
    bucket: bucket.name,
    checksum: bucket.checksum,
    count: bucket.count,
    priority: grant.priority,
    subscriptions: grant.subscriptions,
  }
}

/** @param isFull - also the priorities at which there is nothing to send: the device waits for each of them */
function groupByPriority(
  buckets: readonly HeldBucket[],
  isFull: boolean,
  { subscriptions }: ChosenStreams,
): readonly PriorityGroup[] {
  const groups = Map.groupBy(buckets, (entry) => entry.grant.priority)
  const wanted = isFull ? subscriptions.flatMap(({ reasons }) => reasons.map(({ priority }) => priority)) : []
  return [...new Set([...groups.keys(), ...wanted])]
    .toSorted((one, other) => one - other)
    .map((priority) => ({ priority, buckets: groups.get(priority) ?? [] }))
}

/** Whether a line tells no more than what buckets have changed. */
export function isPlainDiff(line: ControlLine): boolean {
  return 'checkpoint_diff' in line && line.checkpoint_diff.removed_buckets.length === 0
}
