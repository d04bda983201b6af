import type { StorageContext } from '../context.ts'
import { requireBucket } from '../database/buckets.ts'
import { findObject, lockKey, moveObjectRow, type ObjectName } from '../database/objects.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import { noSuchKey } from '../errors.ts'
import { requireEntry, rulesOfBucket } from './write-object.ts'

/**
 * Gives an object another name. Its bytes stay where they are, under their version, so that a crash leaves either name and never none.
 *
 * @throws {HoldfastError} `NoSuchKey` when policies do not let the caller see and change it, `AccessDenied` when they refuse the new name, `KeyAlreadyExists`;
 * `InvalidMimeType` or `EntityTooLarge` when another bucket does not take it
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
      // In one order, whoever moves what where.
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
