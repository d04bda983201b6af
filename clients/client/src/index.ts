/** The public clients of a Holdfast server combined, with a lossless outbox. */
export { createClient, type ClientOptions, type HoldfastClient } from './create-client.ts'
export { retryWithCaptcha } from './session/retry-with-captcha.ts'
export type { RetryRefused } from './session/auth-fetch.ts'
export { memoryStore, type KeyValueStore } from './key-value.ts'
export type { Value } from './value.ts'
export { recordId, type KeyValues } from './schema/record-id.ts'
export { hasSession, type SessionState, type SessionUser } from './session/session-state.ts'
export type { SignOutData, SignOutOptions } from './local/sign-out.ts'
export { UnsentChanges } from './local/unsent-changes.ts'
export { DataRemains } from './local/data-remains.ts'
export { CannotUnlock } from './local/lock/cannot-unlock.ts'
export { DataNotLocked } from './local/lock/data-not-locked.ts'
export { SignInRequired } from './local/sign-in-required.ts'
export type { PendingRemoval } from './local/pending-removals.ts'
export type { DevicePerson } from './session/device-users.ts'
export type { DeviceState } from './local/device.ts'
export { COUNT_UNSENT_SQL, type UnsentCount } from './local/count-unsent.ts'
export type { LocalDatabase } from './local/local-database.ts'
export type { DamageReport } from './local/local-file.ts'
export type { DatabaseBytes, ForgetUser, OpenDatabase, RemoveDatabase } from './local/file-options.ts'
export {
  CheckUnavailable,
  countDifferences,
  renderDeviceCheck,
  type CheckFailure,
  type DeviceCheck,
  type DeviceCheckOptions,
  type DeviceCheckProgress,
  type TableCheck,
} from './check/device-check.ts'
export { batchedReads, type BatchedReads, type Reads } from './reads/batched-reads.ts'
export { liveQuery, type LiveQueryOptions, type LiveRows } from './reads/live-query.ts'
export { tellStreamBytes } from './link/stream-bytes.ts'
export { describeSyncState, type SyncState } from './status/sync-state.ts'
export { LIST_REJECTED_SQL, type RejectedChanges } from './attention/rejected-changes.ts'
export type { EditedValues, LeftOut } from './attention/edit-operations.ts'
export type { HeldChanges } from './attention/split-held.ts'
export { groupByReason, type ReasonGroup } from './attention/group-by-reason.ts'
export type { AttentionVerdict } from './queue/attention-verdict.ts'
export { toRejectedChange, type AttentionRow, type RejectedChange } from './attention/attention-item.ts'
export { explainIncomplete, type IncompleteExplanation } from './attention/explain-incomplete.ts'
export type {
  IncompleteReason,
  IncompleteTable,
  Judgement,
  NamedPolicy,
  PlannedWrite,
  RuleRow,
  BrokenCheck,
  WriteRefusal,
  WriteRules,
} from '@holdfast/protocol'
export { explainVerdict, type VerdictExplanation, type VerdictNames } from './attention/explain-verdict.ts'
export { RecordGone } from './attention/write-row.ts'
export { UploadPostponed } from './upload/upload-queue.ts'
export { DeviceFull, toWriteFailure, writeLocally } from './local-write.ts'
export { writeByRecord } from './queue/write-by-record.ts'
export { withdrawUnsent, type WithdrawOptions } from './upload/withdraw-unsent.ts'
export type { Attachments, FileUsage, NewFile, StagedFile } from './attachments/attachments.ts'
export type { AttachmentsOptions } from './attachments/attachments-options.ts'
export type { AttachmentRow } from './attachments/reconcile-rows.ts'
export { isUnsent, type FileEntry, type FileProblem, type FileState } from './attachments/file-state.ts'
export type { LiveFile } from './attachments/live-files.ts'
export { FILE_SQL, LIST_UNSENT_FILES_SQL, toFile, type FileRow } from './attachments/file-table.ts'
export type { TransferPause } from './attachments/gate.ts'
export { FileStoreFull, type FileStore, type OpenFileStore, type StoredFile } from './attachments/files/file-store.ts'
export { browserFiles } from './attachments/files/browser-files.ts'
export { folderFiles } from './attachments/files/folder-files.ts'
export { channelsOf, type ChannelOptions, type Channels } from './channels/channels.ts'
export type { ChannelState } from './channels/channel-state.ts'
export { NO_PEOPLE, type People, type Present } from './channels/read-people.ts'
export type { SharedChannel } from './channels/shared-channel.ts'
export { throttleLatest, type Throttled } from './channels/throttle-latest.ts'
export type { ChooseSearched, LocalSearch, SearchedLink, SearchState } from './search/open-search.ts'
export type { Candidates, SearchSql } from './search/candidates.ts'
export { emptySearchIndex, type SearchedTable } from './search/search-tables.ts'
