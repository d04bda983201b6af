import type { FileEntry } from '@holdfast/client'
import { useAttachments, useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { toStoredMoment } from '../fields/dates.ts'
import { uuidV7 } from '../fields/uuid-v7.ts'
import { quoteName } from '../sql.ts'
import { insertPhotoSql, type PhotoTable, photoTableOf, photoTableOfFile } from '../data/photo-table.ts'
import { storeOrTell } from '../data/unstored.ts'
import { photoMessages as words } from '../../messages/photos.ts'
import { type NoPhotoReason, preparePhoto, UnreadablePhoto } from './prepare-photo.ts'
import { isVideo } from '../is-video.ts'

/** A photo of a record. */
export interface Photo {
  readonly id: string
  readonly caption: string | null
  readonly taken_at: string | null
  /** Annotations as stored. */
  readonly annotation: string | null
  readonly media_type: string | null
}

/** Larger files are not downloaded merely because their record is shown, in bytes. */
const LOADED_UNASKED_MAX = 2_000_000

/** Returns a record's local photos in the order they were taken. */
export function usePhotos(table: PhotoTable, link: string, recordId: string): readonly Photo[] {
  const column = (name: 'caption' | 'taken_at' | 'annotation'): string =>
    table.has.has(name) ? name : `null as ${name}`
  const order = table.has.has('taken_at') ? 'taken_at is null, taken_at, id' : 'id'
  const { rows, isCurrent } = useRecords<Photo>(
    `select id, media_type, ${column('caption')}, ${column('taken_at')}, ${column('annotation')} from ${quoteName(table.name)}
      where ${quoteName(link)} = ? and path is not null order by ${order}`,
    [recordId],
  )
  return isCurrent ? rows : []
}

/** Rejected files and the reasons. */
export interface AddOutcome {
  /** Ids of the added photos. */
  readonly added: readonly string[]
  readonly refused: readonly { readonly name: string; readonly reason: NoPhotoReason }[]
}

/** Adds, edits and removes photos of a record. */
export interface PhotoEdits {
  /**
   * @param caption - for all of them
   * @throws if the device is full, or the database failed
   */
  add(files: readonly File[], caption?: string): Promise<AddOutcome>
  /** @returns false if this device is full; the user is told */
  setCaption(id: string, caption: string): Promise<boolean>
  /** @returns false if this device is full; the user is told */
  remove(id: string): Promise<boolean>
}

export function usePhotoEdits(table: PhotoTable, link: string, recordId: string): PhotoEdits {
  const { database } = useLocalDatabase()
  const attachments = useAttachments()
  const remove = useRemovePhoto()
  return {
    async add(files, caption) {
      const refused: { name: string; reason: NoPhotoReason }[] = []
      const added: string[] = []
      // Sequentially: a phone has no memory for many decoded images.
      for (const file of files) {
        try {
          const { bytes, extension, ...facts } = await prepare(file, table.videoTypes)
          const id = uuidV7()
          const taken_at = toStoredMoment(new Date(file.lastModified || Date.now()), true)
          await attachments.add(bytes, { id, name: id + extension, mediaType: facts.mediaType }, async (tx, entry) => {
            const { path, size } = entry
            const photo = { ...facts, id, link, recordId, path, size, taken_at }
            const [sql, values] = insertPhotoSql(table, caption === undefined ? photo : { ...photo, caption })
            await tx.execute(sql, [...values])
          })
          added.push(id)
        } catch (error) {
          if (!(error instanceof UnreadablePhoto)) throw error
          refused.push({ name: file.name, reason: error.reason })
        }
      }
      return { added, refused }
    },
    async setCaption(id, caption) {
      const value = caption.trim() === '' ? null : caption.trim()
      return storeOrTell(words.captionChange, () =>
        database.execute(`update ${quoteName(table.name)} set caption = ? where id = ?`, [value, id]),
      )
    },
    remove: (id) => storeOrTell(words.photoDeletion, () => remove(id)),
  }
}

interface PreparedFile {
  readonly bytes: Blob
  readonly extension: string
  readonly mediaType: string
  readonly width?: number
  readonly height?: number
}

/** Reencodes an image; keeps a video unchanged. Video support is imported on first use. */
async function prepare(file: File, videoTypes: ReadonlySet<string>): Promise<PreparedFile> {
  if (!isVideo(file.type)) {
    const { blob, width, height } = await preparePhoto(file)
    return { bytes: blob, extension: '.jpg', mediaType: blob.type, width, height }
  }
  const { prepareVideo } = await import('./prepare-video.ts')
  const { extension, mediaType, facts } = await prepareVideo(file, videoTypes)
  return { bytes: file, extension, mediaType, ...(facts && { width: facts.width, height: facts.height }) }
}

/** Deletes a photo with its file. The row must go, too, or others would wait for the file forever. */
export function useRemovePhoto(): (id: string) => Promise<void> {
  const schema = useSchema()
  const { find, remove } = useAttachments()
  return async (id) => {
    const file = await find(id)
    const table = file ? photoTableOfFile(schema, file) : photoTableOf(schema)
    await remove(id, async (tx) => {
      if (table) await tx.execute(`delete from ${quoteName(table.name)} where id = ?`, [id])
    })
  }
}

/** Whether displaying a photo's record downloads it: unless it is large or the user has freed its space. A video's size may be unknown. */
export function loadsUnasked({ state, size, mediaType }: FileEntry): boolean {
  return state === 'remote' && size <= LOADED_UNASKED_MAX && !(size === 0 && isVideo(mediaType))
}
