import { useRecords } from '@holdfast/react'
import { quoteName } from '../sql.ts'
import type { TableInfo } from './tables.ts'

/** Returns a record's title: its title column, otherwise the start of its id. */
export function useRecordTitle(
  table: TableInfo,
  recordId: string,
): { readonly title: string; readonly isHere: boolean; readonly isLoading: boolean } {
  const title = table.titleColumn === undefined ? 'null' : quoteName(table.titleColumn)
  const { rows, isLoading } = useRecords<{ readonly title: string | number | null }>(
    `select ${title} as title from ${quoteName(table.name)} where id = ?`,
    [recordId],
  )
  const value = rows[0]?.title
  return {
    title: value === null || value === undefined || value === '' ? shortId(recordId) : String(value),
    isHere: rows.length > 0,
    isLoading,
  }
}

/** Shortens an id, still distinguishing records. */
export function shortId(id: string): string {
  return id.length > 12 ? id.slice(0, 8) : id
}
