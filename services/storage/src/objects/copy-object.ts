import { isVersion } from '../backend/backend.ts'
import type { StorageContext } from '../context.ts'
import { findObject, type ObjectMetadata, type ObjectName, type ObjectRow } from '../database/objects.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import { noSuchKey } from '../errors.ts'
import { REPLACED_RETRIES_MAX } from '../limits.ts'
import type { UserMetadata } from '../request/user-metadata.ts'
import { admitWrite, commitWrite, newVersion, readBucketRules, requireEntry, type WriteIntent } from './write-object.ts'

export interface Copy {
  readonly from: ObjectName
  readonly to: ObjectName
  readonly owner: string | undefined
  readonly upsert: boolean
  /** Whether to copy type, cache control and user metadata from the source. */
  readonly copyMetadata: boolean
  readonly metadata: Pick<ObjectMetadata, 'cacheControl' | 'mimetype'> | undefined
  readonly userMetadata: UserMetadata | undefined
}

/** @throws {HoldfastError} `NoSuchKey`, `NoSuchBucket`, `AccessDenied`, `KeyAlreadyExists`, `InvalidMimeType`, `EntityTooLarge` */
export async function copyObject(context: StorageContext, database: RequestDatabase, copy: Copy): Promise<ObjectRow> {
  await readBucketRules(context, database, copy.to.bucketId)
  for (let attempt = 0; attempt < REPLACED_RETRIES_MAX; attempt++) {
    const source = await database.transaction(({ asCaller }) => asCaller((tx) => findObject(tx, copy.from)))
    if (!source) throw noSuchKey()
    const metadata: ObjectMetadata = { ...source.metadata, ...(!copy.copyMetadata && given(copy.metadata)) }
    const intent: WriteIntent = {
      name: copy.to,
      owner: copy.owner,
      upsert: copy.upsert,
      declared: metadata,
      userMetadata: copy.copyMetadata ? (source.user_metadata ?? undefined) : copy.userMetadata,
      isJudged: true,
    }
    await admitWrite(context, database, intent, (rules) =>
      requireEntry(source, { name: copy.to, mimeType: metadata.mimetype }, rules),
    )
    const version = newVersion()
    // A concurrent overwrite deleted the bytes that the source row referenced.
    if (!isVersion(source.version) || !(await context.backend.copy(source.version, version))) continue
    const lastModified = new Date(context.clock.now()).toISOString()
    return commitWrite(context, database, intent, { version, metadata: { ...metadata, lastModified } })
  }
  throw noSuchKey()
}

function given(metadata: Copy['metadata']): ObjectMetadata {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([, value]) => value !== undefined))
}
