import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { JobList } from '@holdfast/protocol'
import { request } from '../../lib/api.ts'

/** Refresh interval in ms while the page is visible. */
export const REFRESH_MS = 10_000

/** Reads the scheduled jobs. */
export function useJobs(): UseQueryResult<JobList> {
  return useQuery({
    queryKey: ['jobs'],
    queryFn: ({ signal }) => request<JobList>('GET /jobs', { signal }),
    refetchInterval: REFRESH_MS,
  })
}
