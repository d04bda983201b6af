import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { SQLSTATE, sqlstateOf, type Transaction } from '@holdfast/postgres'
import type { StorageContext } from '../context.ts'
import { findBucket, insertBucket, updateBucketRow, type BucketChanges } from '../database/buckets.ts'
import { findObject, lockKey } from '../database/objects.ts'
import { openRequestDatabase, type RequestDatabase } from '../database/request-database.ts'
import { uploadObject, type UploadContext } from '../objects/upload-object.ts'
import { parseObjectName } from '../request/names.ts'
import type { BucketSettings } from './bucket-settings.ts'
import { typeOfFile } from './type-of-file.ts'

/** Same value as Supabase's CLI. */
const CACHE_CONTROL = 'max-age=3600'

/**
 * Creates or updates the buckets in the settings and uploads their folders. Never deletes a bucket or object, and leaves everything else unchanged.
 *
 * @throws {HoldfastError} `option_invalid` if a folder does not exist or the name belongs to a different bucket
 */
export async function ensureConfiguredBuckets(
  context: UploadContext & Pick<StorageContext, 'share'>,
  buckets: readonly BucketSettings[],
): Promise<void> {
  const database = openRequestDatabase(context.share, {
    caller: { role: 'service_role', claims: { role: 'service_role' }, userId: undefined, expiresAtS: undefined },
    operation: 'storage.bucket.create',
    method: 'POST',
    path: '/storage/v1/bucket',
    headers: {},
    userKey: undefined,
  })
  for (const bucket of buckets) {
    await ensureBucket(database, bucket)
    if (bucket.objectsPath !== undefined) await fillBucket(context, database, bucket.name, bucket.objectsPath)
  }
}

async function ensureBucket(database: RequestDatabase, bucket: BucketSettings): Promise<void> {
  const { name, isPublic, fileSizeLimit, allowedMimeTypes } = bucket
  await database.transaction(({ asService }) =>
    asService(async (tx) => {
      // Several servers on one database may start at the same time.
      await lockKey(tx, { bucketId: name, key: '' })
      const current = await findBucket(tx, name)
      if (!current) return insertConfigured(tx, bucket)
      const changes: BucketChanges = {
        ...(isPublic !== undefined && isPublic !== current.public && { isPublic }),
        ...(fileSizeLimit !== undefined &&
          fileSizeLimit !== (current.file_size_limit === null ? null : Number(current.file_size_limit)) && {
            fileSizeLimit,
          }),
        ...(allowedMimeTypes !== undefined &&
          JSON.stringify(allowedMimeTypes) !== JSON.stringify(current.allowed_mime_types) && { allowedMimeTypes }),
      }
      if (Object.keys(changes).length > 0) await updateBucketRow(tx, name, changes)
    }),
  )
}

async function insertConfigured(tx: Transaction, bucket: BucketSettings): Promise<void> {
  const { name, isPublic = false, fileSizeLimit = null, allowedMimeTypes = null } = bucket
  try {
    await insertBucket(tx, { id: name, name, owner: undefined, isPublic, fileSizeLimit, allowedMimeTypes })
  } catch (cause) {
    if (sqlstateOf(cause) !== SQLSTATE.uniqueViolation) throw cause
    throw new HoldfastError('option_invalid', 500, `storageBuckets: the name "${name}" belongs to another bucket.`, {
      hint: 'Choose another name, or rename that bucket.',
      cause,
    })
  }
}

/** Uploads new and changed files of a folder. Logs and skips files that the bucket refuses. */
async function fillBucket(
  context: UploadContext,
  database: RequestDatabase,
  bucketId: string,
  folder: string,
): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new HoldfastError('option_invalid', 500, `storageBuckets: the folder ${folder} cannot be read.`, {
      hint: `It is the objects_path of bucket "${bucketId}". Create the folder, or remove the setting.`,
      cause,
    })
  })
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const key = relative(folder, path).split(sep).join('/')
    try {
      await ensureObject(context, database, { bucketId, key }, path)
    } catch (error) {
      if (!(error instanceof HoldfastError) || error.status >= 500) throw error
      context.logger.log('warn', 'a file in objects_path was not stored', {
        bucket: bucketId,
        file: path,
        code: error.code,
        reason: error.message,
      })
    }
  }
}

async function ensureObject(
  context: UploadContext,
  database: RequestDatabase,
  { bucketId, key }: { readonly bucketId: string; readonly key: string },
  path: string,
): Promise<void> {
  const name = parseObjectName(bucketId, key)
  const current = await database.transaction(({ asService }) => asService((tx) => findObject(tx, name)))
  const { size } = await stat(path)
  if (current?.metadata?.size === size && current.metadata.eTag === `"${await md5Of(path)}"`) return
  await uploadObject(context, database, {
    name,
    owner: undefined,
    upsert: true,
    isJudged: false,
    readFile: async () => ({
      bytes: createReadStream(path),
      mimeType: typeOfFile(path),
      cacheControl: CACHE_CONTROL,
      userMetadata: undefined,
      robotsTag: undefined,
      declaredLength: size,
      isLengthExact: true,
      complete: async () => undefined,
    }),
  })
}

async function md5Of(path: string): Promise<string> {
  const hash = createHash('md5')
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}
