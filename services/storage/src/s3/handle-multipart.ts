import { randomUUID } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { isVersion } from '../backend/backend.ts'
import {
  countUploadsOf,
  deleteMultipartUpload,
  findMultipartUpload,
  insertMultipartUpload,
  type MultipartUploadRow,
} from '../database/multipart-uploads.ts'
import { tooManyTransfers } from '../errors.ts'
import { S3_UPLOADS_OF_PERSON_MAX } from '../limits.ts'
import {
  admitWrite,
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
import { noSuchUpload } from './s3-errors.ts'

export async function createMultipartUpload(exchange: S3Exchange): Promise<FastifyReply> {
  const { context, database, request, target, bucket, key, owner } = exchange
  const name = parseObjectName(bucket, key)
  const mimetype = request.headers['content-type'] || 'application/octet-stream'
  const metadata = { mimetype, cacheControl: request.headers['cache-control'] ?? 'no-cache' }
  const userMetadata = readUserMetadata(request.headers, target)
  const intent = { name, owner, upsert: true, declared: metadata, userMetadata, isJudged: true }
  await admitWrite(context, database, intent, ({ allowedMimeTypes }) => requireAllowedType(mimetype, allowedMimeTypes))
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
 * Returns the request's upload after checking that its caller may write the target object; every request is checked.
 *
 * @throws {HoldfastError} `NoSuchUpload`, `AccessDenied`, `NoSuchBucket`
 */
export async function admit({ context, database, target, bucket, key, owner }: S3Exchange): Promise<AdmittedUpload> {
  const name = parseObjectName(bucket, key)
  const id = parameterOf(target, 'uploadId') ?? ''
  // Do not query for foreign ids: Postgres may not be able to store them.
  if (!isVersion(id)) {
    await readBucketRules(context, database, bucket)
    throw noSuchUpload()
  }
  const upload = await database.transaction(({ asService }) => asService((tx) => findMultipartUpload(tx, id, name)))
  if (!upload) {
    await readBucketRules(context, database, bucket)
    throw noSuchUpload()
  }
  const intent: WriteIntent = {
    name,
    owner,
    upsert: true,
    declared: upload.metadata ?? undefined,
    userMetadata: upload.user_metadata ?? undefined,
    isJudged: true,
  }
  const rules = await admitWrite(context, database, intent)
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
