import { useHasSynced, useRecords } from '@holdfast/react'
import { useTables } from './use-tables.tsx'
import { quoteName, quoteText } from '../sql.ts'

/** Counting is cheap, but a first sync changes every table many times a second. */
const COUNT_THROTTLE_MS = 400

/**
 * Rows on this device per table, live. A table that has not been counted yet is absent, and so is an empty one before the
 * first sync has told that it is empty.
 */
export function useTableCounts(): ReadonlyMap<string, number> {
  const tables = useTables()
  const hasSynced = useHasSynced()
  // Each row says when it was counted: a zero from before the end of the first sync is not shown after it.
  const isComplete = hasSynced ? 1 : 0
  const sql = tables
    .map(
      ({ name }) =>
        `select ${quoteText(name)} as name, (select count(*) from ${quoteName(name)}) as rows, ${isComplete} as isComplete`,
    )
    .join(' union all ')
  const { rows } = useRecords<{ readonly name: string; readonly rows: number; readonly isComplete: 0 | 1 }>(sql, [], {
    throttleMs: COUNT_THROTTLE_MS,
  })
  return new Map(rows.filter((row) => row.isComplete === 1 || row.rows > 0).map((row) => [row.name, row.rows]))
}
