import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  ChecksumAlgorithm,
  CompleteMultipartUploadCommand,
  type CompleteMultipartUploadCommandOutput,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketAclCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runHoldfast } from '@holdfast/test-support'
import { openS3World, type S3World } from './storage-s3-world.ts'

const MIB = 1024 * 1024
const Bucket = 'photos'

let world: S3World
let s3: S3Client

beforeAll(async () => {
  world = await openS3World()
  s3 = world.s3
})
afterAll(() => world[Symbol.asyncDispose]())

async function bytesOf(Key: string, Range?: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, Range }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

const put = (Key: string, Body: Buffer | string = 'x'): Promise<unknown> =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body }))

describe('S3: buckets', () => {
  test('can be created, found, listed and deleted', async () => {
    await s3.send(new CreateBucketCommand({ Bucket: 'made-by-s3' }))
    expect((await s3.send(new HeadBucketCommand({ Bucket: 'made-by-s3' }))).BucketRegion).toBe('local')
    const names = (await s3.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name)
    expect(names).toEqual(['made-by-s3', 'pages', 'photos'])
    expect((await world.service.getBucket('made-by-s3')).data).toMatchObject({ public: false })
    await s3.send(new DeleteBucketCommand({ Bucket: 'made-by-s3' }))
    await expect(s3.send(new HeadBucketCommand({ Bucket: 'made-by-s3' }))).rejects.toMatchObject({ name: 'NotFound' })
  })

  test('report their location, and that versioning is off', async () => {
    expect(await s3.send(new GetBucketLocationCommand({ Bucket }))).toMatchObject({ LocationConstraint: 'local' })
    expect(await s3.send(new GetBucketVersioningCommand({ Bucket }))).toMatchObject({ Status: 'Suspended' })
  })

  test('refuse invalid requests with the S3 error codes', async () => {
    await expect(s3.send(new CreateBucketCommand({ Bucket }))).rejects.toMatchObject({ name: 'BucketAlreadyExists' })
    await put('a', 'in it')
    await expect(s3.send(new DeleteBucketCommand({ Bucket }))).rejects.toMatchObject({ name: 'BucketNotEmpty' })
    await expect(s3.send(new GetBucketAclCommand({ Bucket }))).rejects.toMatchObject({ name: 'NotImplemented' })
    await expect(s3.send(new ListObjectsV2Command({ Bucket: 'nowhere' }))).rejects.toMatchObject({
      name: 'NoSuchBucket',
      $metadata: { httpStatusCode: 404 },
    })
  })
})

