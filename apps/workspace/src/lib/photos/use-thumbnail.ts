import type { FileEntry } from '@holdfast/client'
import { useAttachments, useHoldfast, useValue } from '@holdfast/react'
import { useEffect, useEffectEvent, useState } from 'react'
import { type MadePicture, NotNow, type SmallPicture, smallPicture } from './small-pictures.ts'
import { isVideo } from '../is-video.ts'

/** Pixels of a side: twice what a tile has, for sharp screens. */
const THUMBNAIL_SIDE = 224
/** Pixels of a side of what the server makes for a row: twice what a row has. */
const ROW_SIDE = 96
/** Rows that are scrolled past ask for nothing, in milliseconds. */
const SETTLED_MS = 150

/** A small picture of a file, made on this device; `undefined` while its bytes are not here, and of a video that this browser does not play. */
export function useThumbnail(file: FileEntry | undefined): SmallPicture | undefined {
  const attachments = useAttachments()
  return usePicture({ key: file?.bytesName, isOpen: true, delayMs: 0 }, async () => {
    const bytes = file && (await attachments.read(file.id))
    return bytes && makeThumbnail(bytes, file)
  })
}

/**
 * As {@link useThumbnail}, for a row: of a photo that is only on the server the server makes it, unless there is no network or it costs. It is kept on the
 * device until its row leaves it. Of a video the server makes none.
 *
 * @param side - of what the server makes, in pixels
 */
export function useRowThumbnail(file: FileEntry, side: number = ROW_SIDE): SmallPicture | undefined {
  const attachments = useAttachments()
  const { supabase } = useHoldfast()
  const pause = useValue(attachments.pause)
  const { id, bytesName, bucket, path } = file
  const size = `${side}x${side}`
  const isOnServer = (file.state === 'remote' || file.state === 'evicted') && !isVideo(file.mediaType)
  const key = bytesName ?? (isOnServer ? `server:${side}:${path}` : undefined)
  return usePicture({ key, isOpen: pause === undefined, delayMs: SETTLED_MS }, async (isOpen) => {
    if (bytesName !== undefined) {
      const bytes = await attachments.read(id)
      return bytes && makeThumbnail(bytes, file)
    }
    const kept = await attachments.picture(id, size)
    if (kept) return { blob: kept }
    if (!isOpen) throw new NotNow()
    const transform = { width: side, height: side, resize: 'cover' } as const
    const { data, error } = await supabase.storage.from(bucket).download(path, { transform }, { cache: 'no-store' })
    if (!error) {
      attachments.keepPicture(id, size, data)
      return { blob: data }
    }
    // A server that answers no has none, now and later: it transforms no images, or has not got this one.
    if ('status' in error && typeof error.status === 'number') return undefined
    throw error
  })
}

/** How pictures are made is loaded with the first of them. */
async function makeThumbnail(bytes: Blob, { mediaType }: FileEntry): Promise<MadePicture | undefined> {
  if (isVideo(mediaType)) {
    const { makePoster } = await import('./read-video.ts')
    // Stored bytes have no type of their own.
    return makePoster(bytes.slice(0, bytes.size, mediaType), THUMBNAIL_SIDE)
  }
  const photos = await import('./prepare-photo.ts')
  return { blob: await photos.makeThumbnail(bytes, THUMBNAIL_SIDE) }
}

interface WantedPicture {
  /** `undefined`: there is nothing to make a picture of. */
  readonly key: string | undefined
  /** Files are transferred: what could not be had before is tried again. */
  readonly isOpen: boolean
  readonly delayMs: number
}

function usePicture(
  { key, isOpen, delayMs }: WantedPicture,
  make: (isOpen: boolean) => Promise<MadePicture | undefined>,
): SmallPicture | undefined {
  const [shown, setShown] = useState<{ readonly key: string; readonly picture: SmallPicture }>()
  const makeNow = useEffectEvent(make)
  // Reading and decoding are outside of React.
  useEffect(() => {
    if (key === undefined) return
    let isOver = false
    const timer = setTimeout(() => {
      smallPicture(key, () => makeNow(isOpen)).then(
        (one) => !isOver && one !== undefined && setShown({ key, picture: one }),
        // The row or tile keeps its symbol; a later visit tries again.
        (error: unknown) => error instanceof NotNow || console.info('A photo could not be shown.', error),
      )
    }, delayMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [key, isOpen, delayMs])
  return shown?.key === key ? shown?.picture : undefined
}
