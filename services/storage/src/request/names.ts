import { invalidBucketName, invalidKey, noSuchBucket } from '../errors.ts'
import { BUCKET_NAME_LENGTH_MAX, KEY_BYTES_MAX } from '../limits.ts'
import type { ObjectName } from '../database/objects.ts'

/** What S3 calls safe, and some that need care there. All of it is ASCII, so a character is a byte. */
const KEY = /^[A-Za-z0-9_/!.*'() &$=@;:+,?-]+$/
const BUCKET_NAME = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]+$/

/** What Supabase keeps for buckets of tables. */
const RESERVED_SUFFIX = '--table-s3'

/** The name of an object that is going to be there. @throws {HoldfastError} `InvalidBucketName`, `InvalidKey` */
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

/** The id of a bucket that is asked for. One that no text of Postgres can be is the id of none. @throws {HoldfastError} `NoSuchBucket` */
export function requireText(bucketId: string): string {
  if (bucketId.includes('\0')) throw noSuchBucket()
  return bucketId
}

/** A folder that has nothing else is kept by an empty object of this name, which is of no type and has no bytes. */
export function isEmptyFolder(key: string): boolean {
  return key.endsWith('.emptyFolderPlaceholder')
}
