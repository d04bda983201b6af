import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { uuidV7 } from '../fields/uuid-v7.ts'

/** Local name of `holdfast.read_marks`. */
export const READ_MARKS_TABLE = 'hf_read_marks'

/** Days after which comments count as read. */
export const UNREAD_DAYS = 30

/** A record, or everything. */
export interface ReadPlace {
  readonly table: string
  readonly record: string
}

/** Whether the project has a read marks table. */
export function useHasReadMarks(): boolean {
  return useSchema().tables.some(({ name }) => name === READ_MARKS_TABLE)
}

/** Returns the time up to which the user has read a record's comments; empty for never, `undefined` while unknown. */
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

/** Returns when a place was last marked; empty for never. */
export async function readMarkOf(database: CommonPowerSyncDatabase, { table, record }: ReadPlace): Promise<string> {
  const row = await database.getOptional<{ readonly at: string | null }>(
    `select max(read_at) as at from ${READ_MARKS_TABLE} where table_name = ? and record_id = ?`,
    [table, record],
  )
  return row?.at ?? ''
}

/** Returns a function that marks as read up to a time. Syncs to the user's other devices; not undoable. */
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

/** Advances the user's mark of a place or of everything; never moves it back. */
export async function markRead(
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
