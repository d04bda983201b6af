import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { BucketList, BucketUsages, ListedBucket } from '@holdfast/protocol'
import { request } from '../../lib/api.ts'

export const BUCKETS = ['files', 'buckets'] as const
export const USAGES = ['files', 'usages'] as const

/** A bucket, and the limits of the server that it is on. */
export interface BucketProps {
  readonly bucket: ListedBucket
  readonly server: BucketList
}

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
