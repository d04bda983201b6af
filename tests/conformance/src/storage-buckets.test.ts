import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openStorageWorld, type StorageWorld } from './storage-world.ts'

let world: StorageWorld

beforeAll(async () => {
  world = await openStorageWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

describe('bucket.createBucket', () => {
  test('creates a bucket with limits', async () => {
    const { data, error } = await world.service.createBucket('limited', {
      public: false,
      fileSizeLimit: '20mb',
      allowedMimeTypes: ['image/*', 'application/pdf'],
    })
    expect({ data, error }).toEqual({ data: { name: 'limited' }, error: null })
    const { data: made } = await world.service.getBucket('limited')
    expect(made).toMatchObject({ file_size_limit: 20_000_000, allowed_mime_types: ['image/*', 'application/pdf'] })
  })

  describe('refused', () => {
    test('without a policy that allows it', async () => {
      const { error } = await world.alice.storage.createBucket('mine')
      expect(error).toMatchObject({
        status: 400,
        statusCode: '403',
        code: 'AccessDenied',
        message: 'new row violates row-level security policy',
      })
    })

    test('with a name in use', async () => {
      const { error } = await world.service.createBucket('photos')
      expect(error).toMatchObject({ statusCode: '409', code: 'BucketAlreadyExists' })
    })

    test.each(['', ' x', 'a/b', 'é', 'x'.repeat(101), 'x--table-s3'])('with the name %j', async (name) => {
      const { error } = await world.service.createBucket(name)
      expect(error).toMatchObject({ status: 400, code: 'InvalidBucketName', message: 'Bucket name invalid' })
    })

    test("with a file size limit above the server's", async () => {
      const { error } = await world.service.createBucket('huge', { public: false, fileSizeLimit: '60mb' })
      expect(error).toMatchObject({ statusCode: '413', code: 'EntityTooLarge' })
    })

    test('with an invalid MIME type', async () => {
      const { error } = await world.service.createBucket('odd', { public: false, allowedMimeTypes: ['image'] })
      expect(error).toMatchObject({ statusCode: '415', code: 'InvalidMimeType' })
    })
  })
})

describe('bucket.getBucket', () => {
  test('returns the bucket', async () => {
    const { data } = await world.service.getBucket('photos')
    expect(data).toMatchObject({ id: 'photos', name: 'photos', public: false, file_size_limit: null })
  })

  test('is refused unless a policy shows the bucket', async () => {
    const { error } = await world.alice.storage.getBucket('photos')
    expect(error).toMatchObject({ status: 400, statusCode: '404', code: 'NoSuchBucket', message: 'Bucket not found' })
  })
})

describe('bucket.listBuckets', () => {
  test('searches, sorts and pages', async () => {
    for (const name of ['l-1', 'l-2', 'l_3']) await world.service.createBucket(name)
    const names = async (options: Parameters<typeof world.service.listBuckets>[0]): Promise<string[]> =>
      ((await world.service.listBuckets(options)).data ?? []).map(({ name }) => name)
    expect(await names({ search: 'l-', sortColumn: 'name', sortOrder: 'desc' })).toEqual(['l-2', 'l-1'])
    expect(await names({ search: 'L_', sortColumn: 'name', sortOrder: 'asc' })).toEqual(['l_3'])
    expect(await names({ search: 'l-', sortColumn: 'id', sortOrder: 'asc', limit: 1, offset: 1 })).toEqual(['l-2'])
  })

  test('returns an empty list without a policy', async () => {
    expect((await world.anon.listBuckets()).data).toEqual([])
  })
})

describe('bucket.updateBucket', () => {
  test('changes only the named fields', async () => {
    await world.service.createBucket('changing', { public: false, fileSizeLimit: 1_000, allowedMimeTypes: ['text/*'] })
    const { data } = await world.service.updateBucket('changing', { public: true })
    expect(data).toEqual({ message: 'Successfully updated' })
    expect((await world.service.getBucket('changing')).data).toMatchObject({ public: true, file_size_limit: 1_000 })
    await world.service.updateBucket('changing', { public: true, fileSizeLimit: null })
    expect((await world.service.getBucket('changing')).data).toMatchObject({
      file_size_limit: null,
      allowed_mime_types: ['text/*'],
    })
  })

  test('is refused for an unknown bucket', async () => {
    const { error } = await world.service.updateBucket('nowhere', { public: true })
    expect(error).toMatchObject({ statusCode: '404', code: 'NoSuchBucket' })
  })
})

describe('bucket.emptyBucket', () => {
  test('deletes all objects and their bytes after it responds', async () => {
    await world.service.createBucket('full')
    for (const name of ['a', 'b/c']) await world.service.from('full').upload(name, 'text')
    const { data } = await world.service.emptyBucket('full')
    expect(data?.message).toBe('Empty bucket has been queued. Completion may take up to an hour.')
    await vi.waitFor(async () => expect((await world.service.from('full').list()).data).toEqual([]), {
      timeout: 60_000,
    })
  })

  test('is refused without the service key, with status 403', async () => {
    const { error } = await world.alice.storage.emptyBucket('photos')
    expect(error).toMatchObject({ status: 403, code: 'AccessDenied' })
  })
})

describe('bucket.deleteBucket', () => {
  test('deletes an empty bucket', async () => {
    await world.service.createBucket('short')
    expect((await world.service.deleteBucket('short')).data).toEqual({ message: 'Successfully deleted' })
    expect((await world.service.getBucket('short')).error).toMatchObject({ statusCode: '404' })
  })

  test('is refused unless the bucket is empty', async () => {
    await world.service.createBucket('kept')
    await world.service.from('kept').upload('a', 'text')
    const { error } = await world.service.deleteBucket('kept')
    expect(error).toMatchObject({
      statusCode: '409',
      code: 'ResourceNotEmpty',
      message: 'The bucket you tried to delete is not empty',
    })
  })
})

describe('bucket.purgeBucketCache', () => {
  test('succeeds with the service key; there is no cache to purge', async () => {
    expect((await world.service.purgeBucketCache('pages')).error).toBeNull()
  })

  test('is refused without the service key', async () => {
    expect((await world.alice.storage.purgeBucketCache('pages')).error).toMatchObject({ status: 403 })
  })
})

describe('bucket.getBucketLifecycle', () => {
  test('is refused: not supported', async () => {
    expect((await world.service.getBucketLifecycle('pages')).error).toMatchObject({ code: 'FeatureNotEnabled' })
  })
})

describe('bucket.updateBucketLifecycle', () => {
  test('is refused: not supported', async () => {
    const { error } = await world.service.updateBucketLifecycle('pages', { rules: [] } as never)
    expect(error).toMatchObject({ code: 'FeatureNotEnabled' })
  })
})

describe('bucket.deleteBucketLifecycle', () => {
  test('is refused: not supported', async () => {
    expect((await world.service.deleteBucketLifecycle('pages')).error).toMatchObject({ code: 'FeatureNotEnabled' })
  })
})

describe('Analytics and vector buckets', () => {
  // The client throws or returns the error, depending on the call.
  const refusalOf = async (call: () => Promise<unknown>): Promise<unknown> => {
    try {
      return ((await call()) as { error?: unknown }).error
    } catch (error) {
      return error
    }
  }
  const bucket = (): ReturnType<typeof world.service.vectors.from> => world.service.vectors.from('v')
  const vector = { key: 'a', data: { float32: [1] } }

  test.each<readonly [name: string, call: () => Promise<unknown>]>([
    ['analytics.createBucket', () => world.service.analytics.createBucket('a')],
    ['analytics.listBuckets', () => world.service.analytics.listBuckets()],
    ['analytics.deleteBucket', () => world.service.analytics.deleteBucket('a')],
    ['analytics.from(…).listNamespaces', () => world.service.analytics.from('a').listNamespaces()],
    ['vectors.createBucket', () => world.service.vectors.createBucket('v')],
    ['vectors.getBucket', () => world.service.vectors.getBucket('v')],
    ['vectors.listBuckets', () => world.service.vectors.listBuckets()],
    ['vectors.deleteBucket', () => world.service.vectors.deleteBucket('v')],
    [
      'vectors.from(…).createIndex',
      () => bucket().createIndex({ indexName: 'i', dataType: 'float32', dimension: 1, distanceMetric: 'cosine' }),
    ],
    ['vectors.from(…).listIndexes', () => bucket().listIndexes()],
    [
      'vectors.from(…).index(…).putVectors',
      () =>
        bucket()
          .index('i')
          .putVectors({ vectors: [vector] }),
    ],
    [
      'vectors.from(…).index(…).queryVectors',
      () => bucket().index('i').queryVectors({ queryVector: vector.data, topK: 1 }),
    ],
  ])('%s is refused: not supported', async (_name, call) => {
    const refusal = await refusalOf(call)
    expect(refusal).toBeInstanceOf(Error)
    expect(`${JSON.stringify(refusal)} ${String(refusal)}`).toMatch(
      /FeatureNotEnabled|is not enabled for this resource/,
    )
  })
})
