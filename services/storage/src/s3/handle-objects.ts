import type { FastifyReply } from 'fastify'
import { requireBucket } from '../database/buckets.ts'
import { findKeys, sizeOf, type ObjectName, type ObjectRow } from '../database/objects.ts'
import { entityTooLarge, noSuchKey } from '../errors.ts'
import { KEYS_PER_REQUEST_MAX, S3_UPLOADED_PART_BYTES_MAX } from '../limits.ts'
import { copyObject } from '../objects/copy-object.ts'
import { deleteObject, deleteObjects } from '../objects/delete-objects.ts'
import { findAsCaller } from '../objects/read-object.ts'
import { uploadObject } from '../objects/upload-object.ts'
import { parseObjectName } from '../request/names.ts'
import type { IncomingFile } from '../request/upload-body.ts'
import { isUnchanged, objectHeaders } from '../response/object-headers.ts'
import { sendObject } from '../response/send-object.ts'
import { sendXml } from './handle-listing.ts'
import { metadataHeaders, readUserMetadata, requireConditions } from './object-metadata.ts'
import type { S3Exchange } from './protocol.ts'
import { decode, parameterOf } from './request-target.ts'
import { invalidArgument, malformedXml, missingLength, notImplemented } from './s3-errors.ts'
import { readText } from './signed-body.ts'
import { listOf, parseXml } from './parse-xml.ts'

/** Creates or replaces an object; with `If-None-Match: *` only creates. */
export async function putObject(exchange: S3Exchange): Promise<FastifyReply> {
  const { context, database, request, reply, bucket, key, owner, userKey } = exchange
  if (request.headers['if-match'] !== undefined) throw notImplemented('If-Match of a write')
  const name = parseObjectName(bucket, key)
  const length = requireLength(exchange)
  if (length > S3_UPLOADED_PART_BYTES_MAX) throw entityTooLarge()
  const upsert = request.headers['if-none-match'] !== '*'
  const leave = context.uploads.acquireNow({ key: userKey })
  try {
    const row = await uploadObject(context, database, {
      name,
      owner,
      upsert,
      isJudged: true,
      readFile: async () => readFile(exchange, length),
    })
    return reply
      .code(200)
      .header('etag', row.metadata?.eTag ?? '')
      .send()
  } finally {
    leave()
  }
}

function readFile({ request, target, body }: S3Exchange, length: number): IncomingFile {
  const { 'content-type': type, 'cache-control': cacheControl } = request.headers
  return {
    bytes: body.bytes,
    mimeType: type === undefined || type === '' ? 'application/octet-stream' : type,
    cacheControl: cacheControl ?? 'no-cache',
    userMetadata: readUserMetadata(request.headers, target),
    robotsTag: undefined,
    declaredLength: length,
    isLengthExact: true,
    complete: async () => undefined,
  }
}

/** @throws {HoldfastError} `MissingContentLength` */
export function requireLength({ request, body }: Pick<S3Exchange, 'request' | 'body'>): number {
  if (body.length !== undefined) return body.length
  if (request.headers['transfer-encoding'] !== undefined) throw missingLength()
  return 0
}

/** Response headers the client may override. HTML is still served as plain text. */
const OVERRIDES = ['content-disposition', 'content-language', 'expires'] as const

export async function getObject(exchange: S3Exchange): Promise<FastifyReply> {
  const { context, request, reply, target, userKey } = exchange
  const name = nameOf(exchange)
  const find = async (): Promise<ObjectRow> => {
    const row = await findAsCaller(exchange.database, name)
    requireConditions(row, request.headers)
    reply.headers(metadataHeaders(row))
    return overridden(row, exchange)
  }
  for (const header of OVERRIDES) {
    const value = parameterOf(target, `response-${header}`)
    if (value !== undefined && /^[\t\x20-\x7e]+$/.test(value)) reply.header(header, value)
  }
  return sendObject(context, request, reply, { userKey, find })
}

export async function headObject(exchange: S3Exchange): Promise<FastifyReply> {
  const { request, reply } = exchange
  const row = overridden(await findAsCaller(exchange.database, nameOf(exchange)), exchange)
  requireConditions(row, request.headers)
  const headers = { ...objectHeaders({ row }), ...metadataHeaders(row) }
  if (isUnchanged(row, request.headers)) return reply.code(304).headers(headers).send()
  return reply
    .code(200)
    .headers({ ...headers, 'content-length': String(sizeOf(row)) })
    .send()
}

