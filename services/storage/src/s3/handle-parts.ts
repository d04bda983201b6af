import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { isVersion, type ByteRange } from '../backend/backend.ts'
import { requireBucket } from '../database/buckets.ts'
import { sizeOf, type ObjectRow } from '../database/objects.ts'
import {
  findMultipartUpload,
  listPartRows,
  listUploadRows,
  replacePart,
  sizeOfOtherParts,
  type MultipartUploadRow,
} from '../database/multipart-uploads.ts'
import { entityTooLarge } from '../errors.ts'
import { S3_PARTS_MAX, S3_UPLOADED_PART_BYTES_MAX } from '../limits.ts'
import { findAsCaller, openObject } from '../objects/read-object.ts'
import { commitVersion, newVersion, removeBytes } from '../objects/write-object.ts'
import { parseObjectName } from '../request/names.ts'
import { readNameEncoder, readPageSize, sendXml, textParameter } from './handle-listing.ts'
import { admit, type AdmittedUpload } from './handle-multipart.ts'
import { readCopySource, requireLength } from './handle-objects.ts'
import { requireConditions } from './object-metadata.ts'
import type { S3Exchange } from './protocol.ts'
import { parameterOf } from './request-target.ts'
import { invalidArgument, noSuchUpload } from './s3-errors.ts'

export async function uploadPart(exchange: S3Exchange): Promise<FastifyReply> {
  const { context, reply, body, userKey } = exchange
  const number = readPartNumber(exchange)
  const size = requireLength(exchange)
  const leave = context.uploads.acquireNow({ key: userKey })
  try {
    const admitted = await admit(exchange)
    const eTag = await storePart(exchange, admitted, { number, size, open: async () => body.bytes })
    return await reply.code(200).header('etag', eTag).send()
  } finally {
    leave()
  }
}

/** Creates a part from a range of an object that the caller may read. */
export async function uploadPartCopy(exchange: S3Exchange): Promise<FastifyReply> {
  const { context, database, request, userKey } = exchange
  const number = readPartNumber(exchange)
  const from = readCopySource(exchange)
  const leave = context.uploads.acquireNow({ key: userKey })
  try {
    const admitted = await admit(exchange)
    const source = await findAsCaller(database, from)
    requireConditions(source, request.headers, 'x-amz-copy-source-')
    const range = readCopyRange(request.headers['x-amz-copy-source-range'], sizeOf(source))
    const size = range ? range.to - range.from + 1 : sizeOf(source)
    const open = async (): Promise<Readable> => {
      const find = async (): Promise<ObjectRow> => source
      return (await openObject(context, find, (version) => context.backend.read(version, range))).opened
    }
    const eTag = await storePart(exchange, admitted, { number, size, open })
    return sendXml(exchange, 'CopyPartResult', {
      ETag: eTag,
      LastModified: new Date(context.clock.now()).toISOString(),
    })
  } finally {
    leave()
  }
}

/** Stores the bytes, then the row, then deletes the replaced bytes. @returns the part's ETag */
async function storePart(
  { context, database }: S3Exchange,
  { upload, intent, rules }: AdmittedUpload,
  part: { readonly number: number; readonly size: number; readonly open: () => Promise<Readable> },
): Promise<string> {
  const { backend, logger } = context
  if (part.size > S3_UPLOADED_PART_BYTES_MAX) throw entityTooLarge()
  const others = await database.transaction(({ asService }) =>
    asService((tx) => sizeOfOtherParts(tx, upload.id, part.number)),
  )
  if (others + part.size > rules.bytesMax) throw entityTooLarge()
  const version = newVersion()
  const stored = await backend.write(version, await part.open())
  const replaced = await commitVersion(context, database, version, ({ asService }) =>
    asService(async (tx) => {
      const current = await findMultipartUpload(tx, upload.id, intent.name, true)
      if (!current) throw noSuchUpload()
      if ((await sizeOfOtherParts(tx, upload.id, part.number)) + stored.size > rules.bytesMax) throw entityTooLarge()
      return replacePart(tx, current, { number: part.number, version, ...stored })
    }),
  )
  await removeBytes(backend, logger, [replaced])
  return stored.eTag
}

