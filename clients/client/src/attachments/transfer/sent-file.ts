import type { FileEntry } from '../file-state.ts'

/** User metadata by which a device knows its own upload again when the answer was lost. */
export const UPLOAD_MARK = 'client_upload'

/** A file to be sent. */
export type SentFile = Pick<FileEntry, 'bucket' | 'path' | 'mediaType' | 'uploadUrl'> & { readonly bytesName: string }
