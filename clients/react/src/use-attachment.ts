import { FILE_SQL, toFile, type FileEntry, type FileRow } from '@holdfast/client'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useAttachments } from './use-attachments.ts'
import { useRecords } from './use-records.ts'

export interface LiveAttachment {
  /** What the device knows of the file: `state`, `size`, `problem`, … `undefined`: nothing yet. */
  readonly file: FileEntry | undefined
  /** An address of the bytes for `src` and `href`, while they are on this device. */
  readonly url: string | undefined
  /** The bytes were asked for, or are being read. */
  readonly isLoading: boolean
  /** Brings the bytes here. Needed only where they do not come by themselves. */
  readonly load: () => Promise<void>
  /** Tries again what was refused, or was not there. */
  readonly retry: () => Promise<void>
}

const always = (): boolean => true

/** Only these may open in a page of their own: a text or a drawing could run scripts as the app. */
const SHOWN_TYPES = /^(image\/(?!svg)|video\/|audio\/|application\/pdf$)/

/**
 * One file, shown from this device. Bytes that are on the server only are brought here, because the component shows them.
 *
 * @param id - the id of the row that names the file; `undefined` asks for nothing
 * @param fetches - whether the bytes of a file come because it is shown; without that it takes `load`. Default: those of every file
 */
export function useAttachment(
  id: string | undefined,
  { fetches = always }: { readonly fetches?: (file: FileEntry) => boolean } = {},
): LiveAttachment {
  const attachments = useAttachments()
  const { rows, isLoading } = useRecords<FileRow>(id === undefined ? '' : FILE_SQL, [id ?? null])
  const row = rows.find((each) => each.id === id)
  const file = useMemo(() => row && toFile(row), [row])
  const [shown, setShown] = useState<{ readonly bytesName: string; readonly url: string } | undefined>(undefined)
  const { bytesName, mediaType, state } = file ?? {}

  const isWanted = file !== undefined && (state === 'remote' || state === 'evicted') && fetches(file)

  useEffect(() => {
    if (isWanted && id !== undefined) void attachments.want(id)
  }, [attachments, id, isWanted])

  // An address of bytes is a resource: it lasts until it is given back.
  useEffect(() => {
    if (id === undefined || bytesName === undefined) return
    let url: string | undefined
    let isOver = false
    void attachments.read(id).then((bytes) => {
      if (!bytes || isOver) return
      const type = SHOWN_TYPES.test(mediaType ?? '') ? mediaType : 'application/octet-stream'
      url = URL.createObjectURL(bytes.slice(0, bytes.size, type))
      setShown({ bytesName, url })
    })
    return () => {
      isOver = true
      if (url !== undefined) URL.revokeObjectURL(url)
    }
  }, [attachments, id, bytesName, mediaType])

  const url = shown !== undefined && shown.bytesName === bytesName ? shown.url : undefined
  const isComing = isWanted || state === 'queued_download' || state === 'downloading'
  return {
    file,
    url,
    isLoading: id !== undefined && (isLoading || isComing || (bytesName !== undefined && url === undefined)),
    load: useCallback(async () => (id === undefined ? undefined : attachments.want(id)), [attachments, id]),
    retry: useCallback(async () => (id === undefined ? undefined : attachments.retry(id)), [attachments, id]),
  }
}
