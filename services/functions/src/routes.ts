import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'
import { LOG_READERS_MAX, LOG_WAIT_MS_MAX } from './limits.ts'
import { sendPlatformError, serviceKeyOnly, tooManyRequests } from './platform-errors.ts'
import type { Serving } from './serve.ts'

/** Mount point of functions in the gateway. */
const PREFIX = '/functions/v1'

export interface FunctionRoutesOptions {
  /** Imports the implementation at the first request. */
  readonly load: () => Promise<Serving>
  /** Called when the server listens. */
  readonly onListen: () => void
  /** Whether a request has an operator key. */
  readonly isOperator: (request: FastifyRequest) => Promise<boolean>
}

/** `/functions/v1/NAME[/anything]` for every method, and the operator routes. Bodies are not parsed. */
export function functionRoutes({ load, onListen, isOperator }: FunctionRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, body, done) => done(null, body))
    app.addHook('onListen', async () => onListen())
    // Like other platform errors, gateway refusals are readable by every origin.
    app.setErrorHandler((error, _request, reply) => {
      if (!(error instanceof HoldfastError)) throw error
      const { status, code, message } = error
      return sendPlatformError(reply, { status, code, body: { code, message } })
    })
    await app.register(async (scope) => {
      scope.addHook('onRequest', async (request, reply) =>
        (await isOperator(request)) ? undefined : sendPlatformError(reply, serviceKeyOnly),
      )
      operatorRoutes(scope, load)
    })
    app.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: '/*',
      config: { streamsBody: true },
      handler: async (request, reply) =>
        (await load()).handle(request, reply, request.raw.url?.slice(PREFIX.length) ?? '/'),
    })
  }
}

const LOG_QUERY = {
  type: 'object',
  properties: {
    function: { type: 'string' },
    request_id: { type: 'string' },
    after: { type: 'string' },
    limit: { type: 'integer', minimum: 1, maximum: 10_000, default: 100 },
    wait_ms: { type: 'integer', minimum: 0, maximum: LOG_WAIT_MS_MAX, default: 0 },
  },
} as const

interface LogParameters {
  readonly function?: string
  readonly request_id?: string
  readonly after?: string
  readonly limit: number
  readonly wait_ms: number
}

/** Function names cannot start with `_`. */
function operatorRoutes(app: FastifyInstance, load: () => Promise<Serving>): void {
  let readers = 0
  app.get('/_metrics', async () => ({ functions: (await load()).runtime.readMetrics() }))
  app.get<{ Querystring: LogParameters }>('/_logs', { schema: { querystring: LOG_QUERY } }, async (request, reply) => {
    if (readers >= LOG_READERS_MAX) return sendPlatformError(reply, tooManyRequests)
    const { request_id: requestId, wait_ms: waitMs, ...query } = request.query
    readers += 1
    try {
      return await (await load()).runtime.logs.follow({ ...query, requestId }, waitMs)
    } finally {
      readers -= 1
    }
  })
}
