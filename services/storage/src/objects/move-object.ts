import type { StorageContext } from '../context.ts'
import { requireBucket } from '../database/buckets.ts'
import { findObject, lockKey, moveObjectRow, type ObjectName } from '../database/objects.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import { noSuchKey } from '../errors.ts'
import { requireEntry, rulesOfBucket } from './write-object.ts'

/**
 * Renames an object. Its bytes keep their version, so a crash leaves exactly one of the two names.
 *
 * @throws {HoldfastError} `NoSuchKey` if policies do not let the caller see and change it, `AccessDenied` if they refuse the new name, `KeyAlreadyExists`;
 * `InvalidMimeType` or `EntityTooLarge` if the target bucket does not accept it
 */
export async function moveObject(
  context: Pick<StorageContext, 'fileSizeLimit'>,
  database: RequestDatabase,
  from: ObjectName,
  to: ObjectName,
  owner: string | undefined,
): Promise<void> {
  await database.transaction(async ({ asService, judge }) => {
    const target = await asService(async (tx) => {
      // Lock in a fixed order to avoid deadlocks.
      const names = [from, to].toSorted((a, b) => (`${a.bucketId}/${a.key}` < `${b.bucketId}/${b.key}` ? -1 : 1))
      for (const name of names) await lockKey(tx, name)
      await requireBucket(tx, from.bucketId)
      return requireBucket(tx, to.bucketId)
    })
    const source = await judge(async (tx) => {
      const found = await findObject(tx, from)
      if (!found || !(await moveObjectRow(tx, from, to, owner))) throw noSuchKey()
      return found
    })
    requireEntry(source, { name: to, mimeType: source.metadata?.mimetype }, rulesOfBucket(context, target))
    await asService(async (tx) => {
      if (!(await moveObjectRow(tx, from, to, owner))) throw noSuchKey()
    })
  })
}
