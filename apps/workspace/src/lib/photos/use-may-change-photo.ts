import { type FileEntry, isUnsent } from '@holdfast/client'
import type { PhotoTable } from '../data/photo-table.ts'
import { parseJson, parseMarks } from './marks.ts'
import { judgePhotoChange } from './judge-photo-change.ts'
import type { Photo } from './use-photos.ts'
import { type Right, useRight } from './use-right.ts'

/** What a person may change of a photo. */
export interface PhotoRights {
  readonly mayCaption: boolean
  readonly mayDraw: boolean
}

/** Whether policies let this person write the caption of a photo, and draw on it: both change its row. See {@link useMayDelete}. */
export function useMayChange(table: PhotoTable, photo: Photo, file: FileEntry | undefined): PhotoRights {
  const { id, caption, annotation } = photo
  const hasCaption = table.has.has('caption')
  const hasMarks = table.has.has('annotation')
  const mayTry = table.can.update && (hasCaption || hasMarks)
  const change = hasCaption ? { caption } : { annotation: parseJson(annotation) }
  const right = useRight(
    `caption_photo/${id}`,
    mayTry && isOnServer(file) ? (asker) => judgePhotoChange({ table, photoId: id, change, ...asker }) : undefined,
  )
  const may = mayTry && isOffered(right)
  return { mayCaption: may && hasCaption, mayDraw: may && hasMarks && parseMarks(annotation) !== undefined }
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
