import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openS3World, type S3World } from './storage-s3-world.ts'
import { folderOf } from './storage-world.ts'

const Bucket = 'photos'

let world: S3World

beforeAll(async () => {
  world = await openS3World()
})
afterAll(() => world[Symbol.asyncDispose]())

async function bytesOf(Key: string): Promise<Buffer> {
  const { Body } = await world.s3.send(new GetObjectCommand({ Bucket, Key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

describe('S3: session tokens', () => {
  test("act as their user: only the user's own folder", async () => {
    const [mine, theirs] = [await folderOf(world.alice), await folderOf(world.bob)]
    const [alice, bob] = [await world.s3Of(world.alice), await world.s3Of(world.bob)]
    await bob.send(new PutObjectCommand({ Bucket, Key: `${theirs}/secret.txt`, Body: 'of bob' }))
    await alice.send(new PutObjectCommand({ Bucket, Key: `${mine}/a.txt`, Body: 'of alice' }))
    expect((await world.alice.storage.from(Bucket).info(`${mine}/a.txt`)).data).toMatchObject({ size: 8 })
    const listed = await alice.send(new ListObjectsV2Command({ Bucket }))
    expect(listed.Contents?.map(({ Key }) => Key)).toEqual([`${mine}/a.txt`])
    const levels = await alice.send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }))
    expect(levels.CommonPrefixes).toEqual([{ Prefix: `${mine}/` }])
    const Key = `${theirs}/secret.txt`
    for (const refused of [
      new PutObjectCommand({ Bucket, Key, Body: 'x' }),
      new CreateMultipartUploadCommand({ Bucket, Key }),
      new DeleteObjectCommand({ Bucket, Key }),
      new CreateBucketCommand({ Bucket: 'of-alice' }),
    ])
      await expect(alice.send(refused as PutObjectCommand)).rejects.toMatchObject({ name: 'AccessDenied' })
    for (const unseen of [
      new GetObjectCommand({ Bucket, Key }),
      new GetObjectTaggingCommand({ Bucket, Key }),
      new CopyObjectCommand({ Bucket, Key: `${mine}/stolen.txt`, CopySource: `${Bucket}/${Key}` }),
    ])
      await expect(alice.send(unseen as GetObjectCommand)).rejects.toMatchObject({ name: 'NoSuchKey' })
    const { Deleted, Errors } = await alice.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }, { Key: `${mine}/a.txt` }] } }),
    )
    expect(Deleted).toMatchObject([{ Key: `${mine}/a.txt` }])
    expect(Errors).toMatchObject([{ Key, Code: 'AccessDenied' }])
    expect((await bytesOf(Key)).toString()).toBe('of bob')
  })

  test("cannot continue another user's upload", async () => {
    const mine = await folderOf(world.alice)
    const [alice, bob] = [await world.s3Of(world.alice), await world.s3Of(world.bob)]
    const Key = `${mine}/parts.bin`
    const { UploadId } = await alice.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    const upload = { Bucket, Key, UploadId }
    const { ETag } = await alice.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'of alice' }))
    for (const command of [
      new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'of bob' }),
      new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }),
      new AbortMultipartUploadCommand(upload),
    ])
      await expect(bob.send(command as UploadPartCommand)).rejects.toMatchObject({ name: 'AccessDenied' })
    await alice.send(
      new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }),
    )
    expect((await bytesOf(Key)).toString()).toBe('of alice')
    expect((await world.alice.storage.from(Bucket).info(Key)).error).toBeNull()
  })

  test('are refused if invalid or with the wrong key', async () => {
    const list = new ListBucketsCommand({})
    const { endpoint, region } = world.holdfast.s3
    const { anonKey } = world.holdfast
    const signIn = (credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }): S3Client =>
      new S3Client({ endpoint, region, forcePathStyle: true, credentials })
    const wrong = [
      [{ accessKeyId: 'a', secretAccessKey: anonKey, sessionToken: 'none' }, 'InvalidToken'],
      [{ accessKeyId: 'a', secretAccessKey: 'b', sessionToken: anonKey }, 'SignatureDoesNotMatch'],
      [{ accessKeyId: 'a', secretAccessKey: anonKey }, 'InvalidAccessKeyId'],
      [{ ...world.holdfast.s3, secretAccessKey: 'b' }, 'SignatureDoesNotMatch'],
    ] as const
    for (const [credentials, name] of wrong)
      await expect(signIn(credentials).send(list)).rejects.toMatchObject({ name })
    const bob = await world.s3Of(world.bob)
    await expect(bob.send(list)).resolves.toMatchObject({ Buckets: [] })
    await world.bob.auth.signOut()
    // The end of a session takes a moment to reach token verification.
    const answer = (): Promise<string> =>
      bob.send(list).then(
        () => 'answered',
        (error: Error) => error.name,
      )
    await expect.poll(answer).toBe('InvalidToken')
  })
})
