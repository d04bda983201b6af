import type { FastifyPluginAsync } from 'fastify'
import type { Serving } from './serve.ts'

/** Where the gateway mounts functions. */
const PREFIX = '/functions/v1'

/**
 * `/functions/v1/NAME[/anything]`, for every method. Bodies are not read here, and their types are not looked at.
 *
 * @param load - what answers, loaded at the first request: a server without functions does without it
 * @param onListen - called when the server listens
 */
export function functionRoutes(load: () => Promise<Serving>, onListen: () => void): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, body, done) => done(null, body))
    app.addHook('onListen', async () => onListen())
    app.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: '/*',
      config: { streamsBody: true },
      handler: async (request, reply) =>
        (await load()).handle(request, reply, request.raw.url?.slice(PREFIX.length) ?? '/'),
    })
  }
}
