import { isVersion } from '../backend/backend.ts'
import type { StorageContext } from '../context.ts'
import {
  selectAccess,
  selectObject,
  selectPrivateObject,
  selectPublicObject,
  type ObjectName,
  type ObjectRow,
} from '../database/objects.ts'
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
  // A request without a key has no role that a policy could name.
  const isJudged = access === 'caller' && database.facts.caller.isKeyless !== true
  const isSigned = access === 'signed'
  const { rows, error } = await database.read([
    { as: 'service', statement: selectAccess(name.bucketId) },
    { as: 'service', statement: isSigned ? selectObject(name) : selectPublicObject(name) },
    ...(isJudged ? [{ as: 'caller', statement: selectPrivateObject(name) } as const] : []),
  ])
  const [buckets, found, shown] = rows as readonly [
    (readonly { readonly public: boolean | null }[])?,
    (readonly ObjectRow[])?,
    (readonly ObjectRow[])?,
  ]
  if (!found) throw error
  const [bucket] = buckets ?? []
  if (!bucket) throw noSuchBucket()
  // Past this point a failure is one of the caller's own statement.
  const isOpen = bucket.public === true || isSigned
  if (!isOpen && !isJudged) throw noSuchBucket()
  if (!isOpen && !shown) throw error
  const row = isOpen ? found[0] : shown?.[0]
  if (!row) throw noSuchKey()
  return row
}

/** Policies alone decide, also in a public bucket. @throws {HoldfastError} `NoSuchBucket`, `NoSuchKey` */
export async function findAsCaller(database: RequestDatabase, name: ObjectName): Promise<ObjectRow> {
  const { rows, error } = await database.read([
    { as: 'caller', statement: selectObject(name) },
    { as: 'service', statement: selectAccess(name.bucketId) },
  ])
  const [found, buckets] = rows as readonly [(readonly ObjectRow[])?, (readonly object[])?]
  if (!found || !buckets) throw error
  if (found[0]) return found[0]
  throw buckets.length === 0 ? noSuchBucket() : noSuchKey()
}

export interface OpenedObject<Opened> {
  readonly row: ObjectRow
  readonly opened: Opened
}

/**
 * Opens the bytes of an object. An overwrite between finding the row and opening them deletes what the row pointed to: then the row is looked for again.
 *
 * @param find - the row, checked
 * @param open - opens the bytes of a version, if there are any
 * @throws {HoldfastError} what `find` and `open` throw; `NoSuchKey` when there are no bytes
 */
export async function openObject<Opened>(
  { logger }: Pick<StorageContext, 'logger'>,
  find: () => Promise<ObjectRow>,
  open: (version: string, row: ObjectRow) => Promise<Opened | undefined>,
): Promise<OpenedObject<Opened>> {
  let missing: string | null | undefined
  for (let attempt = 0; attempt < REPLACED_RETRIES_MAX; attempt++) {
    const row = await find()
    // The same version twice: nothing has replaced it, its bytes are not there.
    if (attempt > 0 && row.version === missing) break
    const opened = isVersion(row.version) ? await open(row.version, row) : undefined
    if (opened) return { row, opened }
    missing = row.version
  }
  logger.log('error', 'an object has no bytes', {
    version: missing,
    hint: 'Bring the file back from a backup, into the folder of the stored files.',
  })
  throw noSuchKey()
}
