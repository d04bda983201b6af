import { CopyObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStorageWorld, type Answer, type StorageWorld } from '../storage-world.ts'

// A bucket's limits also apply to existing objects that are moved or copied into it or change type.

let world: StorageWorld

beforeAll(async () => {
  world = await openStorageWorld()
  await world.run(`
    insert into storage.buckets (id, name) values ('any', 'any');
    insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
      values ('avatars', 'avatars', true, 1000, '{image/*}');
    create policy everything on storage.objects for all to authenticated using (true) with check (true)`)
})
afterAll(() => world[Symbol.asyncDispose]())

async function put(path: string, type: string, bytes: number): Promise<void> {
  const { status } = await world.request('service', {
    method: 'POST',
    url: `/object/${path}`,
    payload: Buffer.alloc(bytes, 'x'),
    headers: { 'content-type': type, 'x-upsert': 'true' },
  })
  expect(status).toBe(200)
}

const post = (what: 'move' | 'copy', body: object): Promise<Answer> =>
  world.request('alice', { method: 'POST', url: `/object/${what}`, payload: body })

const into = (what: 'move' | 'copy', sourceKey: string): Promise<Answer> =>
  post(what, { bucketId: 'any', sourceKey, destinationBucket: 'avatars', destinationKey: sourceKey })

async function keysOf(bucket: string): Promise<unknown> {
  const rows = await world.run(`select name from storage.objects where bucket_id = '${bucket}' order by name`)
  return rows.map(({ name }) => name)
}

beforeEach(async () => {
  await world.run(`set storage.allow_delete_query = 'true'; delete from storage.objects`)
  await put('any/page.html', 'text/html', 10)
  await put('any/large.png', 'image/png', 1_001)
  await put('any/small.png', 'image/png', 1_000)
})

describe.each(['move', 'copy'] as const)('a %s into a bucket with limits', (what) => {
  test('is refused for a type that it does not take', async () => {
    expect((await into(what, 'page.html')).body).toMatchObject({ statusCode: '415', error: 'invalid_mime_type' })
  })

  test('is refused for a file that is too large', async () => {
    expect((await into(what, 'large.png')).body).toMatchObject({ statusCode: '413', code: 'EntityTooLarge' })
  })

  test('is done for a file that it takes', async () => {
    expect((await into(what, 'small.png')).status).toBe(200)
    expect(await keysOf('avatars')).toEqual(['small.png'])
  })

  test('says nothing of what one may not see', async () => {
    const { body } = await world.request('anon', {
      method: 'POST',
      url: `/object/${what}`,
      payload: {
        bucketId: 'any',
        sourceKey: 'page.html',
        destinationBucket: 'avatars',
        destinationKey: 'page.html',
      },
    })
    expect(body).toMatchObject({ statusCode: '404' })
  })

  test('that is refused leaves both buckets as they were', async () => {
    await into(what, 'page.html')
    await into(what, 'large.png')
    expect(await keysOf('avatars')).toEqual([])
    expect(await keysOf('any')).toEqual(['large.png', 'page.html', 'small.png'])
  })
})

test('an object does not become of another type by a copy within its bucket', async () => {
  await put('avatars/a.png', 'image/png', 10)
  const copy = { bucketId: 'avatars', sourceKey: 'a.png', destinationKey: 'a.svg', copyMetadata: false }
  expect((await post('copy', { ...copy, metadata: { mimetype: 'text/xml' } })).body).toMatchObject({
    statusCode: '415',
  })
  expect((await post('copy', { ...copy, metadata: { mimetype: 'image/webp' } })).status).toBe(200)
})

test('nor by one of S3', async () => {
  await put('avatars/a.png', 'image/png', 10)
  const { accessKeyId, secretAccessKey, region } = world.s3
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint: `${world.url}/s3`, region, forcePathStyle: true, credentials })
  const copy = { Bucket: 'avatars', Key: 'a.png', CopySource: 'avatars/a.png', ContentType: 'text/html' } as const
  await expect(client.send(new CopyObjectCommand({ ...copy, MetadataDirective: 'REPLACE' }))).rejects.toMatchObject({
    $metadata: { httpStatusCode: 415 },
  })
  client.destroy()
})

test('what was there before the limits stays, and may have another name', async () => {
  await world.run(`update storage.buckets set allowed_mime_types = '{image/*}', file_size_limit = 5 where id = 'any'`)
  try {
    const here = { bucketId: 'any', sourceKey: 'page.html' }
    expect((await post('copy', { ...here, destinationKey: 'second.html' })).status).toBe(200)
    expect((await post('move', { ...here, destinationKey: 'first.html' })).status).toBe(200)
  } finally {
    await world.run(`update storage.buckets set allowed_mime_types = null, file_size_limit = null where id = 'any'`)
  }
})

test('a bucket that allows * takes every type', async () => {
  const bucket = { id: 'star', name: 'star', allowed_mime_types: ['*'] }
  expect((await world.request('service', { method: 'POST', url: '/bucket', payload: bucket })).status).toBe(200)
  await put('star/page.html', 'text/html', 10)
})
