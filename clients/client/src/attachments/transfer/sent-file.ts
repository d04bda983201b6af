import type { FileEntry } from '../file-state.ts'

/** User metadata by which a device recognizes its own upload after a lost response. */
export const UPLOAD_MARK = 'client_upload'

/** A file to upload. */
export type SentFile = Pick<FileEntry, 'bucket' | 'path' | 'mediaType' | 'uploadUrl'> & {
  readonly bytesName: string
  /** A single-request attempt got no response. */
  readonly wasCut: boolean
}

export interface SendOptions {
  readonly signal: AbortSignal
  /** Persists the URL of a resumable upload. Awaited before more is sent. */
  readonly onCreated: (url: string) => Promise<void>
  /** Reports bytes confirmed by the server. Awaited before more is sent. */
  readonly onPartSent: (sentBytes: number) => Promise<void>
  /** Reports bytes handed to the network. Called often. */
  readonly onProgress: (sentBytes: number) => void
}