/** Policies on the upload tables decide visibility. Without any, only roles that bypass policies see uploads. */
export async function listParts(exchange: S3Exchange): Promise<FastifyReply> {
  const { database, target, bucket, key } = exchange
  const id = parameterOf(target, 'uploadId') ?? ''
  if (!isVersion(id)) throw noSuchUpload()
  const name = parseObjectName(bucket, key)
  const after = Number(parameterOf(target, 'part-number-marker') ?? 0)
  if (!Number.isSafeInteger(after) || after < 0 || after > S3_PARTS_MAX)
    throw invalidArgument('part-number-marker is not a number')
  const limit = readPageSize(parameterOf(target, 'max-parts'))
  const rows = await database.transaction(async ({ asCaller, asService }) => {
    if (!(await asService((tx) => findMultipartUpload(tx, id, name)))) throw noSuchUpload()
    return asCaller((tx) => listPartRows(tx, id, { after, limit: limit + 1 }))
  })
  const page = rows.slice(0, limit)
  const isTruncated = rows.length > limit
  return sendXml(exchange, 'ListPartsResult', {
    Bucket: bucket,
    Key: key,
    UploadId: id,
    PartNumberMarker: after,
    NextPartNumberMarker: isTruncated ? page.at(-1)?.part_number : undefined,
    MaxParts: limit,
    IsTruncated: isTruncated,
    Part: page.map(({ part_number, created_at, etag, size }) => ({
      PartNumber: part_number,
      LastModified: created_at.toISOString(),
      ETag: etag,
      Size: size,
    })),
  })
}

/** Same visibility as `listParts`. */
export async function listMultipartUploads(exchange: S3Exchange): Promise<FastifyReply> {
  const { database, target, bucket } = exchange
  const prefix = textParameter(exchange, 'prefix') ?? ''
  const delimiter = parameterOf(target, 'delimiter') ?? ''
  const limit = readPageSize(parameterOf(target, 'max-uploads'))
  const keyMarker = textParameter(exchange, 'key-marker')
  const idMarker = textParameter(exchange, 'upload-id-marker')
  const name = readNameEncoder(exchange)
  const rows = await database.transaction(async ({ asCaller, asService }) => {
    await asService((tx) => requireBucket(tx, bucket))
    return asCaller((tx) =>
      listUploadRows(tx, bucket, {
        prefix,
        afterKey: keyMarker || undefined,
        afterId: idMarker || undefined,
        limit: limit + 1,
      }),
    )
  })
  const page = rows.slice(0, limit)
  const isTruncated = rows.length > limit
  const prefixOf = ({ key }: MultipartUploadRow): string | undefined => {
    const place = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    return place < 0 ? undefined : key.slice(0, place + delimiter.length)
  }
  return sendXml(exchange, 'ListMultipartUploadsResult', {
    Bucket: bucket,
    Prefix: name(prefix),
    Delimiter: delimiter === '' ? undefined : name(delimiter),
    KeyMarker: keyMarker && name(keyMarker),
    UploadIdMarker: idMarker,
    NextKeyMarker: isTruncated ? name(page.at(-1)?.key ?? '') : undefined,
    NextUploadIdMarker: isTruncated ? page.at(-1)?.id : undefined,
    MaxUploads: limit,
    IsTruncated: isTruncated,
    Upload: page
      .filter((row) => prefixOf(row) === undefined)
      .map(({ key, id, created_at }) => ({
        Key: name(key),
        UploadId: id,
        Initiated: created_at.toISOString(),
        StorageClass: 'STANDARD',
      })),
    CommonPrefixes: [...new Set(page.map(prefixOf))].flatMap((one) =>
      one === undefined ? [] : [{ Prefix: name(one) }],
    ),
  })
}

/** @throws {HoldfastError} `InvalidArgument` */
function readPartNumber({ target }: S3Exchange): number {
  const text = parameterOf(target, 'partNumber') ?? ''
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > S3_PARTS_MAX)
    throw invalidArgument(`Part number must be an integer between 1 and ${S3_PARTS_MAX}, inclusive`)
  return number
}

/** @throws {HoldfastError} `InvalidArgument` */
function readCopyRange(header: string | readonly string[] | undefined, size: number): ByteRange | undefined {
  if (header === undefined) return undefined
  const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(String(header))
  const [from, to] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || to < from || to >= size) throw invalidArgument('The x-amz-copy-source-range is not within the source')
  return { from, to }
}
