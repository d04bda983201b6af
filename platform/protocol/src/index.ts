export {
  UPLOAD_BODY_BYTES_MAX,
  UPLOAD_PATH,
  type OperationVerdict,
  type UploadBatchRequest,
  type UploadBatchResponse,
  type UploadOperation,
  type UploadRequest,
  type UploadResponse,
  type UploadRow,
} from './upload.ts'
export { nextGuardBase, rebaseGuards, type GuardBase } from './guard-base.ts'
export {
  INCOMPLETE_PATH,
  type IncompleteAnswer,
  type IncompleteReason,
  type IncompleteTable,
} from './incomplete-tables.ts'
export { SCHEMA_PATH, type ColumnDescriptor, type SchemaDescriptor, type TableDescriptor } from './schema-descriptor.ts'
export type {
  BucketDescription,
  CheckpointCompleteLine,
  CheckpointDiffLine,
  CheckpointLine,
  ControlLine,
  PartialCheckpointCompleteLine,
  StreamDescription,
  SubscriptionReason,
  SyncRequest,
  TokenExpiresInLine,
} from './sync-lines.ts'
