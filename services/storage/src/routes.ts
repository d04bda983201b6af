import type { FastifyPluginAsync } from 'fastify'
import { nextTurn } from '@holdfast/foundation'
import type { StorageContext } from './context.ts'
import { invalidRequest } from './errors.ts'
import { JSON_BODY_BYTES_MAX } from './limits.ts'
import type { ImageRenderer } from './images/image-renderer.ts'
import type { Uploads } from './resumable/uploads.ts'
import { renderError } from './response/render-error.ts'
import { bucketRoutes } from './routes/buckets.ts'
import { downloadRoutes } from './routes/download.ts'
import { featureRoutes } from './routes/features.ts'
import { objectInfoRoutes } from './routes/object-info.ts'
import { objectRoutes } from './routes/objects.ts'
import { renderRoutes } from './routes/render.ts'
import { resumableRoutes } from './routes/resumable.ts'
import { s3Routes } from './routes/s3.ts'
import { signRoutes } from './routes/sign.ts'
import { uploadRoutes } from './routes/upload.ts'
import type { S3ProtocolOptions } from './s3/protocol.ts'

/** All routes under `/storage/v1`. The gateway sets `request.caller` first. */
export function storageRoutes(
  context: StorageContext,
  parts: {
    readonly uploads: Uploads
    readonly images: ImageRenderer | undefined
    readonly s3: S3ProtocolOptions | undefined
  },
): FastifyPluginAsync {
  const { uploads, images, s3 } = parts
  return async (app) => {
    app.setErrorHandler((error, request, reply) => renderError(error, request, reply, context.logger))
    // TUS clients and browsers read varying headers; nothing here depends on cookies.
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('access-control-expose-headers', '*')
    })
    await app.register(uploadRoutes(context))
    await app.register(resumableRoutes(context, uploads))
    await nextTurn()
    if (s3) await app.register(s3Routes(context, s3))
    await nextTurn()
    await app.register(async (json) => {
      json.removeAllContentTypeParsers()
      // storage-js sends a JSON content type even without a body.
      json.addContentTypeParser('*', { parseAs: 'string', bodyLimit: JSON_BODY_BYTES_MAX }, (_request, body, done) => {
        if (body === '') {
          done(null, undefined)
          return
        }
        try {
          done(null, JSON.parse(String(body)))
        } catch (error) {
          done(invalidRequest('Body is not valid JSON', error))
        }
      })
      await json.register(bucketRoutes(context))
      await json.register(objectRoutes(context))
      await nextTurn()
      await json.register(signRoutes(context, { drawsImages: images !== undefined }))
      await json.register(downloadRoutes(context))
      await json.register(objectInfoRoutes(context))
      if (images) await json.register(renderRoutes(context, images))
      await json.register(featureRoutes({ hasImages: images !== undefined, hasS3: s3 !== undefined }))
    })
  }
}
