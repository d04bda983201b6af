import type { BucketDescription, ControlLine, StreamDescription } from '@holdfast/protocol'
import type { HeldBucket } from './send-ops.ts'
import type { ChosenStreams } from './wanted-streams.ts'

/** A checkpoint and the buckets whose operations must follow it. */
export interface NextCheckpoint {
  readonly line: ControlLine
  /** Buckets to send, most urgent first. After each group but the last, the device may show its data. */
  readonly groups: readonly PriorityGroup[]
  readonly opId: number
  /** The write checkpoint included in it. */
  readonly writeCheckpoint: bigint | undefined
}

export interface PriorityGroup {
  readonly priority: number
  readonly buckets: readonly HeldBucket[]
}

/** What previous checkpoints announced to the device. */
export interface ToldState {
  /** `undefined` before the first checkpoint. */
  readonly streams: readonly StreamDescription[] | undefined
  readonly writeCheckpoint: bigint | undefined
}

// Shared by all sessions that have sent nothing.
export const NOTHING_TOLD: ToldState = { streams: undefined, writeCheckpoint: undefined }

/** What the next checkpoint must announce. */
export interface Untold {
  readonly opId: number
  readonly chosen: ChosenStreams
  readonly streams: readonly StreamDescription[]
  readonly writeCheckpoint: bigint | undefined
  /** Buckets that are new to the device or have changed. */
  readonly changed: readonly HeldBucket[]
  /** Names of buckets that the device must drop. */
  readonly removed: readonly string[]
  /** Whether the previous checkpoint could not be completed, so another must follow in any case. */
  readonly isPending: boolean
  /** All buckets that the device knows. */
  announced(): readonly HeldBucket[]
}

/** Builds the checkpoint with everything not announced yet. @returns `undefined` if there is nothing new */
export function nextCheckpoint(
  told: ToldState,
  untold: Untold,
): { readonly checkpoint: NextCheckpoint; readonly told: ToldState } | undefined {
  const { opId, chosen, streams, writeCheckpoint, changed, removed } = untold
  // Only a full checkpoint can announce other streams.
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

/** Whether the device knows the bucket's current priority and subscriptions. */
export function isDescribed({ grant, described }: HeldBucket): boolean {
  return grant.text === described?.text
}

/** Describes a bucket in a checkpoint line. */
function describeBucket({ bucket, grant }: HeldBucket): BucketDescription {
  return {
    bucket: bucket.name,
    checksum: bucket.checksum,
    count: bucket.count,
    priority: grant.priority,
    subscriptions: grant.subscriptions,
  }
}

/** @param isFull - whether to include priorities without operations, which the device waits for */
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

/** Whether a line only announces changed buckets. */
export function isPlainDiff(line: ControlLine): boolean {
  return 'checkpoint_diff' in line && line.checkpoint_diff.removed_buckets.length === 0
}
