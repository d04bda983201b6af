import { useMemo, useState } from 'react'
import { liveQuery, type LiveQueryOptions, type LiveRows, type Value } from '@holdfast/client'
import { useLocalDatabase } from './use-device.ts'
import { useValue } from './use-value.ts'

/** Query results: `rows` keeps the previous result while the next query loads. */
export interface LiveRecords<Row> extends LiveRows<Row> {
  /** Whether `rows` belong to this query rather than the previous one. */
  readonly isCurrent: boolean
}

const UNASKED: LiveRows<never> = { rows: [], isLoading: true, error: undefined }
const NO_QUERY: Value<LiveRows<never>> = { get: () => UNASKED, subscribe: () => () => undefined }

/**
 * Returns live rows of a query over the local database, which works offline.
 *
 * @param sql - one SELECT; an empty text runs nothing
 * @param options.throttleMs - minimum interval between runs in ms
 */
export function useRecords<Row extends object>(
  sql: string,
  parameters: readonly (string | number | null)[] = [],
  { throttleMs }: LiveQueryOptions = {},
): LiveRecords<Row> {
  const { database } = useLocalDatabase()
  const key = JSON.stringify(parameters) // equal arrays are the same query
  const query = useMemo<Value<LiveRows<Row>>>(() => {
    if (sql === '') return NO_QUERY
    const options = throttleMs === undefined ? {} : { throttleMs }
    return liveQuery<Row>(database, sql, JSON.parse(key) as (string | number | null)[], options)
  }, [database, sql, key, throttleMs])
  const live = useValue(query)
  const [answer, setAnswer] = useState(live)
  // Keep the previous result, so that a list does not flash empty while typing.
  if (!live.isLoading && live !== answer) setAnswer(live)
  return live.isLoading ? { ...answer, isCurrent: false } : { ...live, isCurrent: true }
}
