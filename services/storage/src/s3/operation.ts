import { methodNotAllowed, notImplemented } from './s3-errors.ts'
import { parameterOf, type RequestTarget } from './request-target.ts'

/** Operation names of S3. */
export type S3Operation = keyof typeof POLICY_NAMES

/** Values that policies read from `storage.operation()`, after `storage.s3.`, as in Supabase. */
export const POLICY_NAMES = {
  ListBuckets: 'bucket.list',
  CreateBucket: 'bucket.create',
  DeleteBucket: 'bucket.delete',
  HeadBucket: 'bucket.head',
  GetBucketLocation: 'bucket.get_location',
  GetBucketVersioning: 'bucket.get_versioning',
  ListObjects: 'object.list',
  ListObjectsV2: 'object.list',
  ListMultipartUploads: 'upload.list_multipart',
  DeleteObjects: 'object.delete_many',
  PostObject: 'upload',
  PutObject: 'upload',
  CopyObject: 'object.copy',
  GetObject: 'object.get',
  HeadObject: 'object.info',
  GetObjectTagging: 'object.get_tagging',
  DeleteObject: 'object.delete',
  CreateMultipartUpload: 'upload.create_multipart',
  UploadPart: 'upload.part',
  UploadPartCopy: 'upload.part_copy',
  CompleteMultipartUpload: 'upload.complete_multipart',
  AbortMultipartUpload: 'upload.abort_multipart',
  ListParts: 'upload.list_parts',
} as const

/** Subresources that S3 defines and this server does not support. */
const NOT_HERE: ReadonlySet<string> = new Set([
  'accelerate',
  'acl',
  'analytics',
  'attributes',
  'cors',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'legal-hold',
  'lifecycle',
  'logging',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'replication',
  'requestPayment',
  'restore',
  'retention',
  'select',
  'tagging',
  'torrent',
  'versions',
  'website',
])

export interface S3Request {
  readonly method: string
  readonly target: RequestTarget
  readonly bucket: string | undefined
  readonly key: string | undefined
  readonly copySource: string | undefined
}

/** @throws {HoldfastError} `NotImplemented`, `MethodNotAllowed` */
export function operationOf({ method, target, bucket, key, copySource }: S3Request): S3Operation {
  const has = (name: string): boolean => parameterOf(target, name) !== undefined
  const isTagging = method === 'GET' && key !== undefined && has('tagging')
  const missing = target.query.find(([name]) => NOT_HERE.has(name))?.[0]
  if (missing !== undefined && !isTagging) throw notImplemented(`The S3 subresource "${missing}"`)
  if (bucket === undefined) {
    if (method === 'GET') return 'ListBuckets'
    throw methodNotAllowed()
  }
  return key === undefined ? bucketOperation(method, has, target) : objectOperation(method, has, copySource)
}

function bucketOperation(method: string, has: (name: string) => boolean, target: RequestTarget): S3Operation {
  switch (method) {
    case 'GET':
      if (has('location')) return 'GetBucketLocation'
      if (has('versioning')) return 'GetBucketVersioning'
      if (has('uploads')) return 'ListMultipartUploads'
      return parameterOf(target, 'list-type') === '2' ? 'ListObjectsV2' : 'ListObjects'
    case 'HEAD':
      return 'HeadBucket'
    case 'PUT':
      if (has('versioning')) throw notImplemented('Versioning')
      return 'CreateBucket'
    case 'DELETE':
      return 'DeleteBucket'
    case 'POST':
      return has('delete') ? 'DeleteObjects' : 'PostObject'
    default:
      throw methodNotAllowed()
  }
}

function objectOperation(method: string, has: (name: string) => boolean, copySource: string | undefined): S3Operation {
  switch (method) {
    case 'GET':
      if (has('tagging')) return 'GetObjectTagging'
      return has('uploadId') ? 'ListParts' : 'GetObject'
    case 'HEAD':
      return 'HeadObject'
    case 'PUT':
      if (has('uploadId')) return copySource === undefined ? 'UploadPart' : 'UploadPartCopy'
      return copySource === undefined ? 'PutObject' : 'CopyObject'
    case 'DELETE':
      return has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject'
    case 'POST':
      if (has('uploads')) return 'CreateMultipartUpload'
      if (has('uploadId')) return 'CompleteMultipartUpload'
      throw methodNotAllowed()
    default:
      throw methodNotAllowed()
  }
}
