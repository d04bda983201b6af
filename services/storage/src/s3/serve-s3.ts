import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StorageContext } from '../context.ts'
import { openRequest, userKeyOf } from '../request/open-request.ts'
import { authenticateS3 } from './authenticate-s3.ts'
import { completeMultipartUpload } from './complete-upload.ts'
import {
  createS3Bucket,
  deleteS3Bucket,
  getBucketLocation,
  getBucketVersioning,
  headBucket,
  listAllBuckets,
} from './handle-buckets.ts'
import { listObjectsV1, listObjectsV2 } from './handle-listing.ts'
import { abortMultipartUpload, createMultipartUpload } from './handle-multipart.ts'
import { copyOne, deleteMany, deleteOne, getObject, getObjectTagging, headObject, putObject } from './handle-objects.ts'
import { listMultipartUploads, listParts, uploadPart, uploadPartCopy } from './handle-parts.ts'
import { postObject } from './handle-post.ts'
import { operationOf, POLICY_NAMES, type S3Operation } from './operation.ts'
import type { S3Handler, S3ProtocolOptions } from './protocol.ts'
import { parseBucketPath, parseTarget } from './request-target.ts'
import { openSignedBody } from './signed-body.ts'

const HANDLERS: Readonly<Record<Exclude<S3Operation, 'PostObject'>, S3Handler>> = {
  ListBuckets: listAllBuckets,
  CreateBucket: createS3Bucket,
  DeleteBucket: deleteS3Bucket,
  HeadBucket: headBucket,
  GetBucketLocation: getBucketLocation,
  GetBucketVersioning: getBucketVersioning,
  ListObjects: listObjectsV1,
  ListObjectsV2: listObjectsV2,
  ListMultipartUploads: listMultipartUploads,
  DeleteObjects: deleteMany,
  PutObject: putObject,
  CopyObject: copyOne,
  GetObject: getObject,
  HeadObject: headObject,
  GetObjectTagging: getObjectTagging,
  DeleteObject: deleteOne,
  CreateMultipartUpload: createMultipartUpload,
  UploadPart: uploadPart,
  UploadPartCopy: uploadPartCopy,
  CompleteMultipartUpload: completeMultipartUpload,
  AbortMultipartUpload: abortMultipartUpload,
  ListParts: listParts,
}

/** Authenticates an S3 request and dispatches it to its handler. @param mountPath - URL prefix */
export async function serveS3(
  context: StorageContext,
  protocol: S3ProtocolOptions,
  mountPath: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { method, headers } = request
  const target = parseTarget(request.raw.url ?? '')
  const { bucket, key } = parseBucketPath(target.rawPath, mountPath)
  const copySource = headers['x-amz-copy-source']
  const operation = operationOf({ method, target, bucket, key, copySource: copySource && String(copySource) })
  if (operation === 'PostObject') return postObject(context, protocol, request, reply, bucket ?? '')
  const { caller, ...signing } = await authenticateS3(protocol, request, target, context.clock.now())
  request.caller = caller
  const body = openSignedBody(headers, request.body, signing)
  try {
    return await HANDLERS[operation]({
      context,
      protocol,
      request,
      reply,
      target,
      bucket: bucket ?? '',
      key: key ?? '',
      database: openRequest(context, request, `storage.s3.${POLICY_NAMES[operation]}`),
      owner: caller.userId,
      userKey: userKeyOf(request),
      body,
    })
  } finally {
    body.bytes.destroy()
  }
}
