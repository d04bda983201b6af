/** The public clients of a Holdfast server tied together, with an outbox that loses nothing. */
export { createClient, type ClientOptions, type HoldfastClient } from './create-client.ts'
export { memoryStore, type KeyValueStore } from './key-value.ts'
export type { Value } from './value.ts'
export { recordId, type KeyValues } from './schema/record-id.ts'
export { hasSession, type SessionState, type SessionUser } from './session/session-state.ts'
export type { SignOutData, SignOutOptions } from './session/sign-out.ts'
export { UnsentChanges } from './local/unsent-changes.ts'
export type { DevicePerson } from './people/device-people.ts'
export type { DeviceState } from './local/device.ts'
export { COUNT_UNSENT_SQL, type LocalDatabase, type OpenDatabase, type UnsentCount } from './local/local-database.ts'
export { liveQuery, type LiveQueryOptions, type LiveRows } from './local/live-query.ts'
export { tellStreamBytes } from './link/stream-bytes.ts'
export { describeSyncState, type SyncState } from './status/sync-state.ts'
export { LIST_REJECTED_SQL, type RejectedChanges } from './attention/rejected-changes.ts'
export type { EditedValues, LeftOut } from './attention/edit-operations.ts'
export type { HeldChanges } from './attention/split-held.ts'
export { groupByReason, type ReasonGroup } from './attention/group-by-reason.ts'
export {
  toRejectedChange,
  type AttentionRow,
  type AttentionVerdict,
  type RejectedChange,
} from './attention/attention-item.ts'
export { explainIncomplete, type IncompleteExplanation } from './attention/explain-incomplete.ts'
export type { IncompleteReason, IncompleteTable } from '@holdfast/protocol'
export { explainVerdict, type VerdictExplanation, type VerdictNames } from './attention/explain-verdict.ts'
export { RecordGone } from './attention/write-row.ts'
export { UploadPostponed } from './upload/upload-queue.ts'
export { writeByRecord } from './upload/write-by-record.ts'
