import type { WriteIntent } from '../objects/write-object.ts'
import { parseObjectName } from '../request/names.ts'
import { parseMetadata } from '../request/user-metadata.ts'
import type { UploadRecord } from './uploads.ts'

/** The object that an upload's metadata describes. */
export interface DescribedUpload {
  readonly intent: WriteIntent
  readonly mimeType: string
  readonly cacheControl: string
}

/** Owner of the object, and whether policies apply. */
export type Writer = Pick<WriteIntent, 'owner' | 'isJudged'>

/** Parses an upload's metadata. @throws {HoldfastError} `InvalidBucketName`, `InvalidKey`, `InvalidRequest`, `EntityTooLarge` */
export function describeUpload(
  { metadata, size, upsert }: Pick<UploadRecord, 'metadata' | 'size' | 'upsert'>,
  writer: Writer,
): DescribedUpload {
  const { bucketName, objectName, contentType, cacheControl, metadata: userMetadata } = metadata
  const mimeType = contentType || 'application/octet-stream'
  return {
    mimeType,
    cacheControl: cacheControl && /^\d+$/.test(cacheControl) ? `max-age=${cacheControl}` : 'no-cache',
    intent: {
      ...writer,
      name: parseObjectName(bucketName ?? '', objectName ?? ''),
      upsert,
      declared: { mimetype: mimeType, ...(size !== undefined && { contentLength: size }) },
      userMetadata: parseMetadata(userMetadata ?? undefined),
    },
  }
}
