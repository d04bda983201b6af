import { errorMessage } from '@holdfast/foundation'
import type { StorageContext } from '../context.ts'
import { forgetCompletedUploads } from '../database/completed-uploads.ts'
import { deleteMultipartUpload, listOldUploads } from '../database/multipart-uploads.ts'
import { openRequestDatabase } from '../database/request-database.ts'
import { EMPTY_BUCKET_STEP, S3_UPLOAD_LIFETIME_MS, UPLOADS_SWEEP_EVERY_MS } from '../limits.ts'
import { removeBytes } from '../objects/write-object.ts'

/** Periodically aborts expired uploads. @returns a stop function */
export function startExpiringUploads(context: StorageContext): () => void {
  const timer = setInterval(() => {
    expireUploads(context).catch((error: unknown) =>
      context.logger.log('warn', 'expired S3 uploads could not be aborted', { error: errorMessage(error) }),
    )
  }, UPLOADS_SWEEP_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

export async function expireUploads(context: StorageContext): Promise<number> {
  const { share, backend, logger, clock } = context
  const database = openRequestDatabase(share, {
    caller: { role: 'service_role', claims: { role: 'service_role' }, userId: undefined, expiresAtS: undefined },
    operation: 'storage.s3.upload.abort_multipart',
    method: 'DELETE',
    path: '/storage/v1/s3',
    headers: {},
    userKey: undefined,
  })
  const before = new Date(clock.now() - S3_UPLOAD_LIFETIME_MS)
  const ids = await database.transaction(({ asService }) =>
    asService(async (tx) => {
      await forgetCompletedUploads(tx)
      return listOldUploads(tx, before, EMPTY_BUCKET_STEP)
    }),
  )
  for (const id of ids) {
    const versions = await database.transaction(({ asService }) => asService((tx) => deleteMultipartUpload(tx, id)))
    await removeBytes(backend, logger, versions ?? [])
  }
  return ids.length
}
