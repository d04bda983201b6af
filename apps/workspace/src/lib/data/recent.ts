import { useLocalDatabase, useRecords } from '@holdfast/react'
import { useEffect } from 'react'

/** A record that was opened on this device. */
export interface RecentRecord {
  readonly table: string
  readonly recordId: string
  readonly at: Date
}

interface Row {
  readonly ref: string
  readonly at: string
}

/** The records that were looked at here, newest first. */
export function useRecentRecords(limit: number): readonly RecentRecord[] {
  const { rows } = useRecords<Row>(
    `select ref, at from hf_local_recent where kind = 'record' order by at desc limit ?`,
    [limit],
  )
  return rows.map(({ ref, at }) => {
    const slash = ref.indexOf('/')
    return { table: ref.slice(0, slash), recordId: ref.slice(slash + 1), at: new Date(at) }
  })
}

/** Remembers that a record is being looked at; without an id nothing. */
export function useRememberRecent(table: string, recordId: string | undefined): void {
  const { database } = useLocalDatabase()
  // Looking at a record is an event of the address, which has no handler.
  useEffect(() => {
    if (recordId === undefined) return
    const ref = `${table}/${recordId}`
    database
      .execute(`insert or replace into hf_local_recent (id, kind, ref, at) values (?, 'record', ?, ?)`, [
        `record:${ref}`,
        ref,
        new Date().toISOString(),
      ])
      .catch((error: unknown) => console.warn('The list of recent records was not updated.', error))
  }, [database, table, recordId])
}
