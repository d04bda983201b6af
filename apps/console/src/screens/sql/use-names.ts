import { useQuery } from '@tanstack/react-query'
import { request } from '../../lib/api.ts'

type Names = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** Names for completion: columns by table and schema; `undefined` until they are there. */
export function useNames(): Names | undefined {
  return useQuery({
    queryKey: ['catalog-names'],
    queryFn: ({ signal }) => request<{ names: Names }>('GET /catalog', { signal }),
    staleTime: 60_000,
  }).data?.names
}
