import type { BucketUsage, FileDetails, ListedBucket } from '@holdfast/protocol'
import { sql, SQLSTATE, sqlstateOf, type Pool } from '@holdfast/postgres'
import { noSuchBucket, noSuchFile } from '../errors.ts'
import { BUCKETS_MAX, USAGE_TIMEOUT_MS } from '../limits.ts'

const BUCKET = sql`
  b.id, coalesce(b.public, false) as "isPublic", b.file_size_limit::float8 as "fileSizeLimit",
  b.allowed_mime_types as "allowedMimeTypes", b.created_at as "createdAt"`

/** Lists one bucket more than are shown, to tell whether there are more. */
export async function listBuckets(
  pool: Pool,
): Promise<{ readonly buckets: readonly ListedBucket[]; readonly isCut: boolean }> {
  const rows = await pool.query<ListedBucket>(
    sql`select ${BUCKET} from storage.buckets b where b.type = 'STANDARD' order by b.id collate "C" limit ${BUCKETS_MAX + 1}`,
  )
  return { buckets: rows.slice(0, BUCKETS_MAX), isCut: rows.length > BUCKETS_MAX }
}

/** @throws {HoldfastError} `no_such_bucket` */
export async function getBucket(pool: Pool, id: string): Promise<ListedBucket> {
  const [row] = await pool.query<ListedBucket>(sql`select ${BUCKET} from storage.buckets b where b.id = ${id}`)
  if (!row) throw noSuchBucket()
  return row
}

/** Counts the files of each bucket. @returns `null` if that takes too long */
export async function readUsages(pool: Pool): Promise<Readonly<Record<string, BucketUsage>> | null> {
  try {
    const rows = await pool.transaction(async (tx) => {
      await tx.execute(sql`select set_config('statement_timeout', ${String(USAGE_TIMEOUT_MS)}, true)`)
      return await tx.query<BucketUsage & { readonly id: string }>(sql`
        select o.bucket_id as id, count(*)::float8 as files, ${BYTES_TOTAL} as bytes from storage.objects o group by o.bucket_id`)
    })
    return Object.fromEntries(rows.map(({ id, files, bytes }) => [id, { files, bytes }]))
  } catch (error) {
    if (sqlstateOf(error) === SQLSTATE.queryCanceled) return null
    throw error
  }
}

/** Metadata can be written by SQL: only numbers count. */
const BYTES = sql`case when jsonb_typeof(o.metadata -> 'size') = 'number' then (o.metadata ->> 'size')::float8 end`
const BYTES_TOTAL = sql`coalesce(sum(${BYTES}), 0)::float8`

/** Lists the names of files in a folder at any depth, with their bytes, in the order of the index. @param folder - ends with `/` */
export async function listFolderFiles(
  pool: Pool,
  { bucket, folder, limit }: { readonly bucket: string; readonly folder: string; readonly limit: number },
): Promise<readonly { readonly key: string; readonly bytes: number | null }[]> {
  return await pool.query(sql`
    select o.name as key, ${BYTES} as bytes from storage.objects o
     where o.bucket_id = ${bucket} and o.name collate "C" >= ${folder} and starts_with(o.name, ${folder})
     order by o.name collate "C" limit ${limit}::int`)
}

/** Returns those of the named files whose type has a thumbnail. */
export async function findFilesOfTypes(
  pool: Pool,
  bucket: string,
  keys: readonly string[],
  types: readonly string[],
): Promise<readonly string[]> {
  const rows = await pool.query<{ key: string }>(sql`
    select o.name as key from storage.objects o
     where o.bucket_id = ${bucket} and o.name = any(${keys}::text[]) and o.metadata ->> 'mimetype' = any(${types}::text[])`)
  return rows.map(({ key }) => key)
}

/** @throws {HoldfastError} `no_such_file` */
export async function getFile(
  pool: Pool,
  bucket: string,
  key: string,
): Promise<FileDetails & Required<Pick<FileDetails, 'userMetadata'>>> {
  const [row] = await pool.query<FileDetails & Required<Pick<FileDetails, 'userMetadata'>>>(sql`
    select o.id, o.name as key, ${BYTES} as bytes, o.metadata ->> 'mimetype' as "mimeType", o.updated_at as "updatedAt",
           o.created_at as "createdAt", coalesce(o.owner_id, o.owner::text) as "ownerId",
           o.metadata ->> 'cacheControl' as "cacheControl", o.metadata ->> 'eTag' as "eTag", o.user_metadata as "userMetadata"
      from storage.objects o where o.bucket_id = ${bucket} and o.name = ${key}`)
  if (!row) throw noSuchFile()
  return row
}
