import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { FunctionList } from '@holdfast/protocol'
import { request } from '../../lib/api.ts'

/** Refresh interval in ms while the page is visible. */
const REFRESH_MS = 10_000

export const FUNCTIONS_KEY = ['functions']

/** Reads the functions of the project and their counts. */
export function useFunctions(): UseQueryResult<FunctionList> {
  return useQuery({
    queryKey: FUNCTIONS_KEY,
    queryFn: ({ signal }) => request<FunctionList>('GET /functions', { signal }),
    refetchInterval: REFRESH_MS,
  })
}
