import { type FileEntry, isUnsent } from '@holdfast/client'
import type { PhotoTable } from '../data/photo-table.ts'
import { judgePhotoChange } from './judge-photo-change.ts'
import type { Photo } from './use-photos.ts'
import { type Right, useRight } from './use-right.ts'

/** Whether policies let this person write the caption of a photo. See {@link useMayDelete}. */
export function useMayCaption(table: PhotoTable, { id, caption }: Photo, file: FileEntry | undefined): boolean {
  const mayTry = table.can.update && table.has.has('caption')
  const right = useRight(
    `caption_photo/${id}`,
    mayTry && isOnServer(file)
      ? (asker) => judgePhotoChange({ table, photoId: id, change: { caption }, ...asker })
      : undefined,
  )
  return mayTry && isOffered(right)
}

/**
 * Whether policies let this person delete a photo. One that is only on this device is theirs, and what was never answered counts as allowed. While the server
 * is asked nothing is offered: it might have to be taken back.
 */
export function useMayDelete(table: PhotoTable, { id }: Photo, file: FileEntry | undefined): boolean {
  const mayTry = table.can.delete
  const right = useRight(
    `delete_photo/${id}`,
    mayTry && isOnServer(file)
      ? (asker) => judgePhotoChange({ table, photoId: id, change: 'delete', ...asker })
      : undefined,
  )
  return mayTry && isOffered(right)
}

const isOnServer = (file: FileEntry | undefined): boolean => file !== undefined && !isUnsent(file)
const isOffered = (right: Right): boolean => right === 'yes' || right === 'unknown'
