import { expect, test } from 'vitest'
import { REQUEST_BUCKETS_MAX } from '../limits.ts'
import { readSyncRequest } from './read-request.ts'

test('a request names as many buckets as twice what a person can have, and no more', () => {
  const buckets = Array.from({ length: REQUEST_BUCKETS_MAX }, (_, n) => ({ name: `b${n}`, after: '0' }))
  expect(readSyncRequest({ buckets }).buckets).toHaveLength(REQUEST_BUCKETS_MAX)
  expect(() => readSyncRequest({ buckets: [...buckets, { name: 'one more', after: '0' }] })).toThrow(
    expect.objectContaining({ code: 'PSYNC_S2001', status: 400 }),
  )
})
