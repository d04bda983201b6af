import { sql, type Queryable, type Transaction } from '@holdfast/postgres'
import { UPLOAD_LIFETIME_MS, UPLOAD_NOTE_GRACE_MS } from '../limits.ts'

/** Writes down that an upload in parts begins: its version is in use, and its parts are on this server. */
export async function noteUpload(tx: Transaction, version: string, serverId: string): Promise<void> {
  await tx.execute(sql`insert into storage.resumable_uploads (version, server_id) values (${version}, ${serverId})`)
}

/** @returns which server has the parts of an upload of the last day */
export async function findUploadServer(tx: Transaction, version: string): Promise<string | undefined> {
  const [row] = await tx.query<{ server_id: string }>(sql`
    select server_id from storage.resumable_uploads
     where version = ${version} and created_at > now() - make_interval(secs => ${UPLOAD_LIFETIME_MS / 1_000})`)
  return row?.server_id
}

/** Forgets uploads that have expired, some time later: one that is just being made an object keeps its version. */
export async function forgetOldUploads(db: Queryable): Promise<void> {
  const keptS = (UPLOAD_LIFETIME_MS + UPLOAD_NOTE_GRACE_MS) / 1_000
  await db.execute(sql`
    delete from storage.resumable_uploads where created_at < now() - make_interval(secs => ${keptS})`)
}
