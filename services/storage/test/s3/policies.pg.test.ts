import { createHmac } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
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
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql, type SqlFragment } from '@holdfast/postgres'
import {
  insertStatement as insert,
  isAllowed,
  POLICY_SETS,
  setPolicies,
  stateOf,
  upsertStatement as upsert,
  type Command,
  type Judged,
  type PolicyTable,
} from '../policy-matrix.ts'
import { openStorageWorld, PUBLIC_KEY, type StorageWorld } from '../storage-world.ts'

// As ../policies.pg.test.ts, for S3 operations with a user's token.

const Bucket = 'box'
const Body = 'bytes'

let world: StorageWorld
/** Signs with the key pair. */
let service: S3Client
/** Signs with a user's token. */
let alice: S3Client
/** Started as the service, with one part. */
let upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string }
let eTag: string

/** `done`, `nothing` for an empty list, or the error name. */
type Outcome = string

interface Call extends Judged {
  readonly title: string
  readonly table: PolicyTable
  /** Policies that are necessary and sufficient. */
  readonly needs: readonly Command[]
  readonly run: () => Promise<Outcome>
  /** Expected refusal. */
  readonly refusal: Outcome
}

type Sent = Parameters<S3Client['send']>[0]

/** @param look - extracts the list; an empty one means `nothing` */
const send = async (command: unknown, look?: (answer: never) => readonly unknown[] | undefined): Promise<Outcome> => {
  try {
    const answer = await alice.send(command as Sent)
    return look && (look(answer as never) ?? []).length === 0 ? 'nothing' : 'done'
  } catch (error) {
    return (error as Error).name
  }
}

/** Posts a form signed by hand, as browsers do. */
async function post(key: string): Promise<Outcome> {
  const timestamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const scope = `${timestamp.slice(0, 8)}/us-east-1/s3/aws4_request`
  const fields = {
    key,
    'x-amz-credential': `project/${scope}`,
    'x-amz-date': timestamp,
    'x-amz-security-token': 'alice',
  }
  const conditions = [{ bucket: Bucket }, ...Object.entries(fields).map(([name, value]) => ({ [name]: value }))]
  const expiration = new Date(Date.now() + 600_000).toISOString()
  const policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString('base64')
  let signingKey: Buffer | string = `AWS4${PUBLIC_KEY}`
  for (const part of scope.split('/')) signingKey = createHmac('sha256', signingKey).update(part).digest()
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('policy', policy)
  form.set('x-amz-signature', createHmac('sha256', signingKey).update(policy).digest('hex'))
  form.set('file', new Blob([Body]))
  const answer = await fetch(`${world.url}/s3/${Bucket}`, { method: 'POST', body: form })
  return answer.ok ? 'done' : (/<Code>(.*?)<\/Code>/.exec(await answer.text())?.[1] ?? String(answer.status))
}

const select = sql`select id from storage.objects where bucket_id = 'box' and name = 'there.txt'`
const remove = sql`delete from storage.objects where bucket_id = 'box' and name = 'there.txt' returning id`
const copy = (to: string): SqlFragment =>
  sql`with source as (select bucket_id from storage.objects where bucket_id = 'box' and name = 'there.txt')
      insert into storage.objects (bucket_id, name, version) select bucket_id, ${to}, '1' from source
      on conflict (bucket_id, name) do update set version = excluded.version returning id`

const reads = { table: 'objects', needs: ['select'], returnsRow: true, statement: select } as const
const makesNew = {
  table: 'objects',
  needs: ['select', 'insert'],
  returnsRow: true,
  statement: upsert('new.txt'),
  refusal: 'AccessDenied',
} as const
const replaces = {
  ...makesNew,
  needs: ['select', 'insert', 'update'],
  statement: upsert('there.txt'),
} as const
const ofBucket = { table: 'buckets', returnsRow: true } as const
const selectBare = sql`select id from storage.buckets where id = 'bare'`

