import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
  paginateListObjectsV2,
  type CompletedPart,
  type PutObjectCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { errorMessage, type Logger } from '@holdfast/foundation'
import { storeFull } from '../errors.ts'
import { S3_COPY_MS, S3_PART_BYTES, S3_SENDING_MS_MAX } from '../limits.ts'
import { assertVersion, isVersion, type Backend, type ByteRange, type ListedVersion } from './backend.ts'
import { isDiskFull, writeNewFile } from './new-file.ts'
import {
  createS3Client,
  isAbsent,
  notFromStore,
  sendFile,
  SilenceLimit,
  statusOf,
  storeRefused,
  toStoreError,
  withSilenceTimeout,
  type S3Settings,
} from './s3-store.ts'

const VERSIONS = 'versions/'
const STORE_ID = 'store-id'
const PRIVATE_FOLDER = 0o700

export interface OpenS3BackendOptions {
  readonly settings: S3Settings
  /** Spool folder for incoming bytes until they are complete. */
  readonly folder: string
  readonly logger: Logger
  /** Size limit for a single request; larger objects are sent and copied in parts of this size. */
  readonly partBytes?: number
}

/**
 * Opens a bucket of an S3-compatible store as a backend. Incoming bytes are spooled to a local file first, so a slow client holds no connection to the store,
 * length and MD5 are known before sending, and a failed request can be retried. Memory holds one window.
 *
 * @throws {HoldfastError} `option_invalid` if the store rejects the settings; an unreachable store is tolerated and used once it answers
 */
export async function openS3Backend(options: OpenS3BackendOptions): Promise<Backend> {
  const { settings, folder, logger } = options
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })
  const client = createS3Client(settings)
  await requireBucket(client, settings, logger)
  return backendOf(client, options)
}

async function requireBucket(client: S3Client, settings: S3Settings, logger: Logger): Promise<void> {
  try {
    await withSilenceTimeout(settings.silenceMs, (abortSignal) =>
      client.send(new HeadBucketCommand({ Bucket: settings.bucket }), { abortSignal }),
    )
  } catch (error) {
    const status = statusOf(error)
    if (status !== undefined && status < 500 && status !== 429) {
      client.destroy()
      throw storeRefused(settings, error)
    }
    logger.log('error', `the object store does not respond: ${errorMessage(error)}`, {
      bucket: settings.bucket,
      endpoint: settings.endpoint,
    })
  }
}

function backendOf(client: S3Client, { settings, folder, partBytes = S3_PART_BYTES }: OpenS3BackendOptions): Backend {
  const { bucket: Bucket, prefix, silenceMs } = settings
  const store: Store = { client, bucket: Bucket, silenceMs, partBytes }
  const idKey = `${prefix}${STORE_ID}`
  const keyOf = (version: string): string => {
    assertVersion(version)
    return `${prefix}${VERSIONS}${version}`
  }
  return {
    description: `the bucket ${Bucket}${settings.endpoint === undefined ? '' : ` at ${settings.endpoint}`}`,
    async write(version, source) {
      const path = join(folder, randomUUID())
      try {
        const key = keyOf(version)
        const stored = await writeNewFile(path, source)
        await putFile(store, key, { path, ...stored })
        return stored
      } catch (error) {
        source.destroy()
        throw isDiskFull(error) ? storeFull(error) : error
      } finally {
        await rm(path, { force: true })
      }
    },
    async read(version, range) {
      const bytes = await get(store, keyOf(version), range)
      return bytes && pipeline(bytes, new SilenceLimit(silenceMs), () => undefined)
    },
    async readPart(version, range) {
      const bytes = await get(store, keyOf(version), range)
      return bytes && buffer(pipeline(bytes, new SilenceLimit(silenceMs), () => undefined))
    },
    sizeOf: async (version) => sizeOf(store, keyOf(version)),
    remove: async (version) => remove(store, keyOf(version)),
    copy: async (from, to) => copy(store, keyOf(from), keyOf(to)),
    list: () => listVersions(store, `${prefix}${VERSIONS}`),
    async removeUnfinished(before) {
      const waiting = await removeOldFiles(folder, before)
      return waiting + (await abortOldUploads(store, prefix, before - S3_SENDING_MS_MAX))
    },
    async readStoreId() {
      const bytes = await get(store, idKey)
      return bytes && ((await text(bytes)).trim() || undefined)
    },
    writeStoreId: (id) => putText(store, idKey, `${id}\n`),
    async [Symbol.asyncDispose]() {
      client.destroy()
    },
  }
}

