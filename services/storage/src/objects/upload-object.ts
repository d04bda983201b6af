import { pipeline } from 'node:stream'
import type { StorageContext } from '../context.ts'
import type { ObjectName, ObjectRow } from '../database/objects.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import { entityTooLarge } from '../errors.ts'
import { requireAllowedType } from '../request/mime-type.ts'
import { isEmptyFolder } from '../request/names.ts'
import { SizeLimit, type IncomingFile } from '../request/upload-body.ts'
import {
  commitWrite,
  judgeWrite,
  metadataOf,
  newVersion,
  readBucketRules,
  removeBytes,
  type BucketRules,
  type WriteIntent,
} from './write-object.ts'

export interface Upload {
  readonly name: ObjectName
  readonly owner: string | undefined
  readonly upsert: boolean
  readonly isJudged: boolean
  /** Reads what comes before the bytes. Called when the bucket is known. */
  readonly readFile: () => Promise<IncomingFile>
}

/**
 * Stores a file: policies are asked before its bytes are read, the bytes are complete before the row points to them, and the bytes that they replace go last. An
 * upload that fails leaves neither.
 */
export async function uploadObject(
  context: StorageContext,
  database: RequestDatabase,
  upload: Upload,
): Promise<ObjectRow> {
  const rules = await readBucketRules(context, database, upload.name.bucketId)
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
    const bytesMax = requireFits(upload.name, file, rules)
    await judgeWrite(database, intent)
    return await storeFile(context, database, intent, file, bytesMax)
  } catch (error) {
    file.bytes.destroy()
    throw error
  }
}

/** @returns how many bytes may come @throws {HoldfastError} `EntityTooLarge`, `InvalidMimeType` */
function requireFits({ key }: ObjectName, file: IncomingFile, rules: BucketRules): number {
  const isPlaceholder = isEmptyFolder(key)
  if (!isPlaceholder) requireAllowedType(file.mimeType, rules.allowedMimeTypes)
  const bytesMax = isPlaceholder ? 0 : rules.bytesMax
  if (file.isLengthExact && (file.declaredLength ?? 0) > bytesMax) throw entityTooLarge()
  return bytesMax
}

async function storeFile(
  context: StorageContext,
  database: RequestDatabase,
  intent: WriteIntent,
  file: IncomingFile,
  bytesMax: number,
): Promise<ObjectRow> {
  const { backend, logger, clock } = context
  const version = newVersion()
  // Whichever of the two fails, the other ends, and whoever reads the second is told.
  const bytes = pipeline(file.bytes, new SizeLimit(bytesMax), () => undefined)
  const stored = await backend.write(version, bytes)
  try {
    await file.complete()
  } catch (error) {
    await removeBytes(backend, logger, [version])
    throw error
  }
  const { mimeType, cacheControl, robotsTag } = file
  const metadata = metadataOf(stored, { mimetype: mimeType, cacheControl, robotsTag }, clock.now())
  return commitWrite(context, database, intent, { version, metadata })
}
