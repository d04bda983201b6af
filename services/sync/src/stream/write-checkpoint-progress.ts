import type { Lsn } from '@holdfast/replication'
import type { WriteCheckpoint } from '../checkpoints/write-checkpoints.ts'

/** Which write checkpoints a device waits for. */
export interface WriteCheckpointProgress {
  /** Whether those that were made before the session are known. */
  readonly isRead: boolean
  /** Those whose position the log has not reached. */
  readonly pending: readonly WriteCheckpoint[]
  /** The newest one that the log has passed. */
  readonly passed: bigint | undefined
}

const NONE: readonly WriteCheckpoint[] = []

// Shared by all devices that have not written.
export const NOTHING_READ: WriteCheckpointProgress = { isRead: false, pending: NONE, passed: undefined }
const NOTHING_PENDING: WriteCheckpointProgress = { isRead: true, pending: NONE, passed: undefined }

/** The device has asked for another one. */
export function afterAsked(progress: WriteCheckpointProgress, checkpoint: WriteCheckpoint): WriteCheckpointProgress {
  return { ...progress, pending: [...progress.pending, checkpoint] }
}

/** The newest one from before the session was read, if there is one. */
export function afterRead(
  progress: WriteCheckpointProgress,
  newest: WriteCheckpoint | undefined,
): WriteCheckpointProgress {
  if (newest) return { ...afterAsked(progress, newest), isRead: true }
  return progress.pending.length === 0 ? NOTHING_PENDING : { ...progress, isRead: true }
}

/** Everything before this position is in the log. */
export function afterPosition(progress: WriteCheckpointProgress, position: Lsn): WriteCheckpointProgress {
  if (progress.pending.length === 0) return progress
  const pending = progress.pending.filter((checkpoint) => checkpoint.lsn > position)
  if (pending.length === progress.pending.length) return progress
  let { passed } = progress
  for (const { id, lsn } of progress.pending) {
    if (lsn <= position && (passed === undefined || id > passed)) passed = id
  }
  return { ...progress, pending: pending.length > 0 ? pending : NONE, passed }
}