function overridden(row: ObjectRow, { target }: S3Exchange): ObjectRow {
  const [mimetype, cacheControl] = [
    parameterOf(target, 'response-content-type'),
    parameterOf(target, 'response-cache-control'),
  ]
  return {
    ...row,
    metadata: { ...row.metadata, ...(mimetype && { mimetype }), ...(cacheControl && { cacheControl }) },
  }
}

/** Tags are not supported; responds as S3 does for untagged objects. */
export async function getObjectTagging(exchange: S3Exchange): Promise<FastifyReply> {
  await findAsCaller(exchange.database, nameOf(exchange))
  return sendXml(exchange, 'Tagging', { TagSet: '' })
}

/** Succeeds for absent objects. */
export async function deleteOne(exchange: S3Exchange): Promise<FastifyReply> {
  const { context, database, bucket, reply } = exchange
  try {
    await deleteObject(context, database, nameOf(exchange))
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'NoSuchKey') throw error
    await database.transaction(({ asService }) => asService((tx) => requireBucket(tx, bucket)))
  }
  return reply.code(204).send()
}

export async function deleteMany(exchange: S3Exchange): Promise<FastifyReply> {
  const { context, database, bucket } = exchange
  const element = parseXml(await readText(exchange.body), 'Delete')
  const keys = listOf(element, 'Object', KEYS_PER_REQUEST_MAX).map(({ Key }) => {
    if (typeof Key !== 'string' || Key.includes('\0')) throw malformedXml()
    return Key
  })
  const deleted = new Set((await deleteObjects(context, database, bucket, keys)).map(({ name }) => name))
  const others = keys.filter((key) => !deleted.has(key))
  const kept = await database.transaction(({ asService }) =>
    asService(async (tx) => {
      await requireBucket(tx, bucket)
      return new Set(await findKeys(tx, bucket, others))
    }),
  )
  return sendXml(exchange, 'DeleteResult', {
    Deleted: element['Quiet'] === 'true' ? [] : keys.filter((key) => !kept.has(key)).map((Key) => ({ Key })),
    Error: [...kept].map((Key) => ({ Key, Code: 'AccessDenied', Message: 'Access Denied' })),
  })
}

export async function copyOne(exchange: S3Exchange): Promise<FastifyReply> {
  const { context, database, request, target, bucket, key, owner } = exchange
  const { headers } = request
  const from = readCopySource(exchange)
  requireConditions(await findAsCaller(database, from), headers, 'x-amz-copy-source-')
  const directive = headers['x-amz-metadata-directive'] ?? 'COPY'
  if (directive !== 'COPY' && directive !== 'REPLACE')
    throw invalidArgument('x-amz-metadata-directive must be COPY or REPLACE')
  const row = await copyObject(context, database, {
    from,
    to: parseObjectName(bucket, key),
    owner,
    upsert: true,
    copyMetadata: directive === 'COPY',
    metadata: {
      ...(headers['content-type'] !== undefined && { mimetype: headers['content-type'] }),
      ...(headers['cache-control'] !== undefined && { cacheControl: headers['cache-control'] }),
    },
    userMetadata: readUserMetadata(headers, target),
  })
  return sendXml(exchange, 'CopyObjectResult', {
    ETag: row.metadata?.eTag,
    LastModified: row.metadata?.lastModified ?? row.updated_at.toISOString(),
  })
}

/** Parses `bucket/key`, optionally percent-encoded and with a leading slash. */
export function readCopySource({ request }: S3Exchange): ObjectName {
  const header = request.headers['x-amz-copy-source']
  const [path = ''] = (typeof header === 'string' ? header : '').split('?versionId=')
  const match = /^\/?([^/]+)\/(.+)$/s.exec(decode(path))
  const [, bucketId, key] = match ?? []
  if (bucketId === undefined || key === undefined) throw invalidArgument('x-amz-copy-source must be <bucket>/<key>')
  if (bucketId.includes('\0') || key.includes('\0')) throw noSuchKey()
  return { bucketId, key }
}

/** Returns the requested object's name. An invalid name counts as absent. */
function nameOf({ bucket, key }: S3Exchange): ObjectName {
  if (bucket.includes('\0') || key.includes('\0')) throw noSuchKey()
  return { bucketId: bucket, key }
}
