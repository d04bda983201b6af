import type { CommonPowerSyncDatabase } from '@powersync/common'
import { createValue, type Value } from '../value.ts'

/** What a live query shows. */
export interface LiveRows<Row> {
  readonly rows: readonly Row[]
  /** Nothing has been read yet. */
  readonly isLoading: boolean
  readonly error: Error | undefined
}

type Parameter = string | number | null

export interface LiveQueryOptions {
  /** The least time between two runs, in milliseconds. Default: that of the SDK. */
  readonly throttleMs?: number
}

/**
 * The rows of a query over the local database, kept current. It runs while it has a subscriber. Unchanged results are
 * not told again.
 */
export function liveQuery<Row extends object>(
  database: CommonPowerSyncDatabase,
  sql: string,
  parameters: readonly Parameter[] = [],
  { throttleMs }: LiveQueryOptions = {},
): Value<LiveRows<Row>> {
  const value = createValue<LiveRows<Row>>({ rows: [], isLoading: true, error: undefined })
  let subscribers = 0
  let stop: (() => void) | undefined

  return {
    get: value.get,
    subscribe(listener) {
      const unsubscribe = value.subscribe(listener)
      if (subscribers++ === 0) stop = start()
      return () => {
        unsubscribe()
        if (--subscribers === 0) stop?.()
      }
    },
  }

  function start(): () => void {
    const watched = database.query<Row>({ sql, parameters: [...parameters] }).watch({
      ...(throttleMs === undefined ? {} : { throttleMs }),
      comparator: { checkEquality: (a, b) => JSON.stringify(a) === JSON.stringify(b) },
    })
    const stopListening = watched.registerListener({
      onData: (data) => value.set({ rows: data, isLoading: false, error: undefined }),
      // An answer without rows is no other data than there was before.
      onStateChange: ({ isLoading, error, data }) => {
        if (!isLoading && !error && value.get().isLoading) value.set({ rows: data, isLoading: false, error: undefined })
      },
      onError: (error) => value.set({ ...value.get(), isLoading: false, error }),
    })
    return () => {
      stopListening()
      void watched.close()
    }
  }
}
