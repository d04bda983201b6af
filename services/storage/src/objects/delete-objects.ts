import type { StorageContext } from '../context.ts'
import { deleteObjectRows, findObject, type ObjectName, type ObjectRow } from '../database/objects.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import { accessDenied, noSuchKey } from '../errors.ts'
import { removeBytes } from './write-object.ts'

/** Deletes the named objects as far as policies allow. @returns the deleted rows */
export async function deleteObjects(
  { backend, logger }: Pick<StorageContext, 'backend' | 'logger'>,
  database: RequestDatabase,
  bucketId: string,
  keys: readonly string[],
): Promise<readonly ObjectRow[]> {
  const rows = await database.transaction(({ asCaller }) => asCaller((tx) => deleteObjectRows(tx, bucketId, keys)))
  await removeBytes(
    backend,
    logger,
    rows.map(({ version }) => version),
  )
  return rows
}

/** @throws {HoldfastError} `NoSuchKey`; `AccessDenied` if the object is visible but may not be deleted */
export async function deleteObject(
  { backend, logger }: Pick<StorageContext, 'backend' | 'logger'>,
  database: RequestDatabase,
  name: ObjectName,
): Promise<void> {
  const row = await database.transaction(async ({ asCaller, asService }) => {
    if (!(await asService((tx) => findObject(tx, name)))) throw noSuchKey()
    const [deleted] = await asCaller((tx) => deleteObjectRows(tx, name.bucketId, [name.key]))
    if (!deleted) throw accessDenied('Access denied')
    return deleted
  })
  await removeBytes(backend, logger, [row.version])
}
