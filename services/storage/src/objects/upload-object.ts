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

export type UploadContext = Pick<StorageContext, 'backend' | 'clock' | 'fileSizeLimit' | 'logger'>

export interface Upload {
  readonly name: ObjectName
  readonly owner: string | undefined
  readonly upsert: boolean
  readonly isJudged: boolean
  /** Reads everything before the bytes. */
  readonly readFile: () => Promise<IncomingFile>
}

/**
 * Stores a file: checks policies before reading the bytes, updates the row once the bytes are complete, and deletes the replaced bytes last. A failed upload
 * leaves neither row nor bytes.
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
  // A body of declared length cannot exceed it. In a pipeline an error on either side ends the other and reaches the reader.
  const isMeasured = file.isLengthExact && file.declaredLength !== undefined
  const bytes = isMeasured ? file.bytes : pipeline(file.bytes, new SizeLimit(bytesMax), () => undefined)
  const stored = await backend.write(version, bytes)
  try {
    await file.complete()
    // A measured file, such as one in `objects_path`, may have grown since.
    if (stored.size > bytesMax) throw entityTooLarge()
  } catch (error) {
    await removeBytes(backend, logger, [version])
    throw error
  }
  const { mimeType, cacheControl, robotsTag } = file
  const metadata = metadataOf(stored, { mimetype: mimeType, cacheControl, robotsTag }, clock.now())
  return commitWrite(context, database, intent, { version, metadata })
}
