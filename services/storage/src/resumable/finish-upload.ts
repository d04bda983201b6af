import type { StorageContext } from '../context.ts'
import { findObject, type ObjectName } from '../database/objects.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import { commitWrite, metadataOf } from '../objects/write-object.ts'
import type { DescribedUpload } from './upload-intent.ts'
import type { Uploads } from './uploads.ts'

/**
 * Creates the object of a completely received upload. Checks the policies again as the caller. Idempotent, for example after a kill between two steps: the
 * object's version is the upload id.
 */
export async function finishUpload(
  context: StorageContext,
  store: Uploads,
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
