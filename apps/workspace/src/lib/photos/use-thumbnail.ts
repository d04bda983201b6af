import type { FileEntry } from '@holdfast/client'
import { useAttachments, useHoldfast, useValue } from '@holdfast/react'
import { useEffect, useEffectEvent, useState } from 'react'
import { type MadePicture, NotNow, type SmallPicture, smallPicture } from './small-pictures.ts'
import { isVideo } from '../is-video.ts'

/** Thumbnail side in pixels: twice the tile's, for high-density screens. */
const THUMBNAIL_SIDE = 224
/** Side in pixels of server-made thumbnails for rows: twice the row's. */
const ROW_SIDE = 96
/** Delay in ms, so that rows scrolled past request nothing. */
const SETTLED_MS = 150

/** Returns a thumbnail made on this device; `undefined` without local bytes, or for an unplayable video. */
export function useThumbnail(file: FileEntry | undefined): SmallPicture | undefined {
  const attachments = useAttachments()
  return usePicture({ key: file?.bytesName, isOpen: true, delayMs: 0 }, async () => {
    const bytes = file && (await attachments.read(file.id))
    return bytes && makeThumbnail(bytes, file)
  })
}

/**
 * As {@link useThumbnail}, for rows: the server makes thumbnails of photos stored only there, except offline or on metered networks. Kept on the device until
 * the row leaves it. Not available for videos.
 *
 * @param side - of server-made thumbnails, in pixels
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
    // A refusal is final: the server does not transform images, or lacks this one.
    if ('status' in error && typeof error.status === 'number') return undefined
    throw error
  })
}

/** Thumbnail support is imported on first use. */
async function makeThumbnail(bytes: Blob, { mediaType }: FileEntry): Promise<MadePicture | undefined> {
  if (isVideo(mediaType)) {
    const { makePoster } = await import('./read-video.ts')
    // Stored bytes have no type.
    return makePoster(bytes.slice(0, bytes.size, mediaType), THUMBNAIL_SIDE)
  }
  const photos = await import('./prepare-photo.ts')
  return { blob: await photos.makeThumbnail(bytes, THUMBNAIL_SIDE) }
}

interface WantedPicture {
  /** `undefined` if there is nothing to show. */
  readonly key: string | undefined
  /** Whether transfers are allowed, so failed ones are retried. */
  readonly isOpen: boolean
  readonly delayMs: number
}

function usePicture(
  { key, isOpen, delayMs }: WantedPicture,
  make: (isOpen: boolean) => Promise<MadePicture | undefined>,
): SmallPicture | undefined {
  const [shown, setShown] = useState<{ readonly key: string; readonly picture: SmallPicture }>()
  const makeNow = useEffectEvent(make)
  // Reading and decoding are external to React.
  useEffect(() => {
    if (key === undefined) return
    let isOver = false
    const timer = setTimeout(() => {
      smallPicture(key, () => makeNow(isOpen)).then(
        (one) => !isOver && one !== undefined && setShown({ key, picture: one }),
        // The row or tile keeps its icon; a later visit retries.
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
