import { useHasSynced, useRecords } from '@holdfast/react'
import { useTables } from './use-tables.tsx'
import { quoteName, quoteText } from '../sql.ts'

/** Throttle in ms: a first sync changes every table many times per second. */
const COUNT_THROTTLE_MS = 400

/** Returns live row counts per table. Uncounted tables are absent, and so are empty ones before the first sync completes. */
export function useTableCounts(): ReadonlyMap<string, number> {
  const tables = useTables()
  const hasSynced = useHasSynced()
  // Each count records its time, so a zero from before the end of the first sync is not shown after it.
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
