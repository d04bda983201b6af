import type { FileEntry } from '@holdfast/client'
import { useAttachments } from '@holdfast/react'
import { useEffect, useState } from 'react'
import { makeThumbnail } from './prepare-photo.ts'

/** Pixels of a side: twice what a tile has, for sharp screens. */
const THUMBNAIL_SIDE = 224
/** Thumbnails kept in memory, a few kilobytes each. */
const THUMBNAILS_MAX = 400

/** Addresses by the name of the bytes, least recently used first. Made once per page and picture. */
const thumbnails = new Map<string, Promise<string | undefined>>()

/** The address of a small picture of a file, made on this device; `undefined` while its bytes are not here. */
export function useThumbnail(file: FileEntry | undefined): string | undefined {
  const attachments = useAttachments()
  const { id, bytesName } = file ?? {}
  const [shown, setShown] = useState<{ readonly bytesName: string; readonly url: string }>()
  // Reading and decoding are outside of React.
  useEffect(() => {
    if (id === undefined || bytesName === undefined) return
    let isOver = false
    void thumbnailOf(bytesName, () => attachments.read(id)).then((url) => {
      if (!isOver && url !== undefined) setShown({ bytesName, url })
    })
    return () => {
      isOver = true
    }
  }, [attachments, id, bytesName])
  return shown?.bytesName === bytesName ? shown?.url : undefined
}

function thumbnailOf(bytesName: string, read: () => Promise<Blob | undefined>): Promise<string | undefined> {
  const known = thumbnails.get(bytesName)
  const made = known ?? make(read)
  thumbnails.delete(bytesName)
  thumbnails.set(bytesName, made)
  void forgetOldest()
  return made
}

async function make(read: () => Promise<Blob | undefined>): Promise<string | undefined> {
  try {
    const bytes = await read()
    return bytes && URL.createObjectURL(await makeThumbnail(bytes, THUMBNAIL_SIDE))
  } catch (error) {
    console.info('A photo could not be shown.', error)
    return undefined
  }
}

async function forgetOldest(): Promise<void> {
  for (const [name, made] of thumbnails) {
    if (thumbnails.size <= THUMBNAILS_MAX) return
    thumbnails.delete(name)
    const url = await made
    if (url !== undefined) URL.revokeObjectURL(url)
  }
}
