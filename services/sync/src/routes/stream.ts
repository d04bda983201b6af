import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import { HoldfastError, errorMessage } from '@holdfast/foundation'
import { requireCaller } from '@holdfast/http'
import { BSON_STREAM, NDJSON_STREAM } from '../encode/lines.ts'
import { missingSubject, notReady, shuttingDown } from '../errors.ts'
import { REQUEST_BYTES_MAX } from '../limits.ts'
import { deviceLeft, tokenExpired, type Connection, type Connections } from '../stream/connections.ts'
import { createLineSink } from '../stream/line-sink.ts'
import { acceptsGzip, chooseFormat, readSyncRequest } from '../stream/read-request.ts'
import { createStreamSession, type StreamContext } from '../stream/stream-session.ts'

export interface StreamRouteOptions {
  readonly context: StreamContext
  readonly connections: Connections
  readonly connectionsMax: number
  /** Whether devices that take it get gzip. */
  readonly compress: boolean
  readonly isReady: () => boolean
}

function tooManyConnections(): HoldfastError {
  return new HoldfastError('PSYNC_S2304', 429, 'Too many devices are connected', { headers: { 'retry-after': '10' } })
}

/** `POST /sync/stream`: one device's stream, for as long as the token lives. Source: the PowerSync service's sync protocol. */
export function streamRoutes(options: StreamRouteOptions): FastifyPluginAsync {
  const { context, connections } = options
  return async (app) => {
    app.post('/sync/stream', { bodyLimit: REQUEST_BYTES_MAX }, async (request, reply) => {
      const { role, claims, userId, expiresAtS } = requireCaller(request)
      if (userId === undefined) throw missingSubject()
      const body = readSyncRequest(request.body)
      if (!options.isReady()) throw notReady()
      if (connections.isDraining) throw shuttingDown()
      if (connections.size >= options.connectionsMax) throw tooManyConnections()
      const clientId = body.client_id ?? ''

      const format = chooseFormat(request.headers.accept, body)
      const response = reply.raw
      const isCompressed = options.compress && acceptsGzip(request.headers['accept-encoding'])
      const headers = {
        ...reply.getHeaders(),
        'content-type': format.kind === 'bson' ? BSON_STREAM : NDJSON_STREAM,
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        ...(isCompressed ? { 'content-encoding': 'gzip', vary: 'accept-encoding' } : {}),
      }
      reply.hijack()
      response.writeHead(200, headers as Record<string, string>)
      response.socket?.setNoDelay(true)
      response.flushHeaders()

      const abort = new AbortController()
      const { id } = request
      const onStalled = (): void =>
        context.logger.log('info', 'a device stopped reading and was cut off', { request: id })
      const sink = createLineSink({ response, format, isCompressed, onStalled })
      const session = createStreamSession({
        context,
        session: { role, claims },
        device: clientId === '' ? randomUUID() : `${userId} ${clientId}`,
        sink,
        signal: abort.signal,
        positions: new Map((body.buckets ?? []).map((bucket) => [bucket.name, Number(bucket.after)])),
        wanted: {
          includeDefaults: body.streams?.include_defaults !== false,
          subscriptions: body.streams?.subscriptions ?? [],
        },
        writer: { userId, clientId },
      })
      const connection: Connection = { userId, clientId, session, sink, expiresAtS, abort }
      connections.add(connection)
      response.once('close', () => abort.abort(deviceLeft))
      if (response.destroyed) abort.abort(deviceLeft)
      try {
        await session.run()
      } catch (error) {
        const isOrdinary = error === deviceLeft || error === tokenExpired || abort.signal.aborted
        if (!isOrdinary) {
          context.logger.log('error', 'a sync stream failed', {
            request: id,
            reason: errorMessage(error),
            stack: (error as Error).stack,
          })
        }
      } finally {
        connections.delete(connection)
        sink.end()
      }
    })
  }
}
