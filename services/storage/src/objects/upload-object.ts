import { pipeline } from 'node:stream'
import type { StorageContext } from '../context.ts'
import type { ObjectName, ObjectRow } from '../database/objects.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import { entityTooLarge } from '../errors.ts'
import { SizeLimit, type IncomingFile } from '../request/upload-body.ts'
import {
  admitWrite,
  bytesMaxOf,
  commitWrite,
  metadataOf,
  newVersion,
  removeBytes,
  requireFits,
  type WriteIntent,
} from './write-object.ts'

/** What storing a file needs of the service. */
export type UploadContext = Pick<StorageContext, 'backend' | 'clock' | 'fileSizeLimit' | 'logger'>

export interface Upload {
  readonly name: ObjectName
  readonly owner: string | undefined
  readonly upsert: boolean
  readonly isJudged: boolean
  /** Reads what comes before the bytes. */
  readonly readFile: () => Promise<IncomingFile>
}

/**
 * Stores a file: policies are asked before its bytes are read, the bytes are complete before the row points to them, and the bytes that they replace go last. An
 * upload that fails leaves neither.
 */
export async function uploadObject(
  context: UploadContext,
  database: RequestDatabase,
  upload: Upload,
): Promise<ObjectRow> {
  const file = await upload.readFile()
  const intent: WriteIntent = {
    name: upload.name,
    owner: upload.owner,
    upsert: upload.upsert,
    declared: {
      mimetype: file.mimeType,
      ...(file.declaredLength !== undefined && { contentLength: file.declaredLength }),
    },
    userMetadata: file.userMetadata,
    isJudged: upload.isJudged,
  }
  try {
    const rules = await admitWrite(context, database, intent, (of) =>
      requireFits(
        upload.name,
        { mimeType: file.mimeType, size: file.isLengthExact ? file.declaredLength : undefined },
        of,
      ),
    )
    return await storeFile(context, database, intent, file, bytesMaxOf(upload.name, rules))
  } catch (error) {
    file.bytes.destroy()
    throw error
  }
}

async function storeFile(
  context: UploadContext,
  database: RequestDatabase,
  intent: WriteIntent,
  file: IncomingFile,
  bytesMax: number,
): Promise<ObjectRow> {
  const { backend, logger, clock } = context
  const version = newVersion()
  // A body that says its length has no more. Of a pipeline, whichever of the two fails, the other ends, and whoever reads the second is told.
  const isMeasured = file.isLengthExact && file.declaredLength !== undefined
  const bytes = isMeasured ? file.bytes : pipeline(file.bytes, new SizeLimit(bytesMax), () => undefined)
  const stored = await backend.write(version, bytes)
  try {
    await file.complete()
    // What was measured may have grown since, as a file of `objects_path`.
    if (stored.size > bytesMax) throw entityTooLarge()
  } catch (error) {
    await removeBytes(backend, logger, [version])
    throw error
  }
  const { mimeType, cacheControl, robotsTag } = file
  const metadata = metadataOf(stored, { mimetype: mimeType, cacheControl, robotsTag }, clock.now())
  return commitWrite(context, database, intent, { version, metadata })
}
