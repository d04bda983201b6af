import type { Transaction } from '@powersync/common'
import type { SchemaDescriptor } from '@holdfast/protocol'
import type { FileEntry } from './file-state.ts'
import type { OpenFileStore } from './files/file-store.ts'

/** How an app keeps files with its rows. */
export interface AttachmentsOptions {
  /** Where bytes are kept on this device: `browserFiles()` or `folderFiles(folder)`. */
  readonly files: OpenFileStore
  /** The bucket of files that do not name another one. */
  readonly bucket: string
  /**
   * A query over the local database: the files that this person may see, one row each, see `AttachmentRow`. A file that it no longer names leaves the
   * device; one that it calls eager is downloaded without being opened. A function is asked again whenever the tables change.
   */
  readonly rows: string | ((schema: SchemaDescriptor) => string)
  /**
   * Tells the others that the bytes are there: writes to the row of the file, in a local transaction that syncs as any other. It may run for a
   * file whose row has been deleted meanwhile.
   */
  readonly link?: (tx: Transaction, file: FileEntry) => Promise<unknown>
  /**
   * Changes the bytes before they go up: turns, scales down, strips metadata. What it throws is told to `onProblem`, and the bytes go up as they
   * were captured.
   */
  readonly prepare?: (bytes: Blob, file: FileEntry) => Promise<Blob>
  /** How many bytes that the server has as well are kept on this device; a function is asked each time. Default: 500 MiB. */
  readonly cacheBytesMax?: number | (() => number)
}
