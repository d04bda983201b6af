import { useMemo } from 'react'
import { liveQuery, type LiveRows } from '@holdfast/client'
import { useLocalDatabase } from './use-device.ts'
import { useValue } from './use-value.ts'

/** The rows of a query over the local database: it answers offline and stays current. */
export function useRecords<Row extends object>(
  sql: string,
  parameters: readonly (string | number | null)[] = [],
): LiveRows<Row> {
  const { database } = useLocalDatabase()
  const key = JSON.stringify(parameters) // a new array with the same values is the same query
  const query = useMemo(
    () => liveQuery<Row>(database, sql, JSON.parse(key) as (string | number | null)[]),
    [database, sql, key],
  )
  return useValue(query)
}
