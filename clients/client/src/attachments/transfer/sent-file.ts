import type { FileEntry } from '../file-state.ts'

/** User metadata by which a device knows its own upload again when the answer was lost. */
export const UPLOAD_MARK = 'client_upload'

/** A file to be sent. */
export type SentFile = Pick<FileEntry, 'bucket' | 'path' | 'mediaType' | 'uploadUrl'> & {
  readonly bytesName: string
  /** An attempt to send it in one request got no answer. */
  readonly wasCut: boolean
}

export interface SendOptions {
  readonly signal: AbortSignal
  /** The address of an upload in parts, to be remembered so that it goes on after a restart. Awaited before more is sent. */
  readonly onCreated: (url: string) => Promise<void>
  /** So many bytes are on the server, whatever happens next. Awaited before more is sent. */
  readonly onPartSent: (sentBytes: number) => Promise<void>
  /** So many bytes have been given to the network. Often. */
  readonly onProgress: (sentBytes: number) => void
}
