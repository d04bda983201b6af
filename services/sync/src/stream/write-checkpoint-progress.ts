import type { Lsn } from '@holdfast/replication'
import type { WriteCheckpoint } from '../checkpoints/write-checkpoints.ts'

/** The write checkpoints that a device is waiting for. */
export interface WriteCheckpointProgress {
  /** Whether those from before the session have been read. */
  readonly isRead: boolean
  /** Those whose position the log has not reached yet. */
  readonly pending: readonly WriteCheckpoint[]
  /** The newest one that the log has reached. */
  readonly passed: bigint | undefined
}

const NONE: readonly WriteCheckpoint[] = []

// Shared by devices that have not written.
export const NOTHING_READ: WriteCheckpointProgress = { isRead: false, pending: NONE, passed: undefined }
const NOTHING_PENDING: WriteCheckpointProgress = { isRead: true, pending: NONE, passed: undefined }

/** The device has requested one. Devices that number them repeat requests. */
export function afterAsked(progress: WriteCheckpointProgress, checkpoint: WriteCheckpoint): WriteCheckpointProgress {
  if (progress.pending.some(({ id }) => id === checkpoint.id)) return progress
  return { ...progress, pending: [...progress.pending, checkpoint] }
}

/** The newest one from before the session has been read, if any. */
export function afterRead(
  progress: WriteCheckpointProgress,
  newest: WriteCheckpoint | undefined,
): WriteCheckpointProgress {
  if (newest) return { ...afterAsked(progress, newest), isRead: true }
  return progress.pending.length === 0 ? NOTHING_PENDING : { ...progress, isRead: true }
}

/** The log contains everything before this position. */
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
