import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { isVersion } from '../backend/backend.ts'
import type { StorageContext } from '../context.ts'
import {
  countUploadsOf,
  deleteMultipartUpload,
  findMultipartUpload,
  insertMultipartUpload,
  listPartRows,
  type MultipartUploadRow,
  type UploadedPartRow,
} from '../database/multipart-uploads.ts'
import { entityTooLarge, tooManyTransfers } from '../errors.ts'
import { S3_PARTS_MAX, S3_UPLOADED_PART_BYTES_MIN, S3_UPLOADS_OF_PERSON_MAX } from '../limits.ts'
import {
  commitWrite,
  judgeWrite,
  metadataOf,
  newVersion,
  readBucketRules,
  removeBytes,
  type BucketRules,
  type WriteIntent,
} from '../objects/write-object.ts'
import { requireAllowedType } from '../request/mime-type.ts'
import { parseObjectName } from '../request/names.ts'
import { sendXml } from './handle-listing.ts'
import { readUserMetadata } from './object-metadata.ts'
import type { S3Exchange } from './protocol.ts'
import { parameterOf } from './request-target.ts'
import { invalidPart, invalidPartOrder, malformedXml, noSuchUpload, partTooSmall } from './s3-errors.ts'
import { readText } from './signed-body.ts'
import { listOf, parseXml } from './parse-xml.ts'

export async function createMultipartUpload(exchange: S3Exchange): Promise<FastifyReply> {
  const { context, database, request, target, bucket, key, owner } = exchange
  const name = parseObjectName(bucket, key)
  const mimetype = request.headers['content-type'] || 'application/octet-stream'
  const rules = await readBucketRules(context, database, bucket)
  requireAllowedType(mimetype, rules.allowedMimeTypes)
  const metadata = { mimetype, cacheControl: request.headers['cache-control'] ?? 'no-cache' }
  const userMetadata = readUserMetadata(request.headers, target)
  await judgeWrite(database, { name, owner, upsert: true, declared: metadata, userMetadata, isJudged: true })
  const id = randomUUID()
  await database.transaction(({ asService }) =>
    asService(async (tx) => {
      const max = S3_UPLOADS_OF_PERSON_MAX
      if (owner !== undefined && (await countUploadsOf(tx, owner, max)) >= max) throw tooManyTransfers('uploads')
      await insertMultipartUpload(tx, { ...name, id, version: newVersion(), owner, metadata, userMetadata })
    }),
  )
  return sendXml(exchange, 'InitiateMultipartUploadResult', { Bucket: bucket, Key: key, UploadId: id })
}

export interface AdmittedUpload {
  readonly upload: MultipartUploadRow
  readonly intent: WriteIntent
  readonly rules: BucketRules
}

/**
 * The upload of a request, when its caller may write what it is going to be: each request is judged, as the caller of that request.
 *
 * @throws {HoldfastError} `NoSuchUpload`, `AccessDenied`, `NoSuchBucket`
 */
export async function admit({ context, database, target, bucket, key, owner }: S3Exchange): Promise<AdmittedUpload> {
  const name = parseObjectName(bucket, key)
  const id = parameterOf(target, 'uploadId') ?? ''
  const rules = await readBucketRules(context, database, bucket)
  // An id that is none of ours is not asked for: it may be what no text of Postgres can be.
  if (!isVersion(id)) throw noSuchUpload()
  const upload = await database.transaction(({ asService }) => asService((tx) => findMultipartUpload(tx, id, name)))
  if (!upload) throw noSuchUpload()
  const intent: WriteIntent = {
    name,
    owner,
    upsert: true,
    declared: upload.metadata ?? undefined,
    userMetadata: upload.user_metadata ?? undefined,
    isJudged: true,
  }
  await judgeWrite(database, intent)
  return { upload, intent, rules }
}

export async function abortMultipartUpload(exchange: S3Exchange): Promise<FastifyReply> {
  const { context, database, reply } = exchange
  const { upload } = await admit(exchange)
  const versions = await database.transaction(({ asService }) =>
    asService((tx) => deleteMultipartUpload(tx, upload.id)),
  )
  if (!versions) throw noSuchUpload()
  await removeBytes(context.backend, context.logger, versions)
  return reply.code(204).send()
}

