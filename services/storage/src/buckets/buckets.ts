import { errorMessage } from '@holdfast/foundation'
import { sql, SQLSTATE, sqlstateOf } from '@holdfast/postgres'
import type { StorageContext } from '../context.ts'
import {
  countObjects,
  deleteBucketRow,
  findBucket,
  insertBucket,
  listBucketRows,
  lockBucket,
  requireBucket,
  updateBucketRow,
  type BucketChanges,
  type BucketPage,
  type BucketRow,
  type NewBucket,
} from '../database/buckets.ts'
import { deleteObjectRows } from '../database/objects.ts'
import { referrerOf } from '../database/postgres-error.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import {
  bucketAlreadyExists,
  bucketNotEmpty,
  bucketOfPendingUpload,
  bucketTooFull,
  entityTooLarge,
  featureNotEnabled,
  invalidFileSizeLimit,
  invalidRequest,
  noSuchBucket,
  roleRefused,
} from '../errors.ts'
import { EMPTY_BUCKET_OBJECTS_MAX, EMPTY_BUCKET_STEP } from '../limits.ts'
import { removeBytes } from '../objects/write-object.ts'
import { parseBucketLimit } from '../request/file-size.ts'
import { requireMimeTypes } from '../request/mime-type.ts'
import { requireBucketName, requireNewBucketName, requireText } from '../request/names.ts'

/** File size limit in a request: bytes, a text with a unit, or `null` for no limit. Other values are refused. */
type RequestedLimit = unknown

export interface BucketRequest extends Omit<NewBucket, 'fileSizeLimit'> {
  readonly type: 'STANDARD' | 'ANALYTICS'
  readonly fileSizeLimit: RequestedLimit
}

/** A bucket in API responses. */
export interface RenderedBucket extends Omit<BucketRow, 'type' | 'file_size_limit'> {
  readonly file_size_limit: number | null
}

/** @throws {HoldfastError} `InvalidBucketName`, `BucketAlreadyExists`, `AccessDenied`, `FeatureNotEnabled`, and errors for invalid limits */
export async function createBucket(
  { fileSizeLimit: globalLimit }: Pick<StorageContext, 'fileSizeLimit'>,
  database: RequestDatabase,
  request: BucketRequest,
): Promise<void> {
  requireNewBucketName(request.name)
  requireNewBucketName(request.id)
  if (request.type === 'ANALYTICS') throw featureNotEnabled('iceberg_catalog')
  const bucket: NewBucket = {
    ...request,
    fileSizeLimit: bytesOf(request.fileSizeLimit, globalLimit),
    allowedMimeTypes: typesOf(request.allowedMimeTypes),
  }
  await database.transaction(({ asCaller }) =>
    asCaller(async (tx) => {
      try {
        await insertBucket(tx, bucket)
      } catch (error) {
        throw sqlstateOf(error) === SQLSTATE.uniqueViolation ? bucketAlreadyExists(error) : error
      }
    }),
  )
}

/** @throws {HoldfastError} `NoSuchBucket`, also if policies hide it from the caller */
export async function getBucket(database: RequestDatabase, id: string): Promise<RenderedBucket> {
  const bucket = await database.transaction(({ asCaller }) => asCaller((tx) => requireBucket(tx, requireText(id))))
  return render(bucket)
}

export async function listBuckets(
  database: RequestDatabase,
  page: BucketPage,
): Promise<readonly (RenderedBucket & { readonly type: string })[]> {
  const rows = await database.transaction(({ asCaller }) => asCaller((tx) => listBucketRows(tx, page)))
  return rows.map((row) => ({ ...render(row), type: row.type }))
}

/** @throws {HoldfastError} `NoSuchBucket`, also if policies do not let the caller change it */
export async function updateBucket(
  { fileSizeLimit: globalLimit }: Pick<StorageContext, 'fileSizeLimit'>,
  database: RequestDatabase,
  id: string,
  changes: Omit<BucketChanges, 'fileSizeLimit'> & { readonly fileSizeLimit: RequestedLimit },
): Promise<void> {
  requireBucketName(id)
  const { isPublic, fileSizeLimit, allowedMimeTypes } = changes
  if ([isPublic, fileSizeLimit, allowedMimeTypes].every((one) => one === undefined))
    throw invalidRequest('No content provided')
  const parsed: BucketChanges = {
    isPublic,
    fileSizeLimit: fileSizeLimit === undefined ? undefined : bytesOf(fileSizeLimit, globalLimit),
    allowedMimeTypes: allowedMimeTypes === undefined ? undefined : typesOf(allowedMimeTypes),
  }
  const isUpdated = await database.transaction(({ asCaller }) => asCaller((tx) => updateBucketRow(tx, id, parsed)))
  if (!isUpdated) throw noSuchBucket()
}

