import { toFile, type FileEntry, type FileRow } from '@holdfast/client'
import { useRecords } from '@holdfast/react'
import { useState } from 'react'
import { photoLinkOf, type PhotoTable } from '../data/photo-table.ts'
import { usePhotoTable } from './use-photo-table.ts'
import { quoteName } from '../sql.ts'

/** Photos of one row. */
export interface RowPhotos {
  readonly count: number
  /** The first ones. */
  readonly files: readonly FileEntry[]
}

/** Thumbnails shown per row. */
export const SHOWN_MAX = 2
/** Rows are queried in steps, to limit queries while scrolling. */
const STEP_ROWS = 25
/** Rows rendered beyond the visible ones. */
const MARGIN_ROWS = 8

type PhotoRow = FileRow & { readonly record: string; readonly photos: number }
type PhotosById = ReadonlyMap<string, RowPhotos>

const NONE: PhotosById = new Map()

/**
 * Returns live photos of the visible and adjacent rows, by record.
 *
 * @param idAt - the record at a position, if read
 * @param first - first visible row
 */
export function useRowPhotos(
  table: string,
  idAt: (place: number) => string | undefined,
  first: number,
  last: number,
): PhotosById {
  const photoTable = usePhotoTable(table)
  const link = photoTable && photoLinkOf(photoTable, table)
  const from = Math.max(0, Math.floor((first - MARGIN_ROWS) / STEP_ROWS) * STEP_ROWS)
  const to = Math.ceil((last + MARGIN_ROWS) / STEP_ROWS) * STEP_ROWS
  const ids: string[] = []
  for (let place = from; link !== undefined && place < to; place++) {
    const id = idAt(place)
    if (id !== undefined) ids.push(id)
  }
  const sql = photoTable && link !== undefined && ids.length > 0 ? rowPhotosSql(photoTable, link) : ''
  const { rows } = useRecords<PhotoRow>(sql, [JSON.stringify(ids)], { throttleMs: 300 })
  return useShared(rows)
}

function rowPhotosSql(table: PhotoTable, link: string): string {
  const first = table.isOfFields ? "p.media_type not like 'image/%', " : ''
  const order = table.has.has('taken_at') ? 'p.taken_at is null, p.taken_at, p.id' : 'p.id'
  const record = `p.${quoteName(link)}`
  return `select * from (
            select f.*, ${record} as record, count(*) over (partition by ${record}) as photos,
                   row_number() over (partition by ${record} order by ${first}iif(f.state = 'uploading', 0, 1), ${order}) as place
              from ${quoteName(table.name)} p left join hf_local_files f on f.id = p.id
             where ${record} in (select value from json_each(?)) and p.path is not null)
           where place <= ${SHOWN_MAX} order by record, place`
}

/** Keeps the object identity of rows with unchanged photos, so that only changed rows rerender. */
function useShared(rows: readonly PhotoRow[]): PhotosById {
  const [last, setLast] = useState({ rows, texts: new Map<string, string>(), photos: NONE })
  if (last.rows === rows) return last.photos
  const texts = new Map<string, string>()
  const photos = new Map<string, RowPhotos>()
  for (const [record, own] of Map.groupBy(rows, (row) => row.record)) {
    const text = JSON.stringify(own)
    const known = last.texts.get(record) === text ? last.photos.get(record) : undefined
    texts.set(record, text)
    photos.set(record, known ?? toRowPhotos(own))
  }
  setLast({ rows, texts, photos })
  return photos
}

function toRowPhotos(rows: readonly PhotoRow[]): RowPhotos {
  // A photo whose row has just arrived has no entry yet.
  const files = rows.filter(({ id }) => id !== null).map(toFile)
  return { count: rows[0]?.photos ?? 0, files }
}
