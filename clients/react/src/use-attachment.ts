import { useEffect, useState } from 'react'
import { type AttachmentFile, type AttachmentFileOptions, useAttachmentFile } from './use-attachment-file.ts'
import { useAttachments } from './use-attachments.ts'
import { useLocalDatabase } from './use-device.ts'
import { warnWhileOpen } from './warn-while-open.ts'

export interface LiveAttachment extends AttachmentFile {
  /** An address of the bytes for `src` and `href`, while they are on this device. */
  readonly url: string | undefined
}

/** Only these may open in a page of their own: a text or a drawing could run scripts as the app. */
const SHOWN_TYPES = /^(image\/(?!svg)|video\/|audio\/|application\/pdf$)/

/**
 * One file, shown from this device. Bytes that are on the server only are brought here, because the component shows them.
 *
 * @param id - the id of the row that names the file; `undefined` asks for nothing
 */
export function useAttachment(id: string | undefined, options: AttachmentFileOptions = {}): LiveAttachment {
  const { database } = useLocalDatabase()
  const attachments = useAttachments()
  const known = useAttachmentFile(id, options)
  const [shown, setShown] = useState<{ readonly bytesName: string; readonly url: string } | undefined>(undefined)
  const { bytesName, mediaType } = known.file ?? {}

  // An address of bytes is a resource: it lasts until it is given back.
  useEffect(() => {
    if (id === undefined || bytesName === undefined) return
    let url: string | undefined
    let isOver = false
    const show = async (): Promise<void> => {
      const bytes = await attachments.read(id)
      if (!bytes || isOver) return
      const type = SHOWN_TYPES.test(mediaType ?? '') ? mediaType : 'application/octet-stream'
      url = URL.createObjectURL(bytes.slice(0, bytes.size, type))
      setShown({ bytesName, url })
    }
    show().catch(warnWhileOpen(database))
    return () => {
      isOver = true
      if (url === undefined) return
      URL.revokeObjectURL(url)
      // The same bytes may be shown again: by an address that still leads somewhere.
      setShown((now) => (now?.url === url ? undefined : now))
    }
  }, [attachments, database, id, bytesName, mediaType])

  const url = shown !== undefined && shown.bytesName === bytesName ? shown.url : undefined
  return { ...known, url, isLoading: known.isLoading || (bytesName !== undefined && url === undefined) }
}
