import { invalidBucketName, invalidKey, noSuchBucket } from '../errors.ts'
import { BUCKET_NAME_LENGTH_MAX, KEY_BYTES_MAX } from '../limits.ts'
import type { ObjectName } from '../database/objects.ts'

/** S3's safe characters and some that need escaping. All are ASCII, so one character is one byte. */
const KEY = /^[A-Za-z0-9_/!.*'() &$=@;:+,?-]+$/
const BUCKET_NAME = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]+$/

/** Suffix that Supabase reserves for table buckets. */
const RESERVED_SUFFIX = '--table-s3'

/** Validates the name of a new object. @throws {HoldfastError} `InvalidBucketName`, `InvalidKey` */
export function parseObjectName(bucketId: string, key: string): ObjectName {
  requireBucketName(bucketId)
  if (key.length > KEY_BYTES_MAX || !KEY.test(key)) throw invalidKey(key.slice(0, KEY_BYTES_MAX))
  return { bucketId, key }
}

/** @throws {HoldfastError} `InvalidBucketName` */
export function requireBucketName(name: string): void {
  if (name.length > BUCKET_NAME_LENGTH_MAX || !BUCKET_NAME.test(name)) throw invalidBucketName()
}

/** @throws {HoldfastError} `InvalidBucketName` */
export function requireNewBucketName(name: string): void {
  requireBucketName(name)
  if (name.trim() !== name || name.endsWith(RESERVED_SUFFIX)) throw invalidBucketName()
}

/** Validates a requested bucket id. A string that Postgres cannot store matches no bucket. @throws {HoldfastError} `NoSuchBucket` */
export function requireText(bucketId: string): string {
  if (bucketId.includes('\0')) throw noSuchBucket()
  return bucketId
}

/** Whether the key is the placeholder that keeps an empty folder: no type, no bytes. */
export function isEmptyFolder(key: string): boolean {
  return key.endsWith('.emptyFolderPlaceholder')
}
