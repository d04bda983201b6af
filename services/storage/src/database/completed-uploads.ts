import { sql, type Queryable, type Transaction } from '@holdfast/postgres'
import { S3_COMPLETED_KEPT_MS } from '../limits.ts'
import type { ObjectName } from './objects.ts'

/** The response to a completed S3 multipart upload, and its owner. */
export interface CompletedUpload extends ObjectName {
  readonly id: string
  readonly eTag: string
  readonly owner: string | undefined
}

export async function insertCompletedUpload(tx: Transaction, upload: CompletedUpload): Promise<void> {
  const { id, bucketId, key, eTag, owner } = upload
  await tx.execute(sql`
    insert into storage.s3_completed_uploads (id, bucket_id, key, etag, owner_id)
    values (${id}, ${bucketId}, ${key}, ${eTag}, ${owner ?? null})`)
}

/** @returns its ETag; `undefined` if this owner completed no such upload within the last day */
export async function findCompletedUpload(
  tx: Transaction,
  { id, bucketId, key, owner }: Omit<CompletedUpload, 'eTag'>,
): Promise<string | undefined> {
  const [row] = await tx.query<{ etag: string }>(sql`
    select etag from storage.s3_completed_uploads
     where id = ${id} and bucket_id = ${bucketId} and key = ${key} and owner_id is not distinct from ${owner ?? null}`)
  return row?.etag
}

export async function forgetCompletedUploads(db: Queryable): Promise<void> {
  await db.execute(sql`
    delete from storage.s3_completed_uploads
     where completed_at < now() - make_interval(secs => ${S3_COMPLETED_KEPT_MS / 1_000})`)
}
