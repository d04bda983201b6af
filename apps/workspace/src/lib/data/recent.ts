import { useLocalDatabase, useRecords } from '@holdfast/react'
import { useEffect } from 'react'

/** A record opened on this device. */
export interface RecentRecord {
  readonly table: string
  readonly recordId: string
  readonly at: Date
}

interface Row {
  readonly ref: string
  readonly at: string
}

/** Returns the last viewed records, newest first. */
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

/** Records that a record is being viewed; no-op without an id. */
export function useRememberRecent(table: string, recordId: string | undefined): void {
  const { database } = useLocalDatabase()
  // Viewing is caused by the URL, which has no event handler.
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
