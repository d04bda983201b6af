import { useEffect, useState } from 'react'
import { useDevice } from './device-context.tsx'

/** What a query of the local database has answered so far. `rows` keeps the last answer while a new one is read. */
export interface LocalQuery<Row> {
  readonly rows: readonly Row[]
  readonly isLoading: boolean
  /** `rows` are the answer to this query, and not to the one before it. */
  readonly isCurrent: boolean
  readonly error: Error | undefined
}

/** The empty answer, one object, so that nothing renders again for it. */
const NOTHING: LocalQuery<never> = { rows: [], isLoading: true, isCurrent: false, error: undefined }

/**
 * Runs a query on the local database and again after each change of its tables.
 *
 * @param sql - one SELECT; an empty text asks nothing
 * @param throttleMs - the least time between two runs
 */
export function useLocalQuery<Row>(
  sql: string,
  parameters: readonly (string | number | null)[] = [],
  throttleMs = 50,
): LocalQuery<Row> {
  const { database } = useDevice()
  const [answer, setAnswer] = useState<LocalQuery<Row> & { readonly asked?: string }>(NOTHING)
  const key = JSON.stringify(parameters)
  const asked = sql + key
  // A watched query is a subscription of the local database.
  useEffect(() => {
    if (sql === '') return
    const watched = database
      .query<Row>({ sql, parameters: JSON.parse(key) as (string | number | null)[] })
      .watch({ throttleMs, reportFetching: false })
    const stop = watched.registerListener({
      onStateChange: ({ data, isLoading, error }) => {
        setAnswer({ rows: data, isLoading, isCurrent: !isLoading, error: error ?? undefined, asked: sql + key })
      },
    })
    return () => {
      stop()
      void watched.close()
    }
  }, [database, sql, key, throttleMs])
  return answer.asked === asked ? answer : { ...answer, isCurrent: false }
}
