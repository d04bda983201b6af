import type { FastifyReply } from 'fastify'
import { createBucket, deleteBucket, getBucket, listBuckets } from '../buckets/buckets.ts'
import { requireBucket } from '../database/buckets.ts'
import { sendXml } from './handle-listing.ts'
import type { S3Exchange } from './protocol.ts'

export async function listAllBuckets(exchange: S3Exchange): Promise<FastifyReply> {
  const buckets = await listBuckets(exchange.database, { sortColumn: 'name' })
  return sendXml(exchange, 'ListAllMyBucketsResult', {
    Buckets: {
      Bucket: buckets.map(({ name, created_at }) => ({ Name: name, CreationDate: created_at.toISOString() })),
    },
  })
}

export async function createS3Bucket({
  context,
  database,
  request,
  reply,
  bucket,
  owner,
}: S3Exchange): Promise<FastifyReply> {
  await createBucket(context, database, {
    id: bucket,
    name: bucket,
    type: 'STANDARD',
    owner,
    isPublic: request.headers['x-amz-acl'] === 'public-read',
    fileSizeLimit: null,
    allowedMimeTypes: null,
  })
  return reply.code(200).header('location', `/${bucket}`).send()
}

export async function deleteS3Bucket({ database, reply, bucket }: S3Exchange): Promise<FastifyReply> {
  await deleteBucket(database, bucket)
  return reply.code(204).send()
}

export async function headBucket({ database, protocol, reply, bucket }: S3Exchange): Promise<FastifyReply> {
  await getBucket(database, bucket)
  return reply.code(200).header('x-amz-bucket-region', protocol.region).send()
}

export async function getBucketLocation(exchange: S3Exchange): Promise<FastifyReply> {
  await requireExists(exchange)
  return sendXml(exchange, 'LocationConstraint', exchange.protocol.region)
}

/** Versioning is not supported. */
export async function getBucketVersioning(exchange: S3Exchange): Promise<FastifyReply> {
  await requireExists(exchange)
  return sendXml(exchange, 'VersioningConfiguration', { Status: 'Suspended' })
}

async function requireExists({ database, bucket }: S3Exchange): Promise<void> {
  await database.transaction(({ asService }) => asService((tx) => requireBucket(tx, bucket)))
}