interface Store {
  readonly client: S3Client
  readonly bucket: string
  readonly silenceMs: number
  readonly partBytes: number
}

/** @returns `undefined` if the object does not exist */
async function findInStore<T>(
  { silenceMs }: Store,
  send: (abortSignal: AbortSignal) => Promise<T>,
  absent: 'NoSuchKey' | 'NotFound' = 'NoSuchKey',
): Promise<T | undefined> {
  try {
    return await withSilenceTimeout(silenceMs, send)
  } catch (error) {
    if (isAbsent(error, absent)) return undefined
    throw toStoreError(error)
  }
}

async function get(store: Store, Key: string, range?: ByteRange): Promise<Readable | undefined> {
  const Range = range && `bytes=${range.from}-${range.to}`
  const command = new GetObjectCommand({ Bucket: store.bucket, Key, Range })
  const found = await findInStore(store, (abortSignal) => store.client.send(command, { abortSignal }))
  if (!found) return undefined
  const isAsked = range === undefined || found.ContentRange?.startsWith(`bytes ${range.from}-`) === true
  if (found.ETag === undefined || !isAsked) {
    ;(found.Body as Readable | undefined)?.destroy()
    throw notFromStore('GET', Key)
  }
  return found.Body as Readable | undefined
}

async function sizeOf(store: Store, Key: string): Promise<number | undefined> {
  const command = new HeadObjectCommand({ Bucket: store.bucket, Key })
  const found = await findInStore(store, (abortSignal) => store.client.send(command, { abortSignal }), 'NotFound')
  if (found && found.ETag === undefined) throw notFromStore('HEAD', Key)
  return found && (found.ContentLength ?? 0)
}

/** Checks that the store holds all bytes of an object, because a proxy may have answered the upload request. */
async function requireStored(store: Store, Key: string, size: number): Promise<void> {
  if ((await sizeOf(store, Key)) !== size) throw notFromStore('PUT', Key)
}

async function remove(store: Store, Key: string): Promise<void> {
  const command = new DeleteObjectCommand({ Bucket: store.bucket, Key })
  await findInStore(store, (abortSignal) => store.client.send(command, { abortSignal }))
}

async function copy(store: Store, from: string, Key: string): Promise<boolean> {
  const { client, bucket: Bucket, partBytes } = store
  const size = await sizeOf(store, from)
  if (size === undefined) return false
  const CopySource = `${Bucket}/${encodeURI(from)}`
  const command = new CopyObjectCommand({ Bucket, Key, CopySource })
  try {
    if (size > partBytes) await copyInParts(store, CopySource, Key, size)
    else await withSilenceTimeout(S3_COPY_MS, (abortSignal) => client.send(command, { abortSignal }))
    await requireStored(store, Key, size)
  } catch (error) {
    if (isAbsent(error)) return false
    throw toStoreError(error)
  }
  return true
}

async function putText({ client, bucket: Bucket, silenceMs }: Store, Key: string, Body: string): Promise<void> {
  const command = new PutObjectCommand({ Bucket, Key, Body })
  try {
    await withSilenceTimeout(silenceMs, (abortSignal) => client.send(command, { abortSignal }))
  } catch (error) {
    throw toStoreError(error)
  }
}

interface WaitingFile {
  readonly path: string
  readonly size: number
  /** MD5 of the whole file, quoted. */
  readonly eTag: string
}

/** @throws {HoldfastError} `StoreUnavailable`, `InsufficientStorage` */
async function putFile(store: Store, Key: string, { path, size, eTag }: WaitingFile): Promise<void> {
  const { client, bucket: Bucket, silenceMs, partBytes } = store
  try {
    if (size > partBytes) {
      await inParts(store, Key, size, async ({ UploadId, PartNumber, range }) => {
        // Refresh the timestamp so that the file does not count as left behind.
        await utimes(path, new Date(), new Date())
        const ContentMD5 = await md5Of(path, range)
        const ContentLength = range.to - range.from + 1
        const input = { Bucket, Key, UploadId, PartNumber, ContentLength, ContentMD5 }
        return sendFile({ path, range, silenceMs }, (Body, abortSignal) =>
          client.send(new UploadPartCommand({ ...input, Body }), { abortSignal }),
        )
      })
      await requireStored(store, Key, size)
      return
    }
    const ContentMD5 = Buffer.from(eTag.slice(1, -1), 'hex').toString('base64')
    const input = { Bucket, Key, ContentLength: size, ContentMD5 }
    const put = (Body: Readable | '', abortSignal: AbortSignal): Promise<PutObjectCommandOutput> =>
      client.send(new PutObjectCommand({ ...input, Body }), { abortSignal })
    const answer =
      size === 0
        ? await withSilenceTimeout(silenceMs, (abortSignal) => put('', abortSignal))
        : await sendFile({ path, range: { from: 0, to: size - 1 }, silenceMs }, put)
    // Stores that encrypt return an ETag other than the MD5.
    if (answer.ETag !== eTag) await requireStored(store, Key, size)
  } catch (error) {
    await remove(store, Key).catch(() => undefined) // report the first failure
    throw toStoreError(error)
  }
}

