import type { WriteIntent } from '../objects/write-object.ts'
import { parseObjectName } from '../request/names.ts'
import { parseMetadata } from '../request/user-metadata.ts'
import type { UploadRecord } from './upload-store.ts'

/** What the metadata of an upload says of the object that it is going to be. */
export interface DescribedUpload {
  readonly intent: WriteIntent
  readonly mimeType: string
  readonly cacheControl: string
}

/** Who writes the object, and whether policies are asked. */
export type Writer = Pick<WriteIntent, 'owner' | 'isJudged'>

/** Reads an upload's metadata. @throws {HoldfastError} `InvalidBucketName`, `InvalidKey`, `InvalidRequest`, `EntityTooLarge` */
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
