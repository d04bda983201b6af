import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { HoldfastError, type Logger } from '@holdfast/foundation'
import { renderFailure } from '@holdfast/http'
import { BODY_BYTES_MAX } from './limits.ts'
import { JsonBody } from './routes/broadcast.ts'

export interface Handlers {
  openSocket(request: FastifyRequest, reply: FastifyReply): Promise<void>
  sendMessages(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  sendMessage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

/**
 * All routes under `/realtime/v1`. The gateway sets `request.caller` of all requests but the WebSocket's.
 *
 * @param load - imports the handlers at the first request. Throws while this server has no channels
 */
export function realtimeRoutes(load: () => Promise<Handlers>, logger: Logger): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler((error, request, reply) => {
      // Errors of the WebSocket handshake have a different format.
      if (!(error instanceof HoldfastError)) return renderFailure(error, request, reply, logger)
      const name = request.routeOptions.url?.endsWith('/websocket') ? 'error' : 'message'
      return reply
        .code(error.status)
        .headers(error.headers ?? {})
        .send({ [name]: error.message })
    })
    app.get('/websocket', async (request, reply) => {
      await (await load()).openSocket(request, reply)
      return reply
    })
    await app.register(async (api) => {
      acceptBodies(api)
      api.post('/api/broadcast', async (request, reply) => (await load()).sendMessages(request, reply))
      api.post('/api/broadcast/:topic/events/:event', async (request, reply) =>
        (await load()).sendMessage(request, reply),
      )
    })
  }
}

function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_BYTES_MAX },
    (_request, body, done) => {
      try {
        const text = String(body)
        done(null, new JsonBody(text, JSON.parse(text)))
      } catch (error) {
        done(new HoldfastError('InvalidBody', 400, 'The body is not valid JSON', { cause: error }))
      }
    },
  )
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX },
    (_request, body, done) => done(null, body),
  )
}
