export { createChangeTap, type ChangeListener, type ChangeTap } from './change-tap.ts'
export { formatLsn, parseLsn, type Lsn } from './lsn.ts'
export type { Relation, ReplicationEvent, ReplicationStream, Tuple } from './events.ts'
export { ensurePublication, type EnsuredPublication, type RefusedTable, type TableName } from './publication.ts'
export { excludeGrants, runShortStep, startDeadline, type Deadline, type StepOutcome } from './short-step.ts'
export {
  createSlot,
  dropSlot,
  findSlot,
  releaseSlot,
  type CreateSlotOptions,
  type CreatedSlot,
  type Slot,
} from './slot.ts'
export { readTable, type ReadTableOptions } from './snapshot.ts'
export { readBaseBackup, type BaseBackupOptions, type BaseBackupPart } from './base-backup.ts'
export { copyRows, type CopyRowsOptions } from './copy/copy-rows.ts'
export { openReplicationStream } from './read-slot/renewed-stream.ts'
export type { ReplicationStreamOptions } from './read-slot/replication-stream.ts'
