import { randomUUID } from 'node:crypto'
import { errorMessage, type Logger } from '@holdfast/foundation'
import type { SqlFragment, Transaction } from '@holdfast/postgres'
import { isVersion, type Backend, type StoredBytes } from '../backend/backend.ts'
import type { StorageContext } from '../context.ts'
import { selectBucket, type BucketRow } from '../database/buckets.ts'
import {
  insertObject,
  insertReturning,
  lockKeyStatements,
  selectObject,
  sizeOf,
  upsertObject,
  type NewObject,
  type ObjectMetadata,
  type ObjectName,
  type ObjectRow,
} from '../database/objects.ts'
import type { RequestDatabase, RequestTransaction } from '../database/request-database.ts'
import type { Step } from '../database/round-trip.ts'
import { entityTooLarge, noSuchBucket } from '../errors.ts'
import { requireAllowedType } from '../request/mime-type.ts'
import { isEmptyFolder } from '../request/names.ts'
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

/**
 * Whether the caller may write this object, asked before its bytes are read.
 *
 * @param requireFits - looks at what the bucket demands, before policies have a say
 * @throws {HoldfastError} `NoSuchBucket`, what `requireFits` throws, `AccessDenied`, `KeyAlreadyExists`
 */
export async function admitWrite(
  context: Pick<StorageContext, 'fileSizeLimit'>,
  database: RequestDatabase,
  intent: WriteIntent,
  requireFits: (rules: BucketRules) => void = () => undefined,
): Promise<BucketRules> {
  const { rows, error } = await database.judge([
    { as: 'service', statement: selectBucket(intent.name.bucketId) },
    ...(intent.isJudged ? [{ as: 'judge', statement: tryWrite(intent) } as const] : []),
  ])
  const rules = rulesOf(context, rows[0] as readonly BucketRow[] | undefined, error)
  requireFits(rules)
  if (error !== undefined) throw error
  return rules
}

/** Reads what a bucket demands. @throws {HoldfastError} `NoSuchBucket` */
export async function readBucketRules(
  context: Pick<StorageContext, 'fileSizeLimit'>,
  database: RequestDatabase,
  bucketId: string,
): Promise<BucketRules> {
  const { rows, error } = await database.read([{ as: 'service', statement: selectBucket(bucketId) }])
  return rulesOf(context, rows[0] as readonly BucketRow[] | undefined, error)
}

function rulesOf(
  context: Pick<StorageContext, 'fileSizeLimit'>,
  buckets: readonly BucketRow[] | undefined,
  error: unknown,
): BucketRules {
  if (!buckets) throw error
  const [bucket] = buckets
  if (!bucket) throw noSuchBucket()
  return rulesOfBucket(context, bucket)
}

export function rulesOfBucket(
  { fileSizeLimit }: Pick<StorageContext, 'fileSizeLimit'>,
  bucket: Pick<BucketRow, 'file_size_limit' | 'allowed_mime_types'>,
): BucketRules {
  const own = bucket.file_size_limit === null ? Number.POSITIVE_INFINITY : Number(bucket.file_size_limit)
  return { bytesMax: Math.min(own, fileSizeLimit), allowedMimeTypes: bucket.allowed_mime_types }
}

/** The most that an object of this name may have. One that stands for an empty folder has nothing. */
export function bytesMaxOf({ key }: ObjectName, { bytesMax }: BucketRules): number {
  return isEmptyFolder(key) ? 0 : bytesMax
}

/**
 * @param size - `undefined` where it is not known yet
 * @throws {HoldfastError} `InvalidMimeType`, `EntityTooLarge`
 */
export function requireFits(
  name: ObjectName,
  { mimeType, size }: { readonly mimeType: string; readonly size: number | undefined },
  rules: BucketRules,
): void {
  if (!isEmptyFolder(name.key)) requireAllowedType(mimeType, rules.allowedMimeTypes)
  if ((size ?? 0) > bytesMaxOf(name, rules)) throw entityTooLarge()
}

