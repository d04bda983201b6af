import { sql, type Queryable, type Transaction } from '@holdfast/postgres'
import { UPLOAD_LIFETIME_MS, UPLOAD_NOTE_GRACE_MS } from '../limits.ts'

/** Records a new resumable upload: marks its version as in use and names the server that holds its parts. */
export async function noteUpload(tx: Transaction, version: string, serverId: string): Promise<void> {
  await tx.execute(sql`insert into storage.resumable_uploads (version, server_id) values (${version}, ${serverId})`)
}

/** @returns the server that holds an upload's parts, for uploads of the last day */
export async function findUploadServer(tx: Transaction, version: string): Promise<string | undefined> {
  const [row] = await tx.query<{ server_id: string }>(sql`
    select server_id from storage.resumable_uploads
     where version = ${version} and created_at > now() - make_interval(secs => ${UPLOAD_LIFETIME_MS / 1_000})`)
  return row?.server_id
}

/** Deletes records of expired uploads, with a grace period for those whose object is being created. */
export async function forgetOldUploads(db: Queryable): Promise<void> {
  const keptS = (UPLOAD_LIFETIME_MS + UPLOAD_NOTE_GRACE_MS) / 1_000
  await db.execute(sql`
    delete from storage.resumable_uploads where created_at < now() - make_interval(secs => ${keptS})`)
}
