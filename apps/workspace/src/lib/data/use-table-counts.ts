import { quoteName } from '../sql.ts'
import { useDevice } from './device-context.tsx'
import { useLocalQuery } from './use-local-query.ts'

/** Counting is cheap, but a first sync changes every table many times a second. */
const COUNT_THROTTLE_MS = 400

/** Rows on this device per table, live. A table that has not been counted yet is absent. */
export function useTableCounts(): ReadonlyMap<string, number> {
  const { tables } = useDevice()
  const sql = tables
    .map(
      ({ name }) => `select '${name.replaceAll("'", "''")}' as name, (select count(*) from ${quoteName(name)}) as rows`,
    )
    .join(' union all ')
  const { rows } = useLocalQuery<{ readonly name: string; readonly rows: number }>(sql, [], COUNT_THROTTLE_MS)
  return new Map(rows.map((row) => [row.name, row.rows]))
}
