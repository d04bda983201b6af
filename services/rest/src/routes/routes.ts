import { METHODS } from 'node:http'
import { HoldfastError, type Logger } from '@holdfast/foundation'
import { logFailure, passLargeBodiesInTurn, requireCaller } from '@holdfast/http'
import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { invalidBody } from '../errors.ts'
import { handle, type RestRuntime } from './handle.ts'
import { STALLED_MS } from '../limits.ts'
import type { RestOptions } from '../options.ts'
import type { RawRequest } from '../request/parse-request.ts'
import { renderError } from '../response/render-error.ts'
import type { RestResponse } from '../response/rest-response.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Time of preceding hooks, mostly authentication. */
    authenticationMs: number | undefined
  }
}

/** Valid reason phrases (RFC 9112, section 4). */
const REASON_PHRASE = /^[\t\x20-\x7e]+$/

/** `/rest/v1/*`: the path names a relation or, below `rpc/`, a function. Source: PostgREST reference, "API". */
export function restRoutes(
  runtime: RestRuntime,
  current: () => RestOptions,
  bodyBytesMax: number,
  logger: Logger,
): FastifyPluginAsync {
  return async (app) => {
    addUnusualMethods(app)
    passLargeBodiesInTurn(app, (request) => request.caller?.userId)
    app.setErrorHandler((error, request, reply) => {
      const isVerbose = current().restErrorVerbosity === 'verbose'
      return send(request, reply, renderError(toRefusal(error, request, logger), isVerbose))
    })
    app.decorateRequest('authenticationMs', undefined)
    app.addHook('onRequest', (request, reply, done) => {
      request.authenticationMs = reply.elapsedTime
      done()
    })
    for (const url of ['/', '/*']) {
      app.route({
        method: app.supportedMethods,
        url,
        exposeHeadRoute: false,
        bodyLimit: bodyBytesMax,
        handler: async (request, reply) =>
          send(
            request,
            reply,
            await handle(runtime, requireCaller(request), toRaw(request, app.prefix), {
              authenticationMs: request.authenticationMs,
              userKey: userKeyOf(request, current().restAnonRole),
              isAbandoned: () => request.raw.socket.destroyed,
            }),
          ),
      })
    }
  }
}

/** Registers unusual methods, so that the request parser refuses them with PostgREST's error. `CONNECT` never gets here. */
function addUnusualMethods(app: FastifyInstance): void {
  const unusual = METHODS.filter((method) => method !== 'CONNECT' && !app.supportedMethods.includes(method))
  for (const method of unusual) app.addHttpMethod(method)
}

/** Identifies the user for limits: by account, otherwise by address, unless the key is one that only backends have. */
function userKeyOf(request: FastifyRequest, anonRole: string): string | undefined {
  const { userId, role } = requireCaller(request)
  return userId ?? (role === 'anon' || role === anonRole ? `address ${request.ip}` : undefined)
}

function toRaw(request: FastifyRequest, prefix: string): RawRequest {
  const url = request.raw.url ?? '/'
  const mark = url.indexOf('?')
  const address = mark < 0 ? url : url.slice(0, mark)
  return {
    method: request.method,
    path: address.startsWith(prefix) ? address.slice(prefix.length) || '/' : address,
    search: mark < 0 ? '' : searchOf(request, url.slice(mark + 1)),
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? request.body : undefined,
  }
}

/** Removes the key `?apikey=…` from a query string. If the key is in the header, `apikey` is an ordinary filter. */
function searchOf(request: FastifyRequest, search: string): string {
  if (request.headers['apikey'] !== undefined || !search.includes('apikey=')) return search
  return search
    .split('&')
    .filter((piece) => !piece.startsWith('apikey='))
    .join('&')
}

async function send(request: FastifyRequest, reply: FastifyReply, response: RestResponse): Promise<FastifyReply> {
  // Also includes what the server's own headers vary by: the origin, if origins are listed.
  const varies = [reply.getHeader('vary'), response.headers['vary']].flat().filter((name) => name !== undefined)
  reply.code(response.status).headers(response.headers)
  if (varies.length > 0) reply.header('vary', varies.join(', '))
  if (response.statusText !== undefined && REASON_PHRASE.test(response.statusText)) {
    reply.raw.statusMessage = response.statusText
  }
  reply.raw.setTimeout(STALLED_MS, () => reply.raw.destroy())
  // A HEAD response has the headers of GET but no length, because no body was built.
  return response.body.length === 0 || request.method === 'HEAD' ? reply.send() : reply.send(response.body)
}

/** Converts an error for the client. Anything but our errors and Fastify's is a bug: it is logged, and the client gets a generic error. */
function toRefusal(error: unknown, request: FastifyRequest, logger: Logger): HoldfastError {
  if (error instanceof HoldfastError) {
    if (error.status === 408) return invalidBody(error.message, 408)
    if (error.status >= 500) logFailure(logger, request, error.message, { error, code: error.code })
    return error
  }
  const status = (error as Partial<FastifyError>).statusCode
  if (status === 413) return invalidBody('The body of the request is too large', 413)
  // Fastify's status for an invalid media type. PostgREST returns the same error for every type it does not read.
  if (status === 415) return invalidBody(`Content-Type not acceptable: ${request.headers['content-type'] ?? ''}`)
  if (status !== undefined && status >= 400 && status < 500) return invalidBody((error as FastifyError).message, status)
  logFailure(logger, request, 'a request to the REST API failed', { error })
  return new HoldfastError('PGRSTX00', 500, 'Internal error', { detail: `Request ${request.id}` })
}
