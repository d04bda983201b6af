export {
  UPLOAD_PATH,
  type OperationVerdict,
  type UploadOperation,
  type UploadRequest,
  type UploadResponse,
} from './upload.ts'
export { SCHEMA_PATH, type ColumnDescriptor, type SchemaDescriptor, type TableDescriptor } from './schema-descriptor.ts'
export type {
  BucketDescription,
  CheckpointCompleteLine,
  CheckpointDiffLine,
  CheckpointLine,
  ControlLine,
  PartialCheckpointCompleteLine,
  SyncRequest,
  TokenExpiresInLine,
} from './sync-lines.ts'
