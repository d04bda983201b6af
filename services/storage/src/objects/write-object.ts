import { randomUUID } from 'node:crypto'
import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import { isVersion, type Backend, type StoredBytes } from '../backend/backend.ts'
import type { StorageContext } from '../context.ts'
import { requireBucket } from '../database/buckets.ts'
import {
  findObject,
  insertObject,
  lockKey,
  upsertObject,
  type NewObject,
  type ObjectMetadata,
  type ObjectName,
  type ObjectRow,
} from '../database/objects.ts'
import type { RequestDatabase, RequestTransaction } from '../database/request-database.ts'
import { keyAlreadyExists } from '../errors.ts'
import type { UserMetadata } from '../request/user-metadata.ts'

/** An object that a person wants to write, before its bytes are there. */
export interface WriteIntent {
  readonly name: ObjectName
  readonly owner: string | undefined
  /** Whether an object of the same name is replaced. */
  readonly upsert: boolean
  /** What policies see of the metadata: what the client says, as nothing has arrived yet. */
  readonly declared: ObjectMetadata | undefined
  readonly userMetadata: UserMetadata | undefined
  /** Whether policies are asked. A signed address has asked them when it was made. */
  readonly isJudged: boolean
}

/** What a bucket demands of its objects. */
export interface BucketRules {
  readonly bytesMax: number
  readonly allowedMimeTypes: readonly string[] | null
}

/** Reads what a bucket demands. @throws {HoldfastError} `NoSuchBucket` */
export async function readBucketRules(
  context: Pick<StorageContext, 'fileSizeLimit'>,
  database: RequestDatabase,
  bucketId: string,
): Promise<BucketRules> {
  const bucket = await database.transaction(({ asService }) => asService((tx) => requireBucket(tx, bucketId)))
  const own = bucket.file_size_limit === null ? Number.POSITIVE_INFINITY : Number(bucket.file_size_limit)
  return { bytesMax: Math.min(own, context.fileSizeLimit), allowedMimeTypes: bucket.allowed_mime_types }
}

/** Whether the caller may write this object, asked before its bytes are read. @throws {HoldfastError} `AccessDenied`, `KeyAlreadyExists` */
export async function judgeWrite(database: RequestDatabase, intent: WriteIntent): Promise<void> {
  if (!intent.isJudged) return
  await database.transaction(({ judge }) => judge((tx) => tryWrite(tx, intent)))
}

/** The statement that policies judge. It is undone. */
async function tryWrite(tx: Transaction, intent: WriteIntent): Promise<void> {
  const object: NewObject = {
    ...intent.name,
    owner: intent.owner,
    version: '1',
    metadata: intent.declared,
    userMetadata: intent.userMetadata,
  }
  if (intent.upsert) await upsertObject(tx, object)
  else await insertObject(tx, object)
}

/** The name of bytes that are going to be there. */
export function newVersion(): string {
  return randomUUID()
}

/**
 * Makes the row point to a version whose bytes are complete, and then deletes the bytes that it pointed to. The policies are asked once more, with the key
 * locked: between the first time and this one the body came in, and it may have taken long. When this rejects, {@link commitVersion} says what becomes of the bytes.
 */
export async function commitWrite(
  context: Pick<StorageContext, 'backend' | 'logger'>,
  database: RequestDatabase,
  intent: WriteIntent,
  written: { readonly version: string; readonly metadata: ObjectMetadata },
): Promise<ObjectRow> {
  const { row, replaced } = await commitVersion(context, database, written.version, async ({ asService, judge }) => {
    const current = await asService(async (tx) => {
      await lockKey(tx, intent.name)
      return findObject(tx, intent.name)
    })
    if (current && !intent.upsert) throw keyAlreadyExists()
    if (intent.isJudged) await judge((tx) => tryWrite(tx, intent))
    const object = await asService((tx) =>
      upsertObject(tx, {
        ...intent.name,
        owner: intent.owner,
        version: written.version,
        metadata: written.metadata,
        userMetadata: intent.userMetadata ?? {},
      }),
    )
    return { row: object, replaced: current?.version }
  })
  await removeBytes(context.backend, context.logger, [replaced])
  return row
}

/**
 * Runs a transaction that makes a row point to a version. When it rejects, the bytes of the version are deleted, unless the connection ended while it was
 * committed: the row may point to them then. If it does not, the sweep deletes them.
 */
export async function commitVersion<T>(
  { backend, logger }: Pick<StorageContext, 'backend' | 'logger'>,
  database: RequestDatabase,
  version: string,
  body: (tx: RequestTransaction) => Promise<T>,
): Promise<T> {
  let isCommitting = false
  try {
    return await database.transaction(async (tx) => {
      const result = await body(tx)
      isCommitting = true
      return result
    })
  } catch (error) {
    if (!isCommitting) await removeBytes(backend, logger, [version])
    throw error
  }
}

/** What is kept of an object that was written, under the names that Supabase gives it. */
export function metadataOf(
  { size, eTag }: StoredBytes,
  more: { readonly mimetype: string; readonly cacheControl: string; readonly robotsTag: string | undefined },
  writtenAt: number,
): ObjectMetadata {
  return {
    eTag,
    size,
    mimetype: more.mimetype,
    cacheControl: more.cacheControl,
    lastModified: new Date(writtenAt).toISOString(),
    contentLength: size,
    httpStatusCode: 200,
    ...(more.robotsTag !== undefined && { xRobotsTag: more.robotsTag }),
  }
}

/** Deletes bytes that no row points to any more. What fails is left to the next sweep: the row is what counts. */
export async function removeBytes(
  backend: Backend,
  logger: Logger,
  versions: readonly (string | null | undefined)[],
): Promise<void> {
  for (const version of versions.filter(isVersion)) {
    try {
      await backend.remove(version)
    } catch (error) {
      logger.log('warn', 'bytes of a deleted version are left to the next sweep', {
        version,
        error: errorMessage(error),
      })
    }
  }
}
