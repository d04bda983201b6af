import type { Readable } from 'node:stream'
import { isVersion, type ByteRange } from '../backend/backend.ts'
import type { StorageContext } from '../context.ts'
import { findBucket, requireBucket } from '../database/buckets.ts'
import { findObject, type ObjectName, type ObjectRow } from '../database/objects.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import { noSuchBucket, noSuchKey } from '../errors.ts'
import { REPLACED_RETRIES_MAX } from '../limits.ts'

/** Why a row may be read. */
export type ReadAccess =
  /** The bucket is public, or policies let the caller see the row. */
  | 'caller'
  /** Only if the bucket is public. */
  | 'public'
  /** A signed address was checked. */
  | 'signed'

/** @throws {HoldfastError} `NoSuchBucket`, `NoSuchKey` */
export async function findReadable(
  database: RequestDatabase,
  name: ObjectName,
  access: ReadAccess,
): Promise<ObjectRow> {
  const row = await database.transaction(async ({ asCaller, asService }) => {
    const bucket = await asService((tx) => requireBucket(tx, name.bucketId))
    if (bucket.public === true || access === 'signed') return asService((tx) => findObject(tx, name))
    // Who has no key at all is nobody whom a policy could know.
    if (access === 'public' || database.facts.caller.isKeyless === true) throw noSuchBucket()
    return asCaller((tx) => findObject(tx, name))
  })
  if (!row) throw noSuchKey()
  return row
}

/** Policies alone decide, also in a public bucket. @throws {HoldfastError} `NoSuchBucket`, `NoSuchKey` */
export async function findAsCaller(database: RequestDatabase, name: ObjectName): Promise<ObjectRow> {
  const row = await database.transaction(async ({ asCaller, asService }) => {
    const found = await asCaller((tx) => findObject(tx, name))
    if (!found && !(await asService((tx) => findBucket(tx, name.bucketId)))) throw noSuchBucket()
    return found
  })
  if (!row) throw noSuchKey()
  return row
}

export interface OpenedObject {
  readonly row: ObjectRow
  /** To be consumed or destroyed. */
  readonly bytes: Readable
  readonly range: ByteRange | undefined
}

/**
 * Opens the bytes of an object. An overwrite between finding the row and opening them deletes what the row pointed to: then the row is looked for again.
 *
 * @param find - the row, checked
 * @param rangeOf - which part of it is wanted
 * @throws {HoldfastError} what `find` and `rangeOf` throw; `NoSuchKey` when there are no bytes
 */
export async function openObject(
  { backend, logger }: Pick<StorageContext, 'backend' | 'logger'>,
  find: () => Promise<ObjectRow>,
  rangeOf: (row: ObjectRow) => ByteRange | undefined,
): Promise<OpenedObject> {
  let missing: string | null | undefined
  for (let attempt = 0; attempt < REPLACED_RETRIES_MAX; attempt++) {
    const row = await find()
    // The same version twice: nothing has replaced it, its bytes are not there.
    if (attempt > 0 && row.version === missing) break
    const range = rangeOf(row)
    const bytes = isVersion(row.version) ? await backend.read(row.version, range) : undefined
    if (bytes) return { row, bytes, range }
    missing = row.version
  }
  logger.log('error', 'an object has no bytes', {
    version: missing,
    hint: 'Bring the file back from a backup, into the folder of the stored files.',
  })
  throw noSuchKey()
}