/** @throws {HoldfastError} `NoSuchBucket`, `ResourceNotEmpty`, `ResourceReferenced` */
export async function deleteBucket(database: RequestDatabase, id: string): Promise<void> {
  requireText(id)
  await database.transaction(async ({ asCaller, asService }) => {
    await asService(async (tx) => {
      if (!(await lockBucket(tx, id))) throw noSuchBucket()
      if ((await countObjects(tx, id, 1)) > 0) throw bucketNotEmpty()
    })
    await asCaller(async (tx) => {
      try {
        if (!(await deleteBucketRow(tx, id))) throw noSuchBucket()
      } catch (error) {
        const referrer = referrerOf(error)
        if (referrer === undefined) throw error
        throw referrer === 'objects' ? bucketNotEmpty(error) : bucketOfPendingUpload(error)
      }
    })
  })
}

/**
 * Starts deleting the current objects of a bucket and returns immediately. If the server stops before the end, the remaining objects stay.
 *
 * @throws {HoldfastError} `NoSuchBucket`, `InvalidRequest` if there are too many objects
 */
export async function emptyBucket(
  context: Pick<StorageContext, 'backend' | 'logger'>,
  database: RequestDatabase,
  id: string,
): Promise<void> {
  if (database.facts.caller.role !== 'service_role') throw roleRefused()
  requireText(id)
  const before = await database.transaction(({ asService }) =>
    asService(async (tx) => {
      if (!(await findBucket(tx, id))) throw noSuchBucket()
      if ((await countObjects(tx, id, EMPTY_BUCKET_OBJECTS_MAX + 1)) > EMPTY_BUCKET_OBJECTS_MAX) throw bucketTooFull()
      const [now] = await tx.query<{ now: string }>(sql`select clock_timestamp()::text as now`)
      return now?.now ?? ''
    }),
  )
  void deleteInSteps(context, database, id, before).catch((error: unknown) =>
    context.logger.log('error', 'emptying a bucket failed before the end', { bucket: id, error: errorMessage(error) }),
  )
}

async function deleteInSteps(
  { backend, logger }: Pick<StorageContext, 'backend' | 'logger'>,
  database: RequestDatabase,
  id: string,
  before: string,
): Promise<void> {
  for (;;) {
    const deleted = await database.transaction(({ asService }) =>
      asService(async (tx) => {
        const rows = await tx.query<{ name: string }>(sql`
          select name from storage.objects where bucket_id = ${id} and created_at <= ${before}::timestamptz
           order by name collate "C" limit ${EMPTY_BUCKET_STEP}`)
        return deleteObjectRows(
          tx,
          id,
          rows.map(({ name }) => name),
        )
      }),
    )
    if (deleted.length === 0) return
    await removeBytes(
      backend,
      logger,
      deleted.map(({ version }) => version),
    )
  }
}

function bytesOf(limit: RequestedLimit, globalLimit: number): number | null {
  if (limit === null) return null
  const bytes = typeof limit === 'string' ? parseBucketLimit(limit) : limit
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0) throw invalidFileSizeLimit()
  if (bytes > globalLimit) throw entityTooLarge()
  return bytes
}

function typesOf(types: readonly string[] | null): readonly string[] | null {
  if (!types) return null
  const given = types.filter((type) => type !== '')
  requireMimeTypes(given)
  return given
}

function render(row: BucketRow): RenderedBucket {
  const { id, name, owner, created_at, updated_at, file_size_limit, allowed_mime_types } = row
  return {
    id,
    name,
    owner: owner ?? '',
    public: row.public ?? false,
    created_at,
    updated_at,
    file_size_limit: file_size_limit === null ? null : Number(file_size_limit),
    allowed_mime_types,
  }
}
