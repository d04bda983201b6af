import { useMemo, useState } from 'react'
import { liveQuery, type LiveQueryOptions, type LiveRows, type Value } from '@holdfast/client'
import { useLocalDatabase } from './use-device.ts'
import { useValue } from './use-value.ts'

/** What a query has answered so far: `rows` keeps the last answer while the next query is read. */
export interface LiveRecords<Row> extends LiveRows<Row> {
  /** `rows` are the answer to this query, and not to the one before it. */
  readonly isCurrent: boolean
}

const UNASKED: LiveRows<never> = { rows: [], isLoading: true, error: undefined }
const NO_QUERY: Value<LiveRows<never>> = { get: () => UNASKED, subscribe: () => () => undefined }

/**
 * The rows of a query over the local database: it answers offline and stays current.
 *
 * @param sql - one SELECT; an empty text asks nothing, and is never answered
 * @param options.throttleMs - the least time between two runs, in milliseconds
 */
export function useRecords<Row extends object>(
  sql: string,
  parameters: readonly (string | number | null)[] = [],
  { throttleMs }: LiveQueryOptions = {},
): LiveRecords<Row> {
  const { database } = useLocalDatabase()
  const key = JSON.stringify(parameters) // a new array with the same values is the same query
  const query = useMemo<Value<LiveRows<Row>>>(() => {
    if (sql === '') return NO_QUERY
    const options = throttleMs === undefined ? {} : { throttleMs }
    return liveQuery<Row>(database, sql, JSON.parse(key) as (string | number | null)[], options)
  }, [database, sql, key, throttleMs])
  const live = useValue(query)
  const [answer, setAnswer] = useState(live)
  // The last answer outlives its query: a list that is typed into does not become empty between two answers.
  if (!live.isLoading && live !== answer) setAnswer(live)
  return live.isLoading ? { ...answer, isCurrent: false } : { ...live, isCurrent: true }
}
