import { useSchema } from '@holdfast/react'
import { type PhotoTable, photoTableOf } from '../data/photo-table.ts'

export function usePhotoTable(): PhotoTable | undefined {
  return photoTableOf(useSchema())
}
