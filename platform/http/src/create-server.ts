import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerOptions as HttpOptions } from 'node:http'
import type { ServerOptions as HttpsOptions } from 'node:https'
import { fastify, type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { HoldfastError, errorMessage, type Logger } from '@holdfast/foundation'
import { createBodyMemory } from './body-memory.ts'
import { drainRefusedBodies, type DrainLimits } from './drain-bodies.ts'
import { limitHeadMemory } from './head-memory.ts'
import { LATE_VALIDATORS } from './late-validators.ts'
import {
  BODY_BYTES_MAX,
  BODY_MEMORY_BYTES_MAX,
  BODY_PATIENCE,
  CONNECTION_IDLE_MS,
  DRAIN_PATIENCE,
  HANDSHAKE_TIMEOUT_MS,
  HEAD_BYTES_MAX,
  HEAD_MEMORY_BYTES_MAX,
  HEADERS_TIMEOUT_MS,
  PARAMETER_LENGTH_MAX,
} from './limits.ts'
import { answerClientError } from './request-heads.ts'
import { limitSlowBodies, type BodyTimeouts } from './slow-bodies.ts'
import { logFailure } from './log-failure.ts'
import { logRequests } from './log-requests.ts'
import type { TlsIdentity } from './tls.ts'
import type { TrustProxy } from './trust-proxy.ts'
import { isWebSocketRequest, routeUpgrades } from './upgrades.ts'

/** What is safe in a log, a header and a shell. 128 characters have room for a W3C trace context or two UUIDs. */
const REQUEST_ID = /^[\w.:+=/-]{1,128}$/

export interface HttpServerOptions {
  readonly logger: Logger
  /** Receives a line per request. Default: none; `logger` gets them as debug messages, with the route instead of the path. */
  readonly requestLog?: Logger | undefined
  /** Serves TLS with this certificate. Default: plain HTTP, behind a proxy or for this machine only. */
  readonly tls?: Pick<TlsIdentity, 'cert' | 'key'> | undefined
  /** Proxies whose `x-forwarded-*` and `x-request-id` headers are trusted. Default: none. */
  readonly trustProxy?: TrustProxy | false
  /** Time limits for request bodies. */
  readonly bodyTimeouts?: Partial<BodyTimeouts>
  /** Limits for reading a body after its response. Default for silence: as in `bodyTimeouts`. */
  readonly drainLimits?: Partial<DrainLimits>
  /** Memory limit in bytes for all request bodies. */
  readonly bodyMemoryBytesMax?: number
  /** Memory limit in bytes for all incomplete request heads. */
  readonly headMemoryBytesMax?: number
}

/**
 * Creates an HTTP server without routes. Every response has `x-request-id` and `x-content-type-options: nosniff`; responses never contain stack traces; bodies
 * are never logged. Plugins add their own parsers, hooks and error rendering, which are encapsulated.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { logger, trustProxy = false } = options
  const bodyTimeouts = { ...BODY_PATIENCE, ...options.bodyTimeouts }
  const app = fastify({
    // Our own logger reports requests; Fastify's would serialize headers.
    logger: false,
    trustProxy,
    bodyLimit: BODY_BYTES_MAX,
    keepAliveTimeout: CONNECTION_IDLE_MS,
    ...serverOptionsOf(options.tls),
    // Fallback behind `limitSlowBodies`, from the first header byte.
    requestTimeout: HEADERS_TIMEOUT_MS + bodyTimeouts.totalMs,
    genReqId: (request) => requestIdOf(request, trustProxy),
    // Fastify would trust every caller.
    requestIdHeader: false,
    // Routes are registered during startup, which may be slow on a busy machine.
    pluginTimeout: 0,
    clientErrorHandler: answerClientError,
    // Answers what still comes over open connections while the server stops, and closes them with the answer.
    return503OnClosing: false,
    // Lets running requests finish; the gateway cuts those that take too long.
    forceCloseConnections: 'idle',
    schemaController: { compilersFactory: LATE_VALIDATORS },
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAX },
    frameworkErrors: (error, request, reply) => void renderFailure(error, request, reply, logger),
  })
  routeUpgrades(app)
  limitHeadMemory(app, options.headMemoryBytesMax ?? HEAD_MEMORY_BYTES_MAX)
  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' })
  })
  limitSlowBodies(app, bodyTimeouts, createBodyMemory(options.bodyMemoryBytesMax ?? BODY_MEMORY_BYTES_MAX))
  drainRefusedBodies(app, { ...DRAIN_PATIENCE, silenceMs: bodyTimeouts.silenceMs, ...options.drainLimits })
  if (options.requestLog) logRequests(app, options.requestLog)
  else
    app.addHook('onResponse', async (request, reply) => {
      logger.log('debug', 'answered', {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
      })
    })
  app.setErrorHandler((error, request, reply) => renderFailure(error, request, reply, logger))
  return app
}

/** HTTP and HTTPS servers differ only in options, for which Fastify has two types. */
function serverOptionsOf(tls: HttpServerOptions['tls']): { readonly http: HttpOptions } {
  const common = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    maxHeaderSize: HEAD_BYTES_MAX,
    shouldUpgradeCallback: isWebSocketRequest,
  }
  if (!tls) return { http: common }
  const https: HttpsOptions = { ...common, cert: tls.cert, key: tls.key, handshakeTimeout: HANDSHAKE_TIMEOUT_MS }
  return { https } as unknown as { readonly http: HttpOptions }
}

/** Default error response: refusals as they are, Fastify's refusals with their status, and anything else as a 500 with the request id, logging the details. */
export function renderFailure(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
): FastifyReply {
  const error = toRefusal(thrown)
  if (error.status >= 500) {
    logFailure(logger, request, 'a request failed', { error: thrown, code: error.code })
  }
  return reply
    .code(error.status)
    .headers(error.headers ?? {})
    .send({
      code: error.code,
      message: error.message,
      details: error.detail ?? null,
      hint: error.hint ?? null,
      ...(error.status >= 500 ? { request_id: request.id } : {}),
    })
}

function toRefusal(thrown: unknown): HoldfastError {
  if (thrown instanceof HoldfastError) return thrown
  const { code, statusCode } = thrown as Partial<FastifyError>
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    return new HoldfastError(code, statusCode, errorMessage(thrown))
  }
  return new HoldfastError('internal_error', 500, 'Something went wrong on the server.', {
    hint: 'The log of the server says more under this request_id.',
  })
}

/** Returns the id that a trusted proxy gave a request in `x-request-id`, else a new one. */
function requestIdOf({ headers, socket }: IncomingMessage, trustProxy: TrustProxy | false): string {
  const given = headers['x-request-id']
  const isTrusted = trustProxy !== false && socket.remoteAddress !== undefined && trustProxy(socket.remoteAddress, 0)
  return isTrusted && typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}