const CALLS: readonly Call[] = [
  { ...makesNew, title: 'PutObject', run: () => send(new PutObjectCommand({ Bucket, Key: 'new.txt', Body })) },
  {
    ...replaces,
    title: 'PutObject of a key that is there',
    run: () => send(new PutObjectCommand({ Bucket, Key: 'there.txt', Body })),
  },
  {
    title: 'PutObject of new keys only',
    table: 'objects',
    needs: ['insert'],
    statement: insert('new.txt'),
    returnsRow: false,
    run: () => send(new PutObjectCommand({ Bucket, Key: 'new.txt', Body, IfNoneMatch: '*' })),
    refusal: 'AccessDenied',
  },
  { ...makesNew, title: 'PostObject', run: () => post('new.txt') },
  { ...replaces, title: 'PostObject of a key that is there', run: () => post('there.txt') },
  {
    ...reads,
    title: 'GetObject',
    run: () => send(new GetObjectCommand({ Bucket, Key: 'there.txt' })),
    refusal: 'NoSuchKey',
  },
  {
    ...reads,
    title: 'HeadObject',
    run: () => send(new HeadObjectCommand({ Bucket, Key: 'there.txt' })),
    refusal: 'NotFound',
  },
  {
    ...reads,
    title: 'GetObjectTagging',
    run: () => send(new GetObjectTaggingCommand({ Bucket, Key: 'there.txt' })),
    refusal: 'NoSuchKey',
  },
  {
    ...reads,
    title: 'ListObjects',
    run: () =>
      send(new ListObjectsCommand({ Bucket }), ({ Contents }: { readonly Contents?: readonly unknown[] }) => Contents),
    refusal: 'nothing',
  },
  {
    ...reads,
    title: 'ListObjectsV2',
    run: () =>
      send(
        new ListObjectsV2Command({ Bucket }),
        ({ Contents }: { readonly Contents?: readonly unknown[] }) => Contents,
      ),
    refusal: 'nothing',
  },
  {
    title: 'DeleteObject',
    table: 'objects',
    needs: ['select', 'delete'],
    statement: remove,
    returnsRow: true,
    run: () => send(new DeleteObjectCommand({ Bucket, Key: 'there.txt' })),
    refusal: 'AccessDenied',
  },
  {
    title: 'DeleteObjects',
    table: 'objects',
    needs: ['select', 'delete'],
    statement: remove,
    returnsRow: true,
    run: () =>
      send(
        new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'there.txt' }] } }),
        ({ Deleted }: { readonly Deleted?: readonly unknown[] }) => Deleted,
      ),
    refusal: 'nothing',
  },
  {
    ...makesNew,
    title: 'CopyObject',
    statement: copy('new.txt'),
    run: () => send(new CopyObjectCommand({ Bucket, Key: 'new.txt', CopySource: `${Bucket}/there.txt` })),
    refusal: 'NoSuchKey or AccessDenied',
  },
  {
    ...replaces,
    title: 'CopyObject to a key that is there',
    statement: copy('other.txt'),
    run: () => send(new CopyObjectCommand({ Bucket, Key: 'other.txt', CopySource: `${Bucket}/there.txt` })),
    refusal: 'NoSuchKey or AccessDenied',
  },
  {
    ...makesNew,
    title: 'CreateMultipartUpload',
    run: () => send(new CreateMultipartUploadCommand({ Bucket, Key: 'new.txt' })),
  },
  { ...makesNew, title: 'UploadPart', run: () => send(new UploadPartCommand({ ...upload, PartNumber: 2, Body })) },
  {
    ...makesNew,
    title: 'UploadPartCopy',
    run: () => send(new UploadPartCopyCommand({ ...upload, PartNumber: 2, CopySource: `${Bucket}/there.txt` })),
  },
  {
    ...makesNew,
    title: 'CompleteMultipartUpload',
    run: () =>
      send(
        new CompleteMultipartUploadCommand({
          ...upload,
          MultipartUpload: { Parts: [{ PartNumber: 1, ETag: eTag }] },
        }),
      ),
  },
  { ...makesNew, title: 'AbortMultipartUpload', run: () => send(new AbortMultipartUploadCommand(upload)) },
  {
    title: 'ListMultipartUploads',
    table: 's3_multipart_uploads',
    needs: ['select'],
    statement: sql`select id from storage.s3_multipart_uploads`,
    returnsRow: true,
    run: () =>
      send(
        new ListMultipartUploadsCommand({ Bucket }),
        ({ Uploads }: { readonly Uploads?: readonly unknown[] }) => Uploads,
      ),
    refusal: 'nothing',
  },
  {
    title: 'ListParts',
    table: 's3_multipart_uploads_parts',
    needs: ['select'],
    statement: sql`select id from storage.s3_multipart_uploads_parts`,
    returnsRow: true,
    run: () => send(new ListPartsCommand(upload), ({ Parts }: { readonly Parts?: readonly unknown[] }) => Parts),
    refusal: 'nothing',
  },
  {
    ...ofBucket,
    title: 'ListBuckets',
    needs: ['select'],
    statement: sql`select id from storage.buckets limit 1`,
    run: () => send(new ListBucketsCommand({}), ({ Buckets }: { readonly Buckets?: readonly unknown[] }) => Buckets),
    refusal: 'nothing',
  },
  {
    ...ofBucket,
    title: 'HeadBucket',
    needs: ['select'],
    statement: selectBare,
    run: () => send(new HeadBucketCommand({ Bucket: 'bare' })),
    refusal: 'NotFound',
  },
  {
    ...ofBucket,
    title: 'CreateBucket',
    needs: ['insert'],
    returnsRow: false,
    statement: sql`insert into storage.buckets (id, name) values ('new', 'new')`,
    run: () => send(new CreateBucketCommand({ Bucket: 'new' })),
    refusal: 'AccessDenied',
  },
  {
    ...ofBucket,
    title: 'DeleteBucket',
    needs: ['select', 'delete'],
    statement: sql`delete from storage.buckets where id = 'bare' returning id`,
    run: () => send(new DeleteBucketCommand({ Bucket: 'bare' })),
    refusal: 'NoSuchBucket',
  },
]

