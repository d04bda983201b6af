import { useLocalDatabase } from '@holdfast/react'
import { useMemo } from 'react'
import { candidatesOf } from '../../lib/search/candidates-of.ts'
import type { GridQuery } from './query/grid-query.ts'

/** Returns the query with this device's text index. */
export function useSearchedQuery(query: GridQuery): GridQuery {
  const { search } = useLocalDatabase()
  return useMemo(() => ({ ...query, candidates: candidatesOf(search, query.table, query.fields) }), [query, search])
}
