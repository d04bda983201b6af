import { useEffect, useState } from 'react'
import { type AttachmentFile, type AttachmentFileOptions, useAttachmentFile } from './use-attachment-file.ts'
import { useAttachments } from './use-attachments.ts'
import { useLocalDatabase } from './use-device.ts'
import { warnWhileOpen } from './warn-while-open.ts'

export interface LiveAttachment extends AttachmentFile {
  /** Object URL for `src` and `href`, while the bytes are local. */
  readonly url: string | undefined
}

/** Types safe to open in their own page: text or SVG could run scripts as the app. */
const SHOWN_TYPES = /^(image\/(?!svg)|video\/|audio\/|application\/pdf$)/

/**
 * Displays a file from this device, downloading it if necessary.
 *
 * @param id - id of the referencing row; `undefined` for none
 */
export function useAttachment(id: string | undefined, options: AttachmentFileOptions = {}): LiveAttachment {
  const { database } = useLocalDatabase()
  const attachments = useAttachments()
  const known = useAttachmentFile(id, options)
  const [shown, setShown] = useState<{ readonly bytesName: string; readonly url: string } | undefined>(undefined)
  const { bytesName, mediaType } = known.file ?? {}

  // Object URLs must be revoked.
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
      // The same bytes may be displayed again with a new URL.
      setShown((now) => (now?.url === url ? undefined : now))
    }
  }, [attachments, database, id, bytesName, mediaType])

  const url = shown !== undefined && shown.bytesName === bytesName ? shown.url : undefined
  return { ...known, url, isLoading: known.isLoading || (bytesName !== undefined && url === undefined) }
}
