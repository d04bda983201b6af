import { useRecords } from '@holdfast/react'
import { useMemo, useState } from 'react'
import type { Statement } from '../lib/sql.ts'

export interface RowsInSteps<Row> {
  readonly rows: readonly Row[]
  readonly isLoading: boolean
  /** Shows as many more; `undefined` when these are all. */
  readonly onMore: (() => void) | undefined
}

/**
 * The first rows of a list, and with each step as many more.
 *
 * @param sqlOf - the statement for a number of rows; the same function as long as it is the same list
 * @param step - rows that come at first, and with each step
 * @param options.throttleMs - how often changes are looked at, at most
 */
export function useRowsInSteps<Row extends object>(
  sqlOf: (limit: number) => Statement,
  step: number,
  options: { readonly throttleMs?: number } = {},
): RowsInSteps<Row> {
  const [shown, setShown] = useState(step)
  // One more tells whether there are more.
  const { sql, parameters } = useMemo(() => sqlOf(shown + 1), [sqlOf, shown])
  const { rows, isLoading } = useRecords<Row>(sql, parameters, options)
  return {
    rows: rows.slice(0, shown),
    isLoading: isLoading && sql !== '',
    onMore: rows.length > shown ? () => setShown(shown + step) : undefined,
  }
}