async function copyInParts(store: Store, CopySource: string, Key: string, size: number): Promise<void> {
  const { client, bucket: Bucket } = store
  await inParts(store, Key, size, async ({ UploadId, PartNumber, range }) => {
    const CopySourceRange = `bytes=${range.from}-${range.to}`
    const input = { Bucket, Key, UploadId, PartNumber, CopySource, CopySourceRange }
    const { CopyPartResult } = await withSilenceTimeout(S3_COPY_MS, (abortSignal) =>
      client.send(new UploadPartCopyCommand(input), { abortSignal }),
    )
    return { ETag: CopyPartResult?.ETag }
  })
}

interface PartOf {
  readonly UploadId: string
  readonly PartNumber: number
  readonly range: ByteRange
}

/** Uploads an object in sequential parts. Aborts the upload on failure. */
async function inParts(
  { client, bucket: Bucket, partBytes }: Store,
  Key: string,
  size: number,
  send: (part: PartOf) => Promise<{ readonly ETag?: string | undefined }>,
): Promise<void> {
  const begin = new CreateMultipartUploadCommand({ Bucket, Key })
  const { UploadId } = await withSilenceTimeout(S3_COPY_MS, (abortSignal) => client.send(begin, { abortSignal }))
  if (UploadId === undefined) throw notFromStore('POST', Key)
  try {
    const Parts: CompletedPart[] = []
    for (let from = 0; from < size; from += partBytes) {
      const PartNumber = Parts.length + 1
      const range = { from, to: Math.min(from + partBytes, size) - 1 }
      const { ETag } = await send({ UploadId, PartNumber, range })
      if (ETag === undefined) throw notFromStore('PUT', Key)
      Parts.push({ PartNumber, ETag })
    }
    const end = new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } })
    await withSilenceTimeout(S3_COPY_MS, (abortSignal) => client.send(end, { abortSignal }))
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(() => undefined)
    throw error
  }
}

async function md5Of(path: string, { from, to }: ByteRange): Promise<string> {
  const hash = createHash('md5')
  for await (const chunk of createReadStream(path, { start: from, end: to }) as AsyncIterable<Buffer>)
    hash.update(chunk)
  return hash.digest('base64')
}

/** Lists versions. For multipart objects Amazon reports when the upload began, so the last byte may be later by the maximum upload time. */
async function* listVersions(
  { client, bucket: Bucket, partBytes }: Store,
  Prefix: string,
): AsyncGenerator<ListedVersion> {
  try {
    for await (const { Contents = [], IsTruncated } of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
      if (IsTruncated === undefined) throw notFromStore('GET', Prefix)
      for (const { Key = '', Size = 0, LastModified } of Contents) {
        const version = Key.slice(Prefix.length)
        if (!isVersion(version) || !LastModified) continue
        yield { version, size: Size, writtenAt: LastModified.getTime() + (Size > partBytes ? S3_SENDING_MS_MAX : 0) }
      }
    }
  } catch (error) {
    throw toStoreError(error)
  }
}

async function removeOldFiles(folder: string, before: number): Promise<number> {
  let removed = 0
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (!found || found.mtimeMs >= before) continue
    await rm(path, { force: true })
    removed++
  }
  return removed
}

/** Aborts abandoned multipart uploads. A store that cannot list them also refuses parts, so it has none of ours. */
async function abortOldUploads({ client, bucket: Bucket }: Store, prefix: string, before: number): Promise<number> {
  let aborted = 0
  try {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix + VERSIONS }))
    for (const { Key, UploadId, Initiated } of Uploads) {
      if (!Initiated || Initiated.getTime() >= before) continue
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
      aborted++
    }
    return aborted
  } catch (error) {
    if (statusOf(error) === 501) return aborted
    throw toStoreError(error)
  }
}
