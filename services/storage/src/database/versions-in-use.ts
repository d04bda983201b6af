import { sql, type Queryable } from '@holdfast/postgres'

/**
 * Whatever names bytes: objects, uploads in parts, and uploads of S3 with theirs. The only list: bytes of a version that is missing here are deleted an hour after
 * they were written.
 */
const IS_IN_USE = sql`
     exists (select from storage.objects o where o.version = v.version)
  or exists (select from storage.resumable_uploads r where r.version = v.version)
  or exists (select from storage.s3_multipart_uploads u where u.version = v.version)
  or exists (select from storage.s3_multipart_uploads_parts p where p.version = v.version)`

/** Those of `versions` that nothing uses. It fails when policies would hide a row: the bytes of a hidden row would be deleted. */
export async function findUnused(db: Queryable, versions: readonly string[]): Promise<readonly string[]> {
  if (versions.length === 0) return []
  const rows = await db.query<{ version: string }>(sql`
    select v.version from unnest(${[...versions]}::text[]) v (version) where not (${IS_IN_USE})`)
  return rows.map(({ version }) => version)
}
