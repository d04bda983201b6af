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

/** Basis on which a row may be read. */
export type ReadAccess =
  /** The bucket is public, or policies show the row to the caller. */
  | 'caller'
  /** The bucket is public. */
  | 'public'
  /** A signed URL was verified. */
  | 'signed'

/** @throws {HoldfastError} `NoSuchBucket`, `NoSuchKey` */
export async function findReadable(
  database: RequestDatabase,
  name: ObjectName,
  access: ReadAccess,
): Promise<ObjectRow> {
  // Without a key there is no role for policies to apply to.
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
  // From here on, an error comes from the caller's own statement.
  const isOpen = bucket.public === true || isSigned
  if (!isOpen && !isJudged) throw noSuchBucket()
  if (!isOpen && !shown) throw error
  const row = isOpen ? found[0] : shown?.[0]
  if (!row) throw noSuchKey()
  return row
}

/** Policies alone decide, even in a public bucket. @throws {HoldfastError} `NoSuchBucket`, `NoSuchKey` */
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
 * Opens the bytes of an object. Looks up the row again if a concurrent overwrite deleted the bytes it referenced.
 *
 * @param find - returns the row after checking access
 * @param open - opens the bytes of a version, if any
 * @throws {HoldfastError} errors of `find` and `open`; `NoSuchKey` if there are no bytes
 */
export async function openObject<Opened>(
  { logger }: Pick<StorageContext, 'logger'>,
  find: () => Promise<ObjectRow>,
  open: (version: string, row: ObjectRow) => Promise<Opened | undefined>,
): Promise<OpenedObject<Opened>> {
  let missing: string | null | undefined
  for (let attempt = 0; attempt < REPLACED_RETRIES_MAX; attempt++) {
    const row = await find()
    // The same version twice: it was not replaced, its bytes are missing.
    if (attempt > 0 && row.version === missing) break
    const opened = isVersion(row.version) ? await open(row.version, row) : undefined
    if (opened) return { row, opened }
    missing = row.version
  }
  logger.log('error', 'the bytes of an object are missing', {
    version: missing,
    hint: 'Restore the file from a backup into the storage folder.',
  })
  throw noSuchKey()
}
