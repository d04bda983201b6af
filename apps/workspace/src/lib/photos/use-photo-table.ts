import { useSchema } from '@holdfast/react'
import { type PhotoTable, photoTableOf } from '../data/photo-table.ts'

/** Returns the table with the photos of a table's records; without a table, the project's. */
export function usePhotoTable(table?: string): PhotoTable | undefined {
  return photoTableOf(useSchema(), table)
}
