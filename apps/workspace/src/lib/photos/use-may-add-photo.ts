import type { PhotoTable } from '../data/photo-table.ts'
import { mayAddPhoto } from './may-add-photo.ts'
import { useRight } from './use-right.ts'

export interface AddRight {
  readonly mayAdd: boolean
  /** A policy says no, which the person is told. */
  readonly isRefused: boolean
}

/**
 * Whether this person may add photos to a record. What was never answered, off line for example, counts as allowed: the server decides about each photo.
 */
export function useMayAddPhoto(table: PhotoTable, link: string, recordId: string): AddRight {
  const right = useRight(`add_photo/${recordId}`, (asker) => mayAddPhoto({ table, link, recordId, ...asker }))
  const { insert } = table.can
  return { mayAdd: insert && right !== 'no' && right !== 'reading', isRefused: insert && right === 'no' }
}