/** What an object that is there brings into another bucket, or as another type. @throws {HoldfastError} `InvalidMimeType`, `EntityTooLarge` */
export function requireEntry(
  source: ObjectRow,
  { name, mimeType }: { readonly name: ObjectName; readonly mimeType: string | undefined },
  rules: BucketRules,
): void {
  // What has been in the bucket before its limits were set may stay, under any name.
  if (name.bucketId === source.bucket_id && mimeType === source.metadata?.mimetype) return
  requireFits(name, { mimeType: mimeType ?? 'application/octet-stream', size: sizeOf(source) }, rules)
}

/** The statement that policies judge. It is undone. */
function tryWrite(intent: WriteIntent): SqlFragment {
  const object: NewObject = {
    ...intent.name,
    owner: intent.owner,
    version: '1',
    metadata: intent.declared,
    userMetadata: intent.userMetadata,
  }
  return intent.upsert ? upsertObject(object) : insertObject(object)
}

/** The name of bytes that are going to be there. */
export function newVersion(): string {
  return randomUUID()
}

/** What is written when all bytes are there. */
interface Written {
  readonly version: string
  readonly metadata: ObjectMetadata
}

/**
 * Makes the row point to a version whose bytes are complete, and then deletes the bytes that it pointed to. The policies are asked once more, with the key
 * locked: between the first time and this one the body came in, and it may have taken long. When this rejects, the bytes of the version are deleted, unless the
 * connection ended while it was committed: the row may point to them then. If it does not, the sweep deletes them.
 */
export async function commitWrite(
  { backend, logger }: Pick<StorageContext, 'backend' | 'logger'>,
  database: RequestDatabase,
  intent: WriteIntent,
  written: Written,
): Promise<ObjectRow> {
  let mayBeKept = false
  try {
    const locks = lockKeyStatements(intent.name).map((statement): Step => ({ as: 'service', statement }))
    const { rows, error } = await database.write([...locks, ...writeSteps(intent, written)], () => {
      mayBeKept = true
    })
    if (error !== undefined) {
      mayBeKept = false
      throw error
    }
    const { row, replaced } = readWritten(intent, rows)
    await removeBytes(backend, logger, [replaced])
    return row
  } catch (error) {
    if (!mayBeKept) await removeBytes(backend, logger, [written.version])
    throw error
  }
}

/** The row as it is, what policies say of the new one, and the new one, in this order; the key is locked. */
function writeSteps(intent: WriteIntent, { version, metadata }: Written): readonly Step[] {
  const { name, owner, userMetadata = {} } = intent
  const object: NewObject = { ...name, owner, version, metadata, userMetadata }
  return [
    { as: 'service', statement: selectObject(name) },
    ...(intent.isJudged ? [{ as: 'judge', statement: tryWrite(intent) } as const] : []),
    { as: 'service', statement: intent.upsert ? upsertObject(object) : insertReturning(object) },
  ]
}

/** @param rows - of steps that end with {@link writeSteps} */
function readWritten(
  intent: WriteIntent,
  rows: readonly (readonly object[])[],
): { readonly row: ObjectRow; readonly replaced: string | null | undefined } {
  const [current] = (rows.at(intent.isJudged ? -3 : -2) ?? []) as readonly ObjectRow[]
  const [row] = (rows.at(-1) ?? []) as readonly ObjectRow[]
  if (!row) throw new Error('a write returns its row')
  return { row, replaced: current?.version }
}

/**
 * The same, with more that is true from the same moment on: `alongside` runs as `service_role` in the same transaction.
 */
export async function commitWriteWith(
  context: Pick<StorageContext, 'backend' | 'logger'>,
  database: RequestDatabase,
  intent: WriteIntent,
  written: Written,
  alongside: (tx: Transaction) => Promise<void>,
): Promise<ObjectRow> {
  const { row, replaced } = await commitVersion(context, database, written.version, async (tx) => {
    for (const statement of lockKeyStatements(intent.name)) await tx.asService((service) => service.query(statement))
    await tx.asService(alongside)
    const rows: (readonly object[])[] = []
    for (const { as, statement } of writeSteps(intent, written))
      rows.push(await (as === 'judge' ? tx.judge : tx.asService)((one) => one.query(statement)))
    return readWritten(intent, rows)
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

/** The description of a written object, under the names that Supabase gives it. */
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
