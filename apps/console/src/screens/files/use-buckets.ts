import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { BucketList, BucketUsages } from '@holdfast/protocol'
import { request } from '../../lib/api.ts'

export const BUCKETS = ['files', 'buckets'] as const
export const USAGES = ['files', 'usages'] as const

export function useBuckets(): UseQueryResult<BucketList> {
  return useQuery({ queryKey: BUCKETS, queryFn: ({ signal }) => request<BucketList>('GET /files/buckets', { signal }) })
}

export function useUsages(): UseQueryResult<BucketUsages> {
  return useQuery({ queryKey: USAGES, queryFn: ({ signal }) => request<BucketUsages>('GET /files/usages', { signal }) })
}

/** Key of the pages of a bucket's folders. */
export function folderKey(bucket: string): readonly string[] {
  return ['files', 'folder', bucket]
}
