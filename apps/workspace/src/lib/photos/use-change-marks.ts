import { useLocalDatabase } from '@holdfast/react'
import { drawingMessages } from '../../messages/drawing.ts'
import type { PhotoTable } from '../data/photo-table.ts'
import { storeOrTell } from '../data/unstored.ts'
import { quoteName } from '../sql.ts'
import { type Marks, parseMarks, renderMarks } from './marks.ts'
import type { Photo } from './use-photos.ts'

/** @returns false if this device is full; the user is told */
export type ChangeMarks = (id: string, change: (marks: Marks) => Marks) => Promise<boolean>

/** Annotates a photo. Rapid changes are applied on top of each other. */
export function useChangeMarks(table: PhotoTable): ChangeMarks {
  const { database } = useLocalDatabase()
  const name = quoteName(table.name)
  return (id, change) =>
    storeOrTell(drawingMessages.change, () =>
      database.writeTransaction(async (tx) => {
        const row = await tx.getOptional<Photo>(`select annotation from ${name} where id = ?`, [id])
        const marks = row ? parseMarks(row.annotation) : undefined
        if (!marks) return
        await tx.execute(`update ${name} set annotation = ? where id = ?`, [renderMarks(change(marks)), id])
      }),
    )
}
