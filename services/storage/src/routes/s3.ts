import type { FastifyPluginAsync } from 'fastify'
import type { StorageContext } from '../context.ts'
import { startExpiringUploads } from '../s3/expire-uploads.ts'
import type { S3ProtocolOptions } from '../s3/protocol.ts'
import { renderS3Error } from '../s3/render-s3-error.ts'

const PATH = '/s3'

/**
 * `/s3[/{bucket}[/{key}]]`: the Amazon S3 protocol. The signature identifies the caller, not the gateway. The implementation is imported with the first
 * request.
 */
export function s3Routes(context: StorageContext, protocol: S3ProtocolOptions): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler((error, request, reply) => renderS3Error(error, request, reply, context.logger))
    app.addHook('onRequest', async (request, reply) => {
      reply.header('x-amz-request-id', String(request.id))
    })
    const stopExpiring = startExpiringUploads(context)
    app.addHook('onClose', async () => stopExpiring())
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, body, done) => done(null, body))
    for (const url of [PATH, `${PATH}/*`])
      app.route({
        method: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
        url,
        config: { streamsBody: true },
        exposeHeadRoute: false,
        handler: async (request, reply) => {
          const { serveS3 } = await import('../s3/serve-s3.ts')
          return serveS3(context, protocol, app.prefix + PATH, request, reply)
        },
      })
  }
}
