import type { FileEntry, LiveFile, Value } from '@holdfast/client'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { warnWhileOpen } from './warn-while-open.ts'
import { useLocalDatabase } from './use-device.ts'
import { useAttachments } from './use-attachments.ts'
import { useValue } from './use-value.ts'

export interface AttachmentFile {
  /** What the device knows of the file: `state`, `size`, `problem`, … `undefined`: nothing yet. */
  readonly file: FileEntry | undefined
  /** It is being read, or the bytes were asked for. */
  readonly isLoading: boolean
  /** Brings the bytes here. Needed only where they do not come by themselves. */
  readonly load: () => Promise<void>
  /** Tries again what was refused, or was not there. */
  readonly retry: () => Promise<void>
}

export interface AttachmentFileOptions {
  /** Whether the bytes of a file come because it is shown; without that it takes `load`. Default: those of every file. */
  readonly fetches?: (file: FileEntry) => boolean
}

const always = (): boolean => true
const UNASKED: LiveFile = { file: undefined, isLoading: false }
const NO_FILE: Value<LiveFile> = { get: () => UNASKED, subscribe: () => () => undefined }

/**
 * How one file stands, without an address of its bytes: for lists, where a small picture of it is shown or none.
 *
 * @param id - the id of the row that names the file; `undefined` asks for nothing
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
  // Asked for once: where there is no room for all that is shown, files would come and go without an end.
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
