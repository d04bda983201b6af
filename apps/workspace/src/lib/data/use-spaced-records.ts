import { batchedReads } from '@holdfast/client'
import { useLocalDatabase } from '@holdfast/react'
import { useEffect, useState } from 'react'
import { spacedReads } from '../spaced-reads.ts'

/** All such reads of the app take turns. */
const reads = spacedReads()

const NONE: readonly never[] = []

/**
 * Returns rows of a query that reads whole tables, live: repeated runs keep a distance in proportion to what the last one took, so that a table of 100,000 records costs the
 * screen little while it changes.
 *
 * @param sql - one SELECT; an empty text runs nothing
 * @param tables - local tables whose changes can change the rows
 * @returns `rows`: `undefined` until read for the first time
 */
export function useSpacedRecords<Row extends object>(
  sql: string,
  parameters: readonly (string | number | null)[],
  tables: readonly string[],
): readonly Row[] | undefined {
  const { database } = useLocalDatabase()
  // Equal queries are the same.
  const key = JSON.stringify([sql, parameters, tables])
  const [known, setKnown] = useState<{ readonly key: string; readonly text: string; readonly rows: readonly Row[] }>()
  useEffect(() => {
    if (sql === '') return
    const reading = reads.add(() =>
      batchedReads(database)
        .getAll<Row>(sql, parameters)
        .then((rows) => {
          const text = JSON.stringify(rows)
          setKnown((before) => (before?.key === key && before.text === text ? before : { key, text, rows }))
        })
        // The rest of the screen does not wait for a summary.
        .catch((error: unknown) => {
          console.warn('A summary was not read.', error)
          setKnown((before) => (before?.key === key ? before : { key, text: '', rows: NONE }))
        }),
    )
    const stop = database.onChange({ onChange: () => reading.request() }, { tables: [...tables] })
    return () => {
      stop()
      reading[Symbol.dispose]()
    }
    // eslint-disable-next-line react/exhaustive-deps
  }, [database, key])
  if (sql === '') return NONE
  return known?.key === key ? known.rows : undefined
}
