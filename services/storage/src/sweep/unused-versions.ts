import { sql, type Queryable } from '@holdfast/postgres'
import type { ListedVersion } from '../backend/backend.ts'
import { VERSIONS_BATCH } from '../limits.ts'

/**
 * Every reference to stored bytes: objects, resumable uploads and their shared parts, S3 uploads and their parts. The sweep deletes versions missing here an hour after they were
 * written.
 */
const IS_IN_USE = sql`
     exists (select from storage.objects o where o.version = v.version)
  or exists (select from storage.resumable_uploads r where r.version = v.version)
  or exists (select from storage.resumable_parts p where p.version = v.version)
  or exists (select from storage.s3_multipart_uploads u where u.version = v.version)
  or exists (select from storage.s3_multipart_uploads_parts p where p.version = v.version)`

/** Returns the unused versions. Fails if policies would hide a row, because the bytes of hidden rows would be deleted. */
export async function findUnused(db: Queryable, versions: readonly string[]): Promise<readonly string[]> {
  if (versions.length === 0) return []
  const rows = await db.query<{ version: string }>(sql`
    select v.version from unnest(${[...versions]}::text[]) v (version) where not (${IS_IN_USE})`)
  return rows.map(({ version }) => version)
}

/** Groups listed versions into batches, so that each batch is looked up with one statement. */
export async function* inBatches(versions: AsyncIterable<ListedVersion>): AsyncGenerator<readonly ListedVersion[]> {
  let batch: ListedVersion[] = []
  for await (const version of versions) {
    batch.push(version)
    if (batch.length < VERSIONS_BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
