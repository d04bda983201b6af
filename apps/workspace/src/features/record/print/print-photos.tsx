import { useAttachment, useRecords } from '@holdfast/react'
import { type JSX, useEffect, useMemo, useState } from 'react'
import type { PhotoTable } from '../../../lib/data/photo-table.ts'
import { momentOf } from '../../../lib/fields/dates.ts'
import { formatMoment } from '../../../lib/format.ts'
import { isVideo } from '../../../lib/is-video.ts'
import { parseMarks } from '../../../lib/photos/marks.ts'
import type { Photo } from '../../../lib/photos/use-photos.ts'
import { quoteName } from '../../../lib/sql.ts'
import { printMessages as words } from '../../../messages/print.ts'
import { PhotoMarks } from '../photo-marks.tsx'
import type { PhotoSize } from '../use-drawing.ts'

/** Limit of photos per document. */
export const PHOTOS_MAX = 200

/** Time in ms after which a photo that should arrive from the server is printed as missing. */
const WAIT_MS = 20_000

/** A photo and the record that it belongs to. */
export interface OwnedPhoto extends Photo {
  readonly owner: string
  readonly path: string
  /** The field that it is a file of. */
  readonly field: string | null
}

/** Returns the photos of records of one table, in the order they were taken, at most one more than {@link PHOTOS_MAX}; `undefined` while they are read. */
export function usePhotosOf(
  table: PhotoTable | undefined,
  link: string | undefined,
  owners: readonly string[],
): readonly OwnedPhoto[] | undefined {
  const isAsked = table !== undefined && link !== undefined && owners.length > 0
  const column = (name: 'caption' | 'taken_at' | 'annotation' | 'field'): string =>
    table?.has.has(name) ? name : `null as ${name}`
  // Files of fields are of any kind, and have names.
  const ofFields = table?.isOfFields === true
  const caption = ofFields ? 'coalesce(caption, name) as caption' : column('caption')
  const order = table?.has.has('taken_at') ? 'taken_at is null, taken_at, id' : 'id'
  const { rows, isLoading } = useRecords<OwnedPhoto>(
    isAsked
      ? `select id, ${quoteName(link)} as owner, path, media_type, ${caption}, ${column('taken_at')}, ${column('annotation')}, ${column('field')}
           from ${quoteName(table.name)}
          where ${quoteName(link)} in (select value from json_each(?)) and path is not null${ofFields ? " and media_type like 'image/%'" : ''} order by ${order} limit ${String(PHOTOS_MAX + 1)}`
      : '',
    isAsked ? [JSON.stringify(owners)] : [],
  )
  return useMemo(() => (isAsked && isLoading ? undefined : isAsked ? rows : []), [rows, isLoading, isAsked])
}

export type PhotoState = 'loading' | 'shown' | 'missing'

/** Photos with their captions. Each reports whether it can be printed. */
export function PrintPhotos({
  photos,
  onState,
}: {
  readonly photos: readonly OwnedPhoto[]
  readonly onState: (id: string, state: PhotoState) => void
}): JSX.Element | null {
  if (photos.length === 0) return null
  return (
    <ul className="grid grid-cols-2 gap-3 pt-2 tablet:grid-cols-3 print:grid-cols-3">
      {photos.map((photo, index) => (
        <PrintPhoto key={photo.id} photo={photo} index={index + 1} onState={onState} />
      ))}
    </ul>
  )
}

function PrintPhoto({
  photo,
  index,
  onState,
}: {
  readonly photo: OwnedPhoto
  readonly index: number
  readonly onState: (id: string, state: PhotoState) => void
}): JSX.Element {
  const isFilm = isVideo(photo.media_type ?? '')
  const { url, isLoading, file } = useAttachment(isFilm ? undefined : photo.id)
  const [size, setSize] = useState<PhotoSize>()
  const [isLate, setLate] = useState(false)
  const isOffline = file?.state === 'queued_download' && !navigator.onLine
  const state: PhotoState = isFilm || size ? 'shown' : isLoading && !isLate && !isOffline ? 'loading' : 'missing'
  const { id } = photo
  // The sheet counts what it waits for.
  useEffect(() => onState(id, state), [id, state, onState])
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), WAIT_MS)
    return () => clearTimeout(timer)
  }, [])
  const taken = photo.taken_at === null ? undefined : momentOf(photo.taken_at)
  const name = photo.caption ?? words.photo(index)
  return (
    <li className="break-inside-avoid">
      <figure>
        <div className="relative grid aspect-[4/3] place-items-center border border-border bg-surface">
          {url !== undefined && !isFilm ? (
            <>
              <img
                src={url}
                alt={name}
                className="absolute inset-0 size-full object-contain"
                onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
                  setSize({ width, height })
                }
              />
              {size ? <PhotoMarks marks={parseMarks(photo.annotation) ?? []} size={size} /> : null}
            </>
          ) : (
            <span className="px-2 text-center text-small text-muted">
              {isFilm ? words.video(name) : state === 'missing' ? words.missingPhoto(name) : null}
            </span>
          )}
        </div>
        <figcaption className="pt-1 text-small text-muted">
          {[name, ...(taken ? [formatMoment(taken)] : [])].join(' · ')}
        </figcaption>
      </figure>
    </li>
  )
}
