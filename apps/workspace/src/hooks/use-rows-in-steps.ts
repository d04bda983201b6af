import { useRecords } from '@holdfast/react'
import { useMemo, useState } from 'react'
import type { Statement } from '../lib/sql.ts'

export interface RowsInSteps<Row> {
  readonly rows: readonly Row[]
  readonly isLoading: boolean
  /** Shows one more step; `undefined` if all rows are shown. */
  readonly onMore: (() => void) | undefined
}

/**
 * Returns the first rows of a list, and another step on demand.
 *
 * @param sqlOf - returns the statement for a number of rows; must be the same function for the same list
 * @param step - rows shown at first and added with each step
 * @param options.throttleMs - minimum interval in ms between reactions to changes
 */
export function useRowsInSteps<Row extends object>(
  sqlOf: (limit: number) => Statement,
  step: number,
  options: { readonly throttleMs?: number } = {},
): RowsInSteps<Row> {
  const [shown, setShown] = useState(step)
  // One extra row tells whether there are more.
  const { sql, parameters } = useMemo(() => sqlOf(shown + 1), [sqlOf, shown])
  const { rows, isLoading } = useRecords<Row>(sql, parameters, options)
  return {
    rows: rows.slice(0, shown),
    isLoading: isLoading && sql !== '',
    onMore: rows.length > shown ? () => setShown(shown + step) : undefined,
  }
}
