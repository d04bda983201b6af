import type { StorageContext } from '../context.ts'
import { findObject, type ObjectName } from '../database/objects.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import { commitWrite, metadataOf } from '../objects/write-object.ts'
import type { DescribedUpload } from './upload-intent.ts'
import type { UploadStore } from './upload-store.ts'

/**
 * Makes an object of an upload whose bytes have all come. The policies are asked once more, as the caller of this request. Done twice, as after a kill between
 * two steps, it is done once: the version of the object is the id of the upload.
 */
export async function finishUpload(
  context: StorageContext,
  store: UploadStore,
  database: RequestDatabase,
  { id, described }: { readonly id: string; readonly described: DescribedUpload },
): Promise<void> {
  const { intent, mimeType, cacheControl } = described
  if (!(await isCurrent(database, intent.name, id))) {
    const stored = await context.backend.write(id, store.readBytes(id))
    const metadata = metadataOf(stored, { mimetype: mimeType, cacheControl, robotsTag: undefined }, context.clock.now())
    await commitWrite(context, database, intent, { version: id, metadata })
  }
  await store.markFinished(id)
}

function isCurrent(database: RequestDatabase, name: ObjectName, version: string): Promise<boolean> {
  return database.transaction(({ asService }) =>
    asService(async (tx) => (await findObject(tx, name))?.version === version),
  )
}
