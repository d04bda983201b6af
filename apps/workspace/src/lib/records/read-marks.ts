import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { uuidV7 } from '../fields/uuid-v7.ts'

/** The local name of `holdfast.read_marks`. */
export const READ_MARKS_TABLE = 'hf_read_marks'

/** Days after which what was said counts as read. */
export const UNREAD_DAYS = 30

/** A record, or everything. */
export interface ReadPlace {
  readonly table: string
  readonly record: string
}

/** Whether the project has a table for read marks. */
export function useHasReadMarks(): boolean {
  return useSchema().tables.some(({ name }) => name === READ_MARKS_TABLE)
}

/** Up to when this person has read what is said about a record; an empty text: never. `undefined` until it is known. */
export function useReadMark({ table, record }: ReadPlace): string | undefined {
  const hasMarks = useHasReadMarks()
  const { rows, isCurrent } = useRecords<{ readonly at: string | null }>(
    hasMarks
      ? `select max(read_at) as at from ${READ_MARKS_TABLE} where table_name is null or (table_name = ? and record_id = ?)`
      : '',
    [table, record],
  )
  return hasMarks && isCurrent ? (rows[0]?.at ?? '') : undefined
}

/** Marks as read up to a moment. It syncs to the person's other devices, and is no change of a record: nothing to undo. */
export function useMarkRead(): (place: ReadPlace | undefined, at: string) => void {
  const { database, userId } = useLocalDatabase()
  const hasMarks = useHasReadMarks()
  return (place, at) => {
    if (!hasMarks) return
    markRead(database, userId, place, at).catch((error: unknown) =>
      console.warn('What was read was not marked as read.', error),
    )
  }
}

/** Moves this person's mark of a place, or of everything, on to a moment; a mark never moves back. */
async function markRead(
  database: CommonPowerSyncDatabase,
  userId: string,
  place: ReadPlace | undefined,
  at: string,
): Promise<void> {
  await database.writeTransaction(async (tx) => {
    const last = await tx.getOptional<{ readonly id: string; readonly read_at: string | null }>(
      `select id, read_at from ${READ_MARKS_TABLE} where table_name is ? and record_id is ? order by read_at desc limit 1`,
      [place?.table ?? null, place?.record ?? null],
    )
    if (last === null) {
      await tx.execute(
        `insert into ${READ_MARKS_TABLE} (id, owner_id, table_name, record_id, read_at) values (?, ?, ?, ?, ?)`,
        [uuidV7(), userId, place?.table ?? null, place?.record ?? null, at],
      )
    } else if ((last.read_at ?? '') < at) {
      await tx.execute(`update ${READ_MARKS_TABLE} set read_at = ? where id = ?`, [at, last.id])
    }
  })
}