describe('S3: objects', () => {
  test.each([
    ['a Buffer', (bytes: Buffer) => bytes],
    ['a stream', (bytes: Buffer) => Readable.from([bytes.subarray(0, 70_000), bytes.subarray(70_000)])],
  ])('are put as %s and visible to storage-js', async (kind, body) => {
    const bytes = randomBytes(200_000)
    const Key = `put/${kind} & more (1).bin`
    const { ETag } = await s3.send(
      new PutObjectCommand({
        Bucket,
        Key,
        Body: body(bytes),
        ContentLength: bytes.length,
        ContentType: 'image/png',
        CacheControl: 'max-age=60',
        Metadata: { site: 'Nord' },
      }),
    )
    expect(ETag).toBe(`"${createHash('md5').update(bytes).digest('hex')}"`)
    expect((await bytesOf(Key)).equals(bytes)).toBe(true)
    expect((await bytesOf(Key, 'bytes=1000-1999')).equals(bytes.subarray(1_000, 2_000))).toBe(true)
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key }))).toMatchObject({
      ContentLength: bytes.length,
      ContentType: 'image/png',
      CacheControl: 'max-age=60',
      ETag,
      Metadata: { site: 'Nord' },
    })
    expect((await world.service.from(Bucket).info(Key)).data).toMatchObject({
      size: bytes.length,
      contentType: 'image/png',
      metadata: { site: 'Nord' },
    })
    expect((await s3.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet).toEqual([])
  })

  test.each(Object.values(ChecksumAlgorithm).filter((one) => /^(?:CRC32|CRC32C|CRC64NVME|SHA1|SHA256)$/.test(one)))(
    'are verified by checksum: %s',
    async (ChecksumAlgorithm) => {
      const Key = `checksum-${ChecksumAlgorithm}`
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'abc', ChecksumAlgorithm }))
      expect((await bytesOf(Key)).toString()).toBe('abc')
      const field = `Checksum${ChecksumAlgorithm}`
      const wrong = {
        [field]: Buffer.alloc({ CRC64NVME: 8, SHA1: 20, SHA256: 32 }[ChecksumAlgorithm as string] ?? 4).toString(
          'base64',
        ),
      }
      await expect(s3.send(new PutObjectCommand({ Bucket, Key, Body: 'other', ...wrong }))).rejects.toMatchObject({
        name: 'BadDigest',
      })
      expect((await bytesOf(Key)).toString()).toBe('abc')
    },
  )

  test('support If-None-Match and If-Match', async () => {
    await put('once', '1')
    const again = new PutObjectCommand({ Bucket, Key: 'once', Body: '2', IfNoneMatch: '*' })
    await expect(s3.send(again)).rejects.toMatchObject({
      name: 'PreconditionFailed',
      $metadata: { httpStatusCode: 412 },
    })
    const { ETag } = await s3.send(new HeadObjectCommand({ Bucket, Key: 'once' }))
    await expect(s3.send(new GetObjectCommand({ Bucket, Key: 'once', IfNoneMatch: ETag }))).rejects.toMatchObject({
      $metadata: { httpStatusCode: 304 },
    })
    await expect(s3.send(new GetObjectCommand({ Bucket, Key: 'once', IfMatch: '"other"' }))).rejects.toMatchObject({
      name: 'PreconditionFailed',
    })
  })

  test('are copied with the same or new metadata', async () => {
    await s3.send(
      new PutObjectCommand({ Bucket, Key: 'from', Body: 'abc', ContentType: 'text/csv', Metadata: { a: '1' } }),
    )
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'copied', CopySource: `${Bucket}/from` }))
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key: 'copied' }))).toMatchObject({
      ContentType: 'text/csv',
      Metadata: { a: '1' },
    })
    const replace = { MetadataDirective: 'REPLACE', ContentType: 'text/plain', Metadata: { b: '2' } } as const
    await s3.send(new CopyObjectCommand({ Bucket: 'pages', Key: 'copied', CopySource: `/${Bucket}/from`, ...replace }))
    expect(await s3.send(new HeadObjectCommand({ Bucket: 'pages', Key: 'copied' }))).toMatchObject({
      ContentType: 'text/plain',
      Metadata: { b: '2' },
    })
    await expect(
      s3.send(new CopyObjectCommand({ Bucket, Key: 'copied', CopySource: `${Bucket}/nothing` })),
    ).rejects.toMatchObject({ name: 'NoSuchKey' })
  })

  test('are deleted one by one, in bulk and repeatedly', async () => {
    for (const Key of ['gone-1', 'gone-2', "gone-3 & 'more'"]) await put(Key)
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'gone-1' }))
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'gone-1' }))
    const Objects = [{ Key: 'gone-1' }, { Key: 'gone-2' }, { Key: "gone-3 & 'more'" }]
    const { Deleted, Errors } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
    expect(Deleted?.map(({ Key }) => Key)).toEqual(Objects.map(({ Key }) => Key))
    expect(Errors ?? []).toEqual([])
    await expect(bytesOf('gone-2')).rejects.toMatchObject({ name: 'NoSuchKey' })
    await expect(s3.send(new DeleteObjectCommand({ Bucket: 'nowhere', Key: 'a' }))).rejects.toMatchObject({
      name: 'NoSuchBucket',
    })
  })
})

describe('S3: lists', () => {
  const keys = ['list/a.txt', 'list/b.txt', 'list/b/1.txt', 'list/b/2.txt', 'list/c/d/e.txt']

  beforeAll(async () => {
    for (const key of keys) await put(key)
  })

  test('page through all keys in byte order', async () => {
    const found: (string | undefined)[] = []
    for await (const page of paginateListObjectsV2({ client: s3, pageSize: 2 }, { Bucket, Prefix: 'list/' }))
      found.push(...(page.Contents ?? []).map(({ Key }) => Key))
    expect(found).toEqual(keys)
  })

  test('page through one level', async () => {
    const found: (string | undefined)[] = []
    const input = { Bucket, Prefix: 'list/', Delimiter: '/' }
    for await (const page of paginateListObjectsV2({ client: s3, pageSize: 1 }, input)) {
      expect(page.KeyCount).toBe(1)
      found.push(
        ...(page.Contents ?? []).map(({ Key }) => Key),
        ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
      )
    }
    expect(found).toEqual(['list/a.txt', 'list/b.txt', 'list/b/', 'list/c/'])
  })

  test('page by marker in ListObjects version 1', async () => {
    const found: (string | undefined)[] = []
    let Marker: string | undefined
    do {
      const page = await s3.send(
        new ListObjectsCommand({ Bucket, Prefix: 'list/', Delimiter: '/', MaxKeys: 1, Marker }),
      )
      found.push(
        ...(page.Contents ?? []).map(({ Key }) => Key),
        ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
      )
      Marker = page.IsTruncated === true ? page.NextMarker : undefined
    } while (Marker !== undefined)
    expect(found).toEqual(['list/a.txt', 'list/b.txt', 'list/b/', 'list/c/'])
  })

  test('page past an object that file managers create for a folder', async () => {
    for (const key of ['marked/', 'marked/a.txt']) await put(key)
    const input = { Bucket, Prefix: 'marked/', Delimiter: '/', MaxKeys: 1 }
    const first = await s3.send(new ListObjectsCommand(input))
    expect(first.Contents?.map(({ Key }) => Key)).toEqual(['marked/'])
    const next = await s3.send(new ListObjectsCommand({ ...input, Marker: first.NextMarker }))
    expect(next.Contents?.map(({ Key }) => Key)).toEqual(['marked/a.txt'])
  })

  test('start after a key, or with part of a name', async () => {
    const after = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'list/', StartAfter: 'list/b/1.txt' }))
    expect(after.Contents?.map(({ Key }) => Key)).toEqual(['list/b/2.txt', 'list/c/d/e.txt'])
    const part = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'list/b', EncodingType: 'url' }))
    expect(part.Contents?.map(({ Key }) => Key)).toEqual(['list%2Fb.txt', 'list%2Fb%2F1.txt', 'list%2Fb%2F2.txt'])
  })
})

