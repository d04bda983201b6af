import { findObject, lockKey, moveObjectRow, type ObjectName } from '../database/objects.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import { noSuchBucket, noSuchKey } from '../errors.ts'
import { findBucket } from '../database/buckets.ts'

/**
 * Gives an object another name. Its bytes stay where they are, under their version, so that a crash leaves either name and never none.
 *
 * @throws {HoldfastError} `NoSuchKey` when policies do not let the caller see and change it, `AccessDenied` when they refuse the new name, `KeyAlreadyExists`
 */
export async function moveObject(
  database: RequestDatabase,
  from: ObjectName,
  to: ObjectName,
  owner: string | undefined,
): Promise<void> {
  await database.transaction(async ({ asService, judge }) => {
    await asService(async (tx) => {
      // In one order, whoever moves what where.
      const names = [from, to].toSorted((a, b) => (`${a.bucketId}/${a.key}` < `${b.bucketId}/${b.key}` ? -1 : 1))
      for (const name of names) await lockKey(tx, name)
      for (const { bucketId } of [from, to]) if (!(await findBucket(tx, bucketId))) throw noSuchBucket()
    })
    await judge(async (tx) => {
      if (!(await findObject(tx, from)) || !(await moveObjectRow(tx, from, to, owner))) throw noSuchKey()
    })
    await asService(async (tx) => {
      if (!(await moveObjectRow(tx, from, to, owner))) throw noSuchKey()
    })
  })
}
