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

/** A requested write, before its bytes arrive. */
export interface WriteIntent {
  readonly name: ObjectName
  readonly owner: string | undefined
  /** Whether to replace an existing object. */
  readonly upsert: boolean
  /** Metadata declared by the client, which policies see before any bytes arrive. */
  readonly declared: ObjectMetadata | undefined
  readonly userMetadata: UserMetadata | undefined
  /** Whether to check policies. For signed URLs they were checked at signing. */
  readonly isJudged: boolean
}

/** Limits that a bucket sets for its objects. */
export interface BucketRules {
  readonly bytesMax: number
  readonly allowedMimeTypes: readonly string[] | null
}

/**
 * Checks whether the caller may write this object, before its bytes are read.
 *
 * @param requireFits - checks the bucket's limits before the policies
 * @throws {HoldfastError} `NoSuchBucket`, errors of `requireFits`, `AccessDenied`, `KeyAlreadyExists`
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

/** Reads a bucket's limits. @throws {HoldfastError} `NoSuchBucket` */
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

/** Returns the size limit for this name: 0 for an empty-folder placeholder. */
export function bytesMaxOf({ key }: ObjectName, { bytesMax }: BucketRules): number {
  return isEmptyFolder(key) ? 0 : bytesMax
}

/**
 * @param size - `undefined` if unknown
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

/** Checks an existing object against the limits when its bucket or type changes. @throws {HoldfastError} `InvalidMimeType`, `EntityTooLarge` */
export function requireEntry(
  source: ObjectRow,
  { name, mimeType }: { readonly name: ObjectName; readonly mimeType: string | undefined },
  rules: BucketRules,
): void {
  // Objects older than the bucket's limits may stay and be renamed.
  if (name.bucketId === source.bucket_id && mimeType === source.metadata?.mimetype) return
  requireFits(name, { mimeType: mimeType ?? 'application/octet-stream', size: sizeOf(source) }, rules)
}

/** The statement that policies judge; always rolled back. */
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

/** Generates a version name. */
export function newVersion(): string {
  return randomUUID()
}

/** Row content, known once all bytes are stored. */
interface Written {
  readonly version: string
  readonly metadata: ObjectMetadata
}

/**
 * Points the row to a completely stored version, then deletes the bytes it replaced. Checks the policies again with the key locked, because the upload may have
 * taken long. On rejection the version's bytes are deleted, unless the connection failed during the commit: the row may reference them. If it does not, the
 * sweep deletes them.
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

/** Selects the current row, judges the new one and writes it, in this order, with the key locked. */
function writeSteps(intent: WriteIntent, { version, metadata }: Written): readonly Step[] {
  const { name, owner, userMetadata = {} } = intent
  const object: NewObject = { ...name, owner, version, metadata, userMetadata }
  return [
    { as: 'service', statement: selectObject(name) },
    ...(intent.isJudged ? [{ as: 'judge', statement: tryWrite(intent) } as const] : []),
    { as: 'service', statement: intent.upsert ? upsertObject(object) : insertReturning(object) },
  ]
}

/** @param rows - of steps ending with {@link writeSteps} */
function readWritten(
  intent: WriteIntent,
  rows: readonly (readonly object[])[],
): { readonly row: ObjectRow; readonly replaced: string | null | undefined } {
  const [current] = (rows.at(intent.isJudged ? -3 : -2) ?? []) as readonly ObjectRow[]
  const [row] = (rows.at(-1) ?? []) as readonly ObjectRow[]
  if (!row) throw new Error('a write returns its row')
  return { row, replaced: current?.version }
}

/** As {@link commitWrite}, with further changes in the same transaction: `alongside` runs as `service_role`. */
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
 * Runs a transaction that points a row to a version. On rejection the version's bytes are deleted, unless the connection failed during the commit: the row may
 * reference them. If it does not, the sweep deletes them.
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

/** Builds the metadata of a written object with Supabase's property names. */
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

/** Deletes unreferenced bytes. Failures are left to the next sweep. */
export async function removeBytes(
  backend: Backend,
  logger: Logger,
  versions: readonly (string | null | undefined)[],
): Promise<void> {
  for (const version of versions.filter(isVersion)) {
    try {
      await backend.remove(version)
    } catch (error) {
      logger.log('warn', 'the bytes of a deleted version could not be removed; the next sweep retries', {
        version,
        error: errorMessage(error),
      })
    }
  }
}
