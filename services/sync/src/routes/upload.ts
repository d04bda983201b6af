import type { FastifyPluginAsync } from 'fastify'
import { requireCaller } from '@holdfast/http'
import { UPLOAD_BODY_BYTES_MAX, UPLOAD_PATH } from '@holdfast/protocol'
import { judgeBatch, judgeUpload, type JudgeContext } from '../upload/judge-upload.ts'
import { isBatch, parseUpload, parseUploadBatch } from '../upload/parse-upload.ts'

/** `POST /sync/v1/upload`: one local transaction, or several of them, each judged once. */
export function uploadRoutes(context: JudgeContext): FastifyPluginAsync {
  return async (app) => {
    app.post(UPLOAD_PATH, { bodyLimit: UPLOAD_BODY_BYTES_MAX }, async (request) => {
      const { body } = request
      const caller = requireCaller(request)
      return isBatch(body)
        ? judgeBatch(context, caller, parseUploadBatch(body), () => performance.now())
        : judgeUpload(context, caller, parseUpload(body))
    })
  }
}