const connect = (credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }): S3Client =>
  new S3Client({ endpoint: `${world.url}/s3`, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 1 })

beforeAll(async () => {
  world = await openStorageWorld()
  service = connect(world.s3)
  alice = connect({ accessKeyId: 'project', secretAccessKey: PUBLIC_KEY, sessionToken: 'alice' })
})
afterAll(async () => {
  service.destroy()
  alice.destroy()
  await world[Symbol.asyncDispose]()
})

/** Resets to two buckets, two objects, and an upload with one part. */
async function restore(): Promise<void> {
  await world.run(`
    set storage.allow_delete_query = 'true';
    delete from storage.objects; delete from storage.s3_multipart_uploads; delete from storage.buckets where id <> 'box';
    insert into storage.buckets (id, name) values ('box', 'box'), ('bare', 'bare') on conflict do nothing;
    reset storage.allow_delete_query`)
  for (const Key of ['there.txt', 'other.txt']) await service.send(new PutObjectCommand({ Bucket, Key, Body }))
  const { UploadId = '' } = await service.send(new CreateMultipartUploadCommand({ Bucket, Key: 'new.txt' }))
  upload = { Bucket, Key: 'new.txt', UploadId }
  const part = await service.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body }))
  eTag = part.ETag ?? ''
}

describe('policies judge S3', () => {
  beforeEach(restore)

  test.each(CALLS)('$title', async (call) => {
    for (const commands of POLICY_SETS) {
      await setPolicies(world, call.table, commands)
      const allowed = await isAllowed(world, call)
      const what = `${call.title} with ${commands.join('+') || 'none'}`
      expect(allowed, `${what}, by Postgres`).toBe(call.needs.every((command) => commands.includes(command)))
      const before = await stateOf(world)
      const outcome = await call.run()
      if (allowed) {
        expect(outcome, what).toBe('done')
        await restore()
      } else {
        expect(call.refusal.split(' or '), what).toContain(outcome)
        expect(await stateOf(world), what).toEqual(before)
      }
    }
  })
})