/** Makes an object of parts. They are there until it is: a server that ends in between leaves the upload as it was. */
export async function completeMultipartUpload(exchange: S3Exchange): Promise<FastifyReply> {
  const { context, database, bucket, key, request } = exchange
  const wanted = readParts(await readText(exchange.body))
  const { upload, intent, rules } = await admit(exchange)
  const rows = await database.transaction(({ asService }) =>
    asService((tx) => listPartRows(tx, upload.id, { after: 0, limit: S3_PARTS_MAX })),
  )
  const parts = wanted.length === 0 ? rows : choose(wanted, rows)
  requireSizes(parts, rules)
  const version = newVersion()
  const stored = await context.backend.write(version, Readable.from(bytesOf(context, parts), { objectMode: false }))
  const { mimetype = 'application/octet-stream', cacheControl = 'no-cache' } = upload.metadata ?? {}
  const eTag = eTagOf(parts)
  const metadata = metadataOf(
    { ...stored, eTag },
    { mimetype, cacheControl, robotsTag: undefined },
    context.clock.now(),
  )
  await commitWrite(context, database, intent, { version, metadata })
  const versions = await database.transaction(({ asService }) =>
    asService((tx) => deleteMultipartUpload(tx, upload.id)),
  )
  await removeBytes(context.backend, context.logger, versions ?? [])
  return sendXml(exchange, 'CompleteMultipartUploadResult', {
    Location: `${request.protocol}://${request.host}${request.url.split('?')[0] ?? ''}`,
    Bucket: bucket,
    Key: key,
    ETag: eTag,
  })
}

interface WantedPart {
  readonly number: number
  readonly eTag: string
}

/** @throws {HoldfastError} `MalformedXML`, `InvalidPartOrder` */
function readParts(text: string): readonly WantedPart[] {
  if (text.trim() === '') return []
  const parts = listOf(parseXml(text, 'CompleteMultipartUpload'), 'Part', S3_PARTS_MAX).map(({ PartNumber, ETag }) => {
    const number = typeof PartNumber === 'string' && /^\s*\d{1,5}\s*$/.test(PartNumber) ? Number(PartNumber) : 0
    if (number < 1 || number > S3_PARTS_MAX || typeof ETag !== 'string') throw malformedXml()
    return { number, eTag: ETag.trim().replaceAll('"', '') }
  })
  if (parts.some(({ number }, index) => number <= (parts[index - 1]?.number ?? 0))) throw invalidPartOrder()
  return parts
}

/** @throws {HoldfastError} `InvalidPart` */
function choose(wanted: readonly WantedPart[], rows: readonly UploadedPartRow[]): readonly UploadedPartRow[] {
  const known = new Map(rows.map((row) => [row.part_number, row]))
  return wanted.map(({ number, eTag }) => {
    const row = known.get(number)
    if (!row || row.etag !== `"${eTag}"`) throw invalidPart(number)
    return row
  })
}

/** @throws {HoldfastError} `EntityTooSmall`, `EntityTooLarge`, `MalformedXML` when there is nothing */
function requireSizes(parts: readonly UploadedPartRow[], { bytesMax }: BucketRules): void {
  if (parts.length === 0) throw malformedXml()
  const small = parts.slice(0, -1).find(({ size }) => Number(size) < S3_UPLOADED_PART_BYTES_MIN)
  if (small) throw partTooSmall(small.part_number)
  if (parts.reduce((sum, { size }) => sum + Number(size), 0) > bytesMax) throw entityTooLarge()
}

/** One part after the other. One that was replaced or given up meanwhile ends it. */
async function* bytesOf({ backend }: StorageContext, parts: readonly UploadedPartRow[]): AsyncGenerator<Buffer> {
  for (const { version, part_number: number } of parts) {
    const bytes = await backend.read(version)
    if (!bytes) throw invalidPart(number)
    yield* bytes as AsyncIterable<Buffer>
  }
}

/** As S3 has it: of the sums of the parts, and how many there are. */
function eTagOf(parts: readonly UploadedPartRow[]): string {
  const hash = createHash('md5')
  for (const { etag } of parts) hash.update(Buffer.from(etag.slice(1, -1), 'hex'))
  return `"${hash.digest('hex')}-${parts.length}"`
}
