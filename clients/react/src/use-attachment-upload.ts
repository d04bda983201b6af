import {
  LIST_UNSENT_FILES_SQL,
  toFile,
  type Attachments,
  type FileEntry,
  type FileRow,
  type TransferPause,
} from '@holdfast/client'
import { useMemo } from 'react'
import { useAttachments } from './use-attachments.ts'
import { useRecords } from './use-records.ts'
import { useValue } from './use-value.ts'

export interface AttachmentUpload extends Pick<
  Attachments,
  'add' | 'retry' | 'remove' | 'exportFile' | 'setFilePaused' | 'setPaused' | 'setUsesMetered'
> {
  /** Files only on this device, oldest first: waiting, sending, and refused with their `problem`. */
  readonly unsent: readonly FileEntry[]
  /** Why uploads are paused; `undefined` if they are not. */
  readonly pause: TransferPause
}

/** Parts of large files change the list often. */
const LIST_THROTTLE_MS = 100

/** Adds files and follows their upload. */
export function useAttachmentUpload(): AttachmentUpload {
  const attachments = useAttachments()
  const { rows } = useRecords<FileRow>(LIST_UNSENT_FILES_SQL, [], { throttleMs: LIST_THROTTLE_MS })
  const unsent = useMemo(() => rows.map(toFile), [rows])
  return { ...attachments, unsent, pause: useValue(attachments.pause) }
}
