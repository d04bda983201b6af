import type { SampleData } from './generate.ts'
import { PICTURE_HEIGHT, PICTURE_WIDTH, picturePath } from './pictures/pictures.ts'
import type { PhotoRow } from './rows.ts'

/** Assigns a picture to each photo as its file. */
export function withFiles(data: SampleData): SampleData {
  return {
    ...data,
    tables: data.tables.map((rowsOf) =>
      rowsOf.table === 'photos' ? { ...rowsOf, rows: (rowsOf.rows as readonly PhotoRow[]).map(withFile) } : rowsOf,
    ),
  }
}

function withFile(photo: PhotoRow, index: number): object {
  return {
    ...photo,
    path: picturePath(index),
    media_type: 'image/png',
    width: PICTURE_WIDTH,
    height: PICTURE_HEIGHT,
    uploaded_at: photo.created_at,
  }
}
