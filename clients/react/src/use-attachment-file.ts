import type { FileEntry, LiveFile, Value } from '@holdfast/client'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { warnWhileOpen } from './warn-while-open.ts'
import { useLocalDatabase } from './use-device.ts'
import { useAttachments } from './use-attachments.ts'
import { useValue } from './use-value.ts'

export interface AttachmentFile {
  /** Local state of the file: `state`, `size`, `problem`, …; `undefined` if unknown. */
  readonly file: FileEntry | undefined
  /** Being read or downloaded. */
  readonly isLoading: boolean
  /** Downloads the bytes, where this is not automatic. */
  readonly load: () => Promise<void>
  /** Retries a refused or failed transfer. */
  readonly retry: () => Promise<void>
}

export interface AttachmentFileOptions {
  /** Whether displaying a file downloads it; otherwise call `load`. Default: every file. */
  readonly fetches?: (file: FileEntry) => boolean
}

const always = (): boolean => true
const UNASKED: LiveFile = { file: undefined, isLoading: false }
const NO_FILE: Value<LiveFile> = { get: () => UNASKED, subscribe: () => () => undefined }

/**
 * Follows a file's state without creating a URL: for lists that show at most a thumbnail.
 *
 * @param id - id of the referencing row; `undefined` for none
 */
export function useAttachmentFile(
  id: string | undefined,
  { fetches = always }: AttachmentFileOptions = {},
): AttachmentFile {
  const { database } = useLocalDatabase()
  const attachments = useAttachments()
  const live = useMemo(() => (id === undefined ? NO_FILE : attachments.live(id)), [attachments, id])
  const { file, isLoading } = useValue(live)
  const { state } = file ?? {}
  // Requested once: if not all displayed files fit, they would evict each other forever.
  const [wasHere, setWasHere] = useState<string>()
  if (file?.bytesName !== undefined && wasHere !== id) setWasHere(id)
  const isElsewhere = state === 'remote' || (state === 'evicted' && wasHere !== id)
  const isWanted = file !== undefined && isElsewhere && fetches(file)

  useEffect(() => {
    if (isWanted && id !== undefined) attachments.want(id).catch(warnWhileOpen(database))
  }, [attachments, database, id, isWanted])

  return {
    file,
    isLoading: isLoading || isWanted || state === 'queued_download' || state === 'downloading',
    load: useCallback(async () => (id === undefined ? undefined : attachments.want(id)), [attachments, id]),
    retry: useCallback(async () => (id === undefined ? undefined : attachments.retry(id)), [attachments, id]),
  }
}
