import type { Transaction } from '@powersync/common'
import type { SchemaDescriptor } from '@holdfast/protocol'
import type { FileEntry } from './file-state.ts'
import type { OpenFileStore } from './files/file-store.ts'

/** Options for files attached to rows. */
export interface AttachmentsOptions {
  /** Local file storage: `browserFiles()` or `folderFiles(folder)`. */
  readonly files: OpenFileStore
  /** Default bucket. */
  readonly bucket: string
  /**
   * A query over the local database that returns one `AttachmentRow` per file the user may see. Files no longer returned are deleted from the device; eager
   * ones are downloaded without being opened. A function is called again after every schema change.
   */
  readonly rows: string | ((schema: SchemaDescriptor) => string)
  /**
   * Announces that the bytes are on the server by updating the file's row in a local transaction, which syncs like any other. The row may have been deleted
   * meanwhile.
   */
  readonly link?: (tx: Transaction, file: FileEntry) => Promise<unknown>
  /** Transforms the bytes before upload: rotate, scale down, strip metadata. Errors go to `onProblem`, and the original bytes are uploaded. */
  readonly prepare?: (bytes: Blob, file: FileEntry) => Promise<Blob>
  /** Size limit in bytes for local copies of uploaded files; a function is called each time. Default: 500 MiB. */
  readonly cacheBytesMax?: number | (() => number)
}
