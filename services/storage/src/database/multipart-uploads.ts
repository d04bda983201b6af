import { sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import type { ObjectMetadata, ObjectName } from './objects.ts'

/** An unfinished S3 multipart upload. */
export interface MultipartUploadRow {
  readonly id: string
  readonly bucket_id: string
  readonly key: string
  readonly owner_id: string | null
  readonly metadata: ObjectMetadata | null
  readonly user_metadata: Readonly<Record<string, unknown>> | null
  readonly created_at: Date
}

export interface UploadedPartRow {
  readonly part_number: number
  /** Version under which its bytes are stored. */
  readonly version: string
  readonly etag: string
  /** A bigint, hence a string. */
  readonly size: string
  readonly created_at: Date
}

export interface NewMultipartUpload extends ObjectName {
  readonly id: string
  readonly version: string
  readonly owner: string | undefined
  readonly metadata: ObjectMetadata
  readonly userMetadata: Readonly<Record<string, unknown>> | undefined
}

const UPLOAD = sql`id, bucket_id, key, owner_id, metadata, user_metadata, created_at`
const PART = sql`part_number, version, etag, size, created_at`

export async function insertMultipartUpload(tx: Transaction, upload: NewMultipartUpload): Promise<void> {
  const { id, bucketId, key, version, owner, metadata, userMetadata } = upload
  await tx.execute(sql`
    insert into storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version, owner_id, metadata, user_metadata)
    values (${id}, '', ${bucketId}, ${key}, ${version}, ${owner ?? null}, ${JSON.stringify(metadata)}::jsonb,
            ${userMetadata === undefined ? null : JSON.stringify(userMetadata)}::jsonb)`)
}

/** Counts up to `max`. */
export async function countUploadsOf(tx: Transaction, owner: string, max: number): Promise<number> {
  const rows = await tx.query(sql`select from storage.s3_multipart_uploads where owner_id = ${owner} limit ${max}`)
  return rows.length
}

/** @param lock - whether to lock the row against concurrent changes */
export async function findMultipartUpload(
  tx: Transaction,
  id: string,
  { bucketId, key }: ObjectName,
  lock = false,
): Promise<MultipartUploadRow | undefined> {
  const [row] = await tx.query<MultipartUploadRow>(sql`
    select ${UPLOAD} from storage.s3_multipart_uploads
     where id = ${id} and bucket_id = ${bucketId} and key = ${key} ${lock ? sql`for update` : sql``}`)
  return row
}

/** @returns the versions of its parts, whose bytes can now be deleted; `undefined` if it no longer exists */
export async function deleteMultipartUpload(tx: Transaction, id: string): Promise<readonly string[] | undefined> {
  const [row] = await tx.query<{ versions: readonly string[] }>(sql`
    with parts as (select version from storage.s3_multipart_uploads_parts where upload_id = ${id})
    delete from storage.s3_multipart_uploads where id = ${id}
    returning (select coalesce(array_agg(version), '{}') from parts) as versions`)
  return row?.versions
}

export async function listOldUploads(tx: Transaction, before: Date, limit: number): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(
    sql`select id from storage.s3_multipart_uploads where created_at < ${before} order by created_at limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}

/** Inserts or replaces a part. The upload must be locked. @returns the replaced version */
export async function replacePart(
  tx: Transaction,
  upload: MultipartUploadRow,
  part: { readonly number: number; readonly version: string; readonly eTag: string; readonly size: number },
): Promise<string | undefined> {
  const [replaced] = await tx.query<{ version: string }>(sql`
    delete from storage.s3_multipart_uploads_parts where upload_id = ${upload.id} and part_number = ${part.number} returning version`)
  await tx.execute(sql`
    insert into storage.s3_multipart_uploads_parts (upload_id, part_number, size, bucket_id, key, etag, owner_id, version)
    values (${upload.id}, ${part.number}, ${part.size}, ${upload.bucket_id}, ${upload.key}, ${part.eTag}, ${upload.owner_id}, ${part.version})`)
  await tx.execute(sql`
    update storage.s3_multipart_uploads
       set in_progress_size = (select coalesce(sum(size), 0) from storage.s3_multipart_uploads_parts where upload_id = ${upload.id})
     where id = ${upload.id}`)
  return replaced?.version
}

/** Total bytes of the other parts. */
export async function sizeOfOtherParts(tx: Transaction, uploadId: string, number: number): Promise<number> {
  const [row] = await tx.query<{ size: string }>(sql`
    select coalesce(sum(size), 0) as size from storage.s3_multipart_uploads_parts
     where upload_id = ${uploadId} and part_number <> ${number}`)
  return Number(row?.size ?? 0)
}

export async function listPartRows(
  tx: Transaction,
  uploadId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly UploadedPartRow[]> {
  return tx.query<UploadedPartRow>(sql`
    select ${PART} from storage.s3_multipart_uploads_parts
     where upload_id = ${uploadId} and part_number > ${after} order by part_number limit ${limit}`)
}

export async function listUploadRows(
  tx: Transaction,
  bucketId: string,
  page: {
    readonly prefix: string
    readonly afterKey: string | undefined
    readonly afterId: string | undefined
    readonly limit: number
  },
): Promise<readonly MultipartUploadRow[]> {
  const { prefix, afterKey, afterId, limit } = page
  const conditions: SqlFragment[] = [sql`bucket_id = ${bucketId}`, sql`starts_with(key, ${prefix})`]
  if (afterKey !== undefined)
    conditions.push(afterId === undefined ? sql`key > ${afterKey}` : sql`(key, id) > (${afterKey}, ${afterId})`)
  return tx.query<MultipartUploadRow>(sql`
    select ${UPLOAD} from storage.s3_multipart_uploads where ${sql.join(conditions, ' and ')} order by key, id limit ${limit}`)
}