describe('S3: multipart uploads', () => {
  test('work with lib-storage', async () => {
    const bytes = randomBytes(11 * MIB + 5)
    const upload = new Upload({
      client: s3,
      params: {
        Bucket,
        Key: 'large.bin',
        Body: Readable.from([bytes]),
        ContentType: 'video/mp4',
        Metadata: { a: 'b' },
      },
      partSize: 5 * MIB,
    })
    const { ETag } = await upload.done()
    expect(ETag).toMatch(/^"[0-9a-f]{32}-3"$/)
    expect((await bytesOf('large.bin')).equals(bytes)).toBe(true)
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key: 'large.bin' }))).toMatchObject({
      ContentType: 'video/mp4',
      Metadata: { a: 'b' },
      ETag,
    })
  })

  test('list parts, copy parts from other objects and replace parts', async () => {
    const bytes = randomBytes(6 * MIB)
    await put('source.bin', bytes)
    const Key = 'of-parts.bin'
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    const upload = { Bucket, Key, UploadId }
    await s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: randomBytes(5 * MIB) }))
    const first = await s3.send(
      new UploadPartCopyCommand({
        ...upload,
        PartNumber: 1,
        CopySource: `${Bucket}/source.bin`,
        CopySourceRange: `bytes=0-${5 * MIB - 1}`,
      }),
    )
    const second = await s3.send(new UploadPartCommand({ ...upload, PartNumber: 7, Body: bytes.subarray(5 * MIB) }))
    const listed = await s3.send(new ListPartsCommand(upload))
    expect(listed.Parts).toMatchObject([
      { PartNumber: 1, Size: 5 * MIB, ETag: first.CopyPartResult?.ETag },
      { PartNumber: 7, Size: MIB, ETag: second.ETag },
    ])
    const uploads = await s3.send(new ListMultipartUploadsCommand({ Bucket }))
    expect(uploads.Uploads).toMatchObject([{ Key, UploadId }])
    const Parts = [
      { PartNumber: 1, ETag: first.CopyPartResult?.ETag },
      { PartNumber: 7, ETag: second.ETag },
    ]
    const complete = (): Promise<CompleteMultipartUploadCommandOutput> =>
      s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
    const { ETag } = await complete()
    expect((await bytesOf(Key)).equals(bytes)).toBe(true)
    expect((await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []).toEqual([])
    // Like a client that lost the response.
    expect(await complete()).toMatchObject({ ETag, Key })
  })

  test('are refused if the parts do not match, and can be aborted', async () => {
    const Key = 'given-up.bin'
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    const upload = { Bucket, Key, UploadId }
    const one = await s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'small' }))
    const two = await s3.send(new UploadPartCommand({ ...upload, PartNumber: 2, Body: 'small' }))
    const complete = (Parts: { PartNumber: number; ETag: string | undefined }[]): Promise<unknown> =>
      s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
    const parts = [
      { PartNumber: 1, ETag: one.ETag },
      { PartNumber: 2, ETag: two.ETag },
    ]
    await expect(complete(parts)).rejects.toMatchObject({ name: 'EntityTooSmall' })
    await expect(complete(parts.toReversed())).rejects.toMatchObject({ name: 'InvalidPartOrder' })
    await expect(complete([{ PartNumber: 1, ETag: '"0"' }])).rejects.toMatchObject({ name: 'InvalidPart' })
    await expect(s3.send(new UploadPartCommand({ ...upload, PartNumber: 10_001, Body: 'x' }))).rejects.toMatchObject({
      name: 'InvalidArgument',
    })
    await s3.send(new AbortMultipartUploadCommand(upload))
    await expect(complete(parts)).rejects.toMatchObject({ name: 'NoSuchUpload' })
    await expect(s3.send(new UploadPartCommand({ ...upload, PartNumber: 3, Body: 'x' }))).rejects.toMatchObject({
      name: 'NoSuchUpload',
    })
  })

  test('resume after the server is killed mid-part, with rows and bytes consistent', async () => {
    const { holdfast } = world
    const Key = 'killed.bin'
    const bytes = randomBytes(6 * MIB)
    const [first, second] = [bytes.subarray(0, 5 * MIB), bytes.subarray(5 * MIB)]
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    const upload = { Bucket, Key, UploadId }
    const sent = await s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: first }))
    const half = new PassThrough()
    half.write(second.subarray(0, 100_000))
    const broken = s3.send(
      new UploadPartCommand({ ...upload, PartNumber: 2, Body: half, ContentLength: second.length }),
    )
    const refused = expect(broken).rejects.toThrow()
    const unfinished = join(holdfast.dataDir, 'storage', 'unfinished')
    await expect.poll(() => readdirSync(unfinished).length).toBe(1)
    await holdfast.kill9()
    half.destroy()
    await refused
    await holdfast.restart()
    expect((await s3.send(new ListPartsCommand(upload))).Parts).toMatchObject([{ PartNumber: 1, ETag: sent.ETag }])
    const rest = await s3.send(new UploadPartCommand({ ...upload, PartNumber: 2, Body: second }))
    const Parts = [sent, rest].map(({ ETag }, index) => ({ PartNumber: index + 1, ETag }))
    await s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
    expect((await bytesOf(Key)).equals(bytes)).toBe(true)
    const report = await runHoldfast('storage', 'verify', `--data-dir=${holdfast.dataDir}`, '--json')
    expect(JSON.parse(report)).toMatchObject({ equal: true, faults: [] })
  })
})

