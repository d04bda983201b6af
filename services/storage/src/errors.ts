import { HoldfastError } from '@holdfast/foundation'

// Codes and messages of Supabase's storage service, which storage-js passes on.

/** Value of the `error` property per code. Codes not listed use the code itself. */
export const ERROR_NAMES: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Bucket not found',
  NoSuchKey: 'not_found',
  AccessDenied: 'Unauthorized',
  RoleRefused: 'Unauthorized',
  KeyAlreadyExists: 'Duplicate',
  BucketAlreadyExists: 'Duplicate',
  ResourceAlreadyExists: 'Duplicate',
  EntityTooLarge: 'Payload too large',
  InvalidMimeType: 'invalid_mime_type',
  InvalidBucketName: 'Invalid Input',
  InvalidRange: 'invalid_range',
  LockTimeout: 'acquiring_lock_timeout',
  InternalError: 'Internal',
}

export const noSuchBucket = (): HoldfastError => new HoldfastError('NoSuchBucket', 404, 'Bucket not found')

export const noSuchKey = (): HoldfastError => new HoldfastError('NoSuchKey', 404, 'Object not found')

/** @param message - default: the generic message of row-level security */
export const accessDenied = (message = 'new row violates row-level security policy', cause?: unknown): HoldfastError =>
  new HoldfastError('AccessDenied', 403, message, { cause })

export const keyAlreadyExists = (cause?: unknown): HoldfastError =>
  new HoldfastError('KeyAlreadyExists', 409, 'The resource already exists', { cause })

export const bucketAlreadyExists = (cause?: unknown): HoldfastError =>
  new HoldfastError('BucketAlreadyExists', 409, 'The resource already exists', { cause })

export const bucketNotEmpty = (cause?: unknown): HoldfastError =>
  new HoldfastError('ResourceNotEmpty', 409, 'The bucket you tried to delete is not empty', { cause })

/** A foreign key in a project table references a storage row. The message omits the table, which the caller may not be allowed to know. */
export const resourceReferenced = (cause: unknown): HoldfastError =>
  new HoldfastError(
    'ResourceReferenced',
    409,
    'The resource could not be updated or removed due to a foreign key constraint',
    { cause },
  )

export const bucketOfPendingUpload = (cause: unknown): HoldfastError =>
  new HoldfastError(
    'ResourceReferenced',
    409,
    'The bucket could not be updated because it is referenced by a pending multipart upload.',
    { cause },
  )

export const bucketTooFull = (): HoldfastError =>
  new HoldfastError('InvalidRequest', 409, 'Unable to empty the bucket because it contains too many objects')

/** @param entity - `object` or `user_metadata` */
export const entityTooLarge = (entity = 'object'): HoldfastError =>
  new HoldfastError('EntityTooLarge', 413, `The ${entity} exceeded the maximum allowed size`)

export const invalidMimeType = (type: string): HoldfastError =>
  new HoldfastError('InvalidMimeType', 415, `mime type ${type} is not supported`)

export const invalidKey = (key: string): HoldfastError => new HoldfastError('InvalidKey', 400, `Invalid key: ${key}`)

export const invalidBucketName = (): HoldfastError => new HoldfastError('InvalidBucketName', 400, 'Bucket name invalid')

export const invalidFileSizeLimit = (): HoldfastError =>
  invalidRequest('Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B')

export const invalidRequest = (message: string, cause?: unknown): HoldfastError =>
  new HoldfastError('InvalidRequest', 400, message, { cause })

export const invalidParameter = (message: string, cause?: unknown): HoldfastError =>
  new HoldfastError('InvalidParameter', 400, message, { cause })

/** @param message - from the JWT library, such as `"exp" claim timestamp check failed` */
export const invalidJwt = (message: string, cause: unknown): HoldfastError =>
  new HoldfastError('InvalidJWT', 400, message, { cause })

export const invalidSignature = (message = 'Invalid signature'): HoldfastError =>
  new HoldfastError('InvalidSignature', 400, message)

export const invalidRange = (size: number): HoldfastError =>
  new HoldfastError('InvalidRange', 416, 'invalid range provided', { headers: { 'content-range': `bytes */${size}` } })

export const featureNotEnabled = (feature: string, cause?: unknown): HoldfastError =>
  new HoldfastError('FeatureNotEnabled', 409, `The feature ${feature} is not enabled for this resource`, { cause })

/** The caller's role may not use this route. Unlike other refusals, the HTTP status is 403. */
export const roleRefused = (): HoldfastError => new HoldfastError('RoleRefused', 403, 'Access denied: Invalid role')

export const tooManyTransfers = (what: 'uploads' | 'downloads' | 'transforms'): HoldfastError =>
  new HoldfastError('SlowDown', 429, `Too many ${what} are under way`, { headers: { 'retry-after': '3' } })

export const tooManyConnections = (cause: unknown): HoldfastError =>
  new HoldfastError('SlowDown', 429, 'Too many connections issued to the database', {
    cause,
    headers: { 'retry-after': '1' },
  })

export const databaseTimeout = (cause: unknown): HoldfastError =>
  new HoldfastError('DatabaseTimeout', 544, 'The connection to the database timed out', {
    cause,
    headers: { 'retry-after': '1' },
  })

export const lockTimeout = (cause: unknown): HoldfastError =>
  new HoldfastError('LockTimeout', 503, 'acquiring lock timeout', { cause, headers: { 'retry-after': '1' } })

/** Another server on this database holds the parts, and only it can resume the upload. */
export const uploadOnOtherServer = (): HoldfastError =>
  new HoldfastError(
    'UploadElsewhere',
    503,
    'The parts of this upload are on another server. Try again, or start a new upload.',
    { headers: { 'retry-after': '1' } },
  )

/** The disk or the store's quota is full. */
export const storeFull = (cause: unknown): HoldfastError =>
  new HoldfastError('InsufficientStorage', 507, 'The server has no space left for files', { cause })

/** The S3-compatible store did not respond, or responded incorrectly. */
export const storeUnavailable = (cause: unknown): HoldfastError =>
  new HoldfastError('StoreUnavailable', 503, 'The file store is not available', {
    cause,
    headers: { 'retry-after': '3' },
  })
