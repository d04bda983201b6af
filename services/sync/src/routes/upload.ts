import type { FastifyPluginAsync } from 'fastify'
import { requireCaller } from '@holdfast/http'
import type { Pool } from '@holdfast/postgres'
import { UPLOAD_BODY_BYTES_MAX, UPLOAD_PATH } from '@holdfast/protocol'
import { judgeBatch, judgeUpload } from '../upload/judge-upload.ts'
import { isBatch, parseUpload, parseUploadBatch } from '../upload/parse-upload.ts'

/**
 * `POST /sync/v1/upload`: one local transaction, or several of them, each judged once.
 *
 * @param options.requestPool - connected as `authenticator`
 */
export function uploadRoutes(options: { readonly requestPool: Pool }): FastifyPluginAsync {
  return async (app) => {
    app.post(UPLOAD_PATH, { bodyLimit: UPLOAD_BODY_BYTES_MAX }, async (request) => {
      const { body } = request
      const caller = requireCaller(request)
      return isBatch(body)
        ? judgeBatch(options.requestPool, caller, parseUploadBatch(body), () => performance.now())
        : judgeUpload(options.requestPool, caller, parseUpload(body))
    })
  }
}