describe('S3: presigned URLs and forms', () => {
  test('read, write and delete without a key', async () => {
    const Key = 'presigned/a b.txt'
    const write = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key, Metadata: { from: 'link' } }), {
      expiresIn: 60,
    })
    expect((await fetch(write, { method: 'PUT', body: 'by link' })).status).toBe(200)
    const read = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key, ResponseContentType: 'text/html' }))
    const answer = await fetch(read)
    expect(await answer.text()).toBe('by link')
    expect(answer.headers.get('x-amz-meta-from')).toBe('link')
    // Content that could run in the app's origin is served as plain text.
    expect(answer.headers.get('content-type')).toBe('text/plain')
    expect((await fetch(read.replace('a%20b', 'a%20c'))).status).toBe(403)
    expect((await fetch(read, { headers: { 'x-amz-copy-source': '/photos/other' } })).status).toBe(403)
    expect((await fetch(write, { method: 'DELETE' })).status).toBe(403)
    const remove = await getSignedUrl(s3, new DeleteObjectCommand({ Bucket, Key }))
    expect((await fetch(remove, { method: 'DELETE' })).status).toBe(204)
  })

  test('accept only forms that match their policy', async () => {
    const { url, fields } = await createPresignedPost(s3, {
      Bucket,
      Key: 'forms/${filename}',
      Conditions: [
        ['content-length-range', 1, 10],
        ['starts-with', '$Content-Type', 'text/'],
      ],
      Fields: { success_action_status: '201' },
    })
    const post = (text: string, more: Record<string, string> = {}): Promise<Response> => {
      const form = new FormData()
      for (const [name, value] of Object.entries({ ...fields, 'Content-Type': 'text/plain', ...more }))
        form.set(name, value)
      form.set('file', new File([text], 'note.txt'))
      return fetch(url, { method: 'POST', body: form })
    }
    const made = await post('hello')
    expect([made.status, await made.text()]).toEqual([201, expect.stringContaining('<Key>forms/note.txt</Key>')])
    expect((await bytesOf('forms/note.txt')).toString()).toBe('hello')
    expect((await post('much too long')).status).toBe(413)
    expect((await post('hello', { 'Content-Type': 'image/png' })).status).toBe(403)
    expect((await post('hello', { key: 'elsewhere' })).status).toBe(403)
    expect((await post('hello', { 'x-amz-meta-extra': '1' })).status).toBe(403)
    expect((await post('hello', { 'X-Amz-Signature': '0'.repeat(64) })).status).toBe(403)
  })
})
